"""Finds the names of the log that a clause spells out: quoted ones, targets, labels with a capital."""

from __future__ import annotations

from memory_evidence.tallymem.actions import phrases
from memory_evidence.tallymem.bounds import NUMBERS, Unread
from memory_evidence.tallymem.clause import Clause
from memory_evidence.tallymem.kinds import of_stem
from memory_evidence.tallymem.ledger import Field
from memory_evidence.tallymem.phrases import CAPITAL, INDEFINITE, NUMBER_WORD, PATH, QUOTED, ROLE, TOKEN
from memory_evidence.tallymem.vocabulary import class_of, tool_of
from memory_evidence.tallymem.wording import EFFECTS, EVENTS, NEUTRAL, WORD, lemmas


def read_quotes(clause: Clause) -> None:
    """Find names in quotes: of tools, actions, targets.

    Raises:
        Unread: The log does not know one.
    """
    while match := QUOTED.search(clause.left):
        for kind, term in _named(clause, " ".join(match[2].split())):
            clause.add(kind, term, *match.span())


def _named(clause: Clause, name: str) -> list[tuple[Field, str]]:
    key, words, ledger = name.casefold(), clause.words, clause.ledger
    if key in words.phrases:
        return [("tool", words.phrases[key])]
    if key in words.tools or key in words.programs:
        return [("tool", name)]
    if places := ledger.values("action").get(name):
        # By its parts: as a text it would also be found inside the arguments of other calls.
        row = ledger.rows[places[0]]
        return [("tool", row.tool or name), *(("target", target) for target in row.targets)]
    if (spelled := _spelled(clause, name)) is not None:
        return [("target", spelled)]
    if ledger.knows("target", name):
        return [("target", name)]
    parts = [words.targets.get(part.casefold()) for part in phrases(name)]
    if len(parts) > 1 and None not in parts:
        return [("target", part) for part in parts if part is not None]
    raise Unread(f"the log knows no {name!r}")


def read_targets(clause: Clause) -> None:
    """Find known targets, longest first; a target of one common word is not looked for.

    Raises:
        Unread: It names a path that the log does not know, or one that may be several files.
    """
    _read_number_words(clause)
    while match := ROLE.search(clause.left):
        clause.blank(*match.span())
    tokens = [(m.start(), m.start() + len(word), word) for m in TOKEN.finditer(clause.left) if (word := _bare(m[0]))]
    at = 0
    while at < len(tokens):
        for size in range(min(clause.words.longest, len(tokens) - at), 0, -1):
            start, stop = tokens[at][0], tokens[at + size - 1][1]
            name = _target(clause, clause.left[start:stop], single=size == 1)
            if name is not None:
                if name.casefold() in clause.words.classes and INDEFINITE.search(clause.text, 0, start):
                    raise Unread(f"it does not say whether it means {name!r} or any of its kind")
                clause.add("target", name, start, stop)
                at += size
                break
        else:
            at += 1


def _read_number_words(clause: Clause) -> None:
    """Write "drawer one" as "drawer 1" where drawers are numbered, in place."""
    for match in list(NUMBER_WORD.finditer(clause.left)):
        if class_of(match[1], clause.words):
            digits = str(NUMBERS[match[2].casefold()]).ljust(len(match[2]))
            clause.left = clause.left[: match.start(2)] + digits + clause.left[match.end(2) :]


def _bare(token: str) -> str:
    """Return a token without the punctuation after it."""
    return token.rstrip(".:'").removesuffix("'s")


def _target(clause: Clause, text: str, *, single: bool) -> str | None:
    key = " ".join(text.casefold().split())
    found = _spelled(clause, text)
    if found is not None:
        common = single and (key in NEUTRAL | EVENTS or tool_of(key, clause.words) is not None or key in EFFECTS)
        return None if common else _rather_file(clause, found, key)
    if single and PATH.fullmatch(text) and key not in clause.words.tools:
        if not clause.ledger.knows("target", text):
            raise Unread(f"the log knows no target {text!r}")
        return text
    return None


def _spelled(clause: Clause, text: str) -> str | None:
    """Return the target that `text` names as the log spells it; None where it names none.

    Raises:
        Unread: It is spelled like none of several files that differ in case only.
    """
    found = clause.words.targets.get(" ".join(text.casefold().split()))
    if found is None or not PATH.fullmatch(found):
        return found
    values = clause.ledger.values("target")
    if text in values:
        return text
    twins = [value for value in values if value.casefold() == found.casefold()]
    if len(twins) > 1:
        raise Unread(f"{text!r} may be any of {', '.join(map(repr, twins))}")
    return found


def _rather_file(clause: Clause, found: str, key: str) -> str:
    """Return the file of that stem for a word that was also searched for, where files are asked about."""
    if not key.isalpha() or not clause.words.effects:
        return found
    filing = any(form in EFFECTS for word in WORD.findall(clause.text) for form in lemmas(word))
    return (of_stem(clause.ledger, key) if filing else None) or found


def read_labels(clause: Clause) -> None:
    """Find names of targets that the question writes with a capital ("Submit" of the target "button 'Submit'")."""
    begins = len(clause.text) - len(clause.text.lstrip())
    for match in list(CAPITAL.finditer(clause.left)):
        if match.start() > begins and clause.ledger.knows("target", match[0]):
            clause.add("target", match[0], *match.span())
