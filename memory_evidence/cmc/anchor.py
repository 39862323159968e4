"""Find the subjects that a question names (paper section 3: whole spans, longer matches win, all the rest anchor)."""

from __future__ import annotations

import re

from memory_evidence.cmc.keys import fold, name_key, token_spans
from memory_evidence.records import USER

_FIRST_PERSON = re.compile(r"\b(?:i|me|my|mine|myself|we|us|our|ours)\b")
_MY = re.compile(r"\b(?:my|our)\b")


class AnchorIndex:
    """Names under which the subjects of a graph can be found in a question."""

    def __init__(self, speaker: str = USER) -> None:
        self._speaker_key = name_key(speaker)
        self._subjects: dict[str, tuple[str, ...]] = {}
        # Token counts of the names that start with a token: only those lengths need a look-up.
        self._lengths: dict[str, tuple[int, ...]] = {}

    def add(self, name_or_key: str, subject_key: str) -> None:
        """Let `name_or_key` anchor `subject_key`."""
        known = self._subjects.get(name_or_key)
        if known is not None:
            if subject_key not in known:
                self._subjects[name_or_key] = (*known, subject_key)
            return
        spans = token_spans(name_or_key)
        if not spans:
            return
        self._subjects[name_or_key] = (subject_key,)
        first, count = name_or_key[slice(*spans[0])], len(spans)
        lengths = self._lengths.get(first, ())
        if count not in lengths:
            self._lengths[first] = tuple(sorted((*lengths, count), reverse=True))

    def find(self, question: str) -> list[str]:
        """Return the subject keys that `question` names, in order of their place in it.

        A match inside a longer match of another name is dropped. The first person of the question is the speaker, and
        "my X" also finds a subject called "<speaker>'s X" (ours).
        """
        folded = fold(question)
        found = self._matches(folded)
        person = self._speaker_key in self._subjects and any(
            not any(start <= match.start() < stop for start, stop, _ in found)
            for match in _FIRST_PERSON.finditer(folded)
        )
        if _MY.search(folded):
            found += self._matches(_MY.sub(f"{self._speaker_key}'s", folded))
        names = [name for _, _, name in found]
        if person:
            names.append(self._speaker_key)
        return list(dict.fromkeys(key for name in names for key in self._subjects[name]))

    def _matches(self, folded: str) -> list[tuple[int, int, str]]:
        spans = token_spans(folded)
        subjects, lengths = self._subjects, self._lengths
        matches: list[tuple[int, int, str]] = []
        for index, (start, stop) in enumerate(spans):
            for count in lengths.get(folded[start:stop], ()):
                if index + count <= len(spans):
                    end = spans[index + count - 1][1]
                    name = folded[start:end]
                    if name in subjects:
                        matches.append((start, end, name))
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
