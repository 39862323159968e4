"""Find the subjects that a question names (paper section 3: whole spans, longer matches win, all the rest anchor)."""

from __future__ import annotations

import re
from collections.abc import Callable

from memory_evidence.cmc.keys import fold, name_key, token_spans, tokens
from memory_evidence.records import USER

FIRST_PERSON = frozenset(("i", "me", "my", "myself", "mine", "we", "us", "our", "ours", "the user"))
"""Keys by which one asks for the first person outside of a question."""
_FIRST_PERSON = re.compile(r"\b(?:i|me|my|myself|we|us|our|ours|(?:of|is|are|was|were) mine)\b")
_MY = re.compile(r"\b(?:my|our)\b")
# Looking for these among the question's tokens first is several times faster than either pattern.
_PERSONS = frozenset(("i", "me", "my", "myself", "we", "us", "our", "ours", "mine"))
# Only their case or periods tell them from the first person, and folded text has lost the case.
_NOT_A_PERSON = re.compile(r"\bUS\b|\b[Ii]\.\s?e\b|\bI/O\b")

Holds = Callable[[str, str], bool]
"""Whether a name already stood for a subject; asked with both."""


class AnchorIndex:
    """Names under which the subjects of a graph can be found, in a question or as the object of a fact."""

    def __init__(self, speaker: str = USER) -> None:
        self._speaker_key = name_key(speaker)
        self._subjects: dict[str, tuple[str, ...]] = {}
        # Token counts of the names that start with these two tokens: only those lengths need a look-up. One token
        # would not tell enough: in English half of all long names start with "the".
        self._lengths: dict[str, tuple[int, ...]] = {}

    def add(self, name: str, subject_key: str) -> None:
        """Let the name with key `name` stand for the subject."""
        known = self._subjects.get(name)
        if known is not None:
            if subject_key not in known:
                # Sorted: which record came first must not matter.
                self._subjects[name] = tuple(sorted((*known, subject_key)))
            return
        words = tokens(name)
        count = len(words)
        if not count:
            return
        self._subjects[name] = (subject_key,)
        if count > 1:
            start = name[: name.index(words[1], len(words[0])) + len(words[1])]
            lengths = self._lengths.get(start, ())
            if count not in lengths:
                self._lengths[start] = tuple(sorted((*lengths, count), reverse=True))

    def named(self, name: str) -> tuple[str, ...]:
        """Return the subjects that the name with key `name` stands for."""
        return self._subjects.get(name, ())

    def find(self, question: str, holds: Holds | None = None) -> list[str]:
        """Return the subject keys that `question` names, in order of their place in it.

        A match inside a longer match of another name is dropped. The first person of the question is the speaker, and
        "my X" also finds a subject called "<speaker>'s X" (ours).

        Args:
            question: Any text.
            holds: Leaves out what it denies; None: every name counts.
        """
        folded = fold(question)
        spans = token_spans(folded)
        found = self._matches(folded, spans, holds)
        personal = not _PERSONS.isdisjoint([folded[start:stop] for start, stop in spans])
        person = personal and self._first_person(question, found)
        if personal and _MY.search(folded):
            own = _MY.sub(f"{self._speaker_key}'s", folded)
            mine = self._matches(own, token_spans(own), holds)
            # "kestrel" inside "my kestrel" gives way to "<speaker>'s kestrel"; "My Fair Lady" is a name of its own.
            still = {name for _, _, name in mine}
            found = [match for match in found if match[2] in still or _MY.search(match[2])]
            found += [match for match in mine if match[2] != self._speaker_key]
        names = [name for _, _, name in found]
        if person:
            names.append(self._speaker_key)
        return list(
            dict.fromkeys(key for name in names for key in self.named(name) if holds is None or holds(name, key))
        )

    def _first_person(self, question: str, found: list[tuple[int, int, str]]) -> bool:
        """Whether the question speaks of its speaker, other than in a name such as "Henry I"."""
        # "My sister" that stands for "<speaker>'s sister" is no name: it speaks of the speaker as well.
        names = [(start, stop) for start, stop, name in found if name in self._subjects[name]]
        masked = fold(_NOT_A_PERSON.sub(lambda match: "x" * len(match[0]), question))
        return any(
            not any(start <= match.start() < stop for start, stop in names) for match in _FIRST_PERSON.finditer(masked)
        )

    def _matches(self, folded: str, spans: list[tuple[int, int]], holds: Holds | None) -> list[tuple[int, int, str]]:
        subjects, lengths = self._subjects, self._lengths
        matches: list[tuple[int, int, str]] = []
        last = len(spans) - 1
        for index, (start, stop) in enumerate(spans):
            names: list[str] = []
            if index < last and (counts := lengths.get(folded[start : spans[index + 1][1]])):
                names = [folded[start : spans[index + count - 1][1]] for count in counts if index + count <= last + 1]
            names.append(folded[start:stop])
            for name in names:
                keys = subjects.get(name)
                if keys and (holds is None or any(holds(name, key) for key in keys)):
                    matches.append((start, start + len(name), name))
        if len(matches) < 2:
            return matches
        # Matches come sorted by start, longer first; one is contained iff an earlier one reaches as far.
        kept: list[tuple[int, int, str]] = []
        reach = -1
        for match in matches:
            if match[1] > reach:
                kept.append(match)
                reach = match[1]
        return kept
