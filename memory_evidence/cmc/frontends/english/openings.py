"""How sentences begin and go on: what may be skipped, what asserts nothing, and where the next clause can start."""

from __future__ import annotations

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.extents import settled_end
from memory_evidence.cmc.frontends.english.questions import asks, opens_with_preposition, requests
from memory_evidence.cmc.frontends.english.subjects import read_subject
from memory_evidence.cmc.frontends.english.words import Words

_MARKS = frozenset((",", ":", "–", "…", "!"))
_LEADING = v.LEAD_WORDS | frozenset(v.LEADS_BY_WORD) | frozenset(phrase[0] for phrase in v.LEAD_OPEN)
_LABEL_WORDS = 4


def after_leads(w: Words) -> int:
    """Return the place of the first word behind "By the way,", "Actually,", "Hey Mel," and the like."""
    low = w.low
    n = len(low)
    if low[0] not in _LEADING and low[1:2] != [","]:
        return 0
    i = 0
    while i < n:
        word = low[i]
        if word in _MARKS and i > 0:
            i += 1
            continue
        step = _lead(w, i, n)
        if step == 0:
            break
        i += step
    return i


def _lead(w: Words, i: int, n: int) -> int:
    low = w.low
    word = low[i]
    marked = i + 1 < n and low[i + 1] in _MARKS
    if word in v.LEAD_BARE or (word in v.LEAD_WORDS and (marked or i + 1 == n)):
        return 1
    for phrase in v.LEADS_BY_WORD.get(word, ()):
        length = len(phrase)
        if tuple(low[i : i + length]) == phrase:
            return length
    for phrase in v.LEAD_OPEN:
        length = len(phrase)
        if tuple(low[i : i + length]) == phrase:
            if phrase in v.DATING and settled_end(w, i + length, n) == i + length:
                return 0  # "as of next week, ..."
            for at in range(i + length, min(n, i + length + v.LEAD_OPEN_WORDS)):
                if low[at] == ",":
                    return at + 1 - i
    # "Hey Mel, ..." and "Mel, I ...": a name that is spoken to
    if word in ("hey", "hi", "hello", "thanks", "wow", "yeah") and i + 2 < n and low[i + 2] in (",", "!", "–"):
        return 3 if w.proper(i + 1) else 0
    if marked and low[i + 1] == "," and i + 2 < n and w.proper(i) and low[i + 2] in v.SPEAKER:
        return 2 if word not in v.NOT_IN_NAMES else 0
    return 0


def is_passing(w: Words, i: int) -> bool:
    """Whether what opens the sentence before word `i` tells of some time ("this week"), in which a state may end."""
    return any(tuple(w.low[at : at + 2]) in v.PASSING for at in range(i - 1))


def label_length(w: Words, i: int) -> int:
    """Return the number of words of a label ("Ann:", "Subject:") that opens the sentence at `i`; 0 for none."""
    opening = w.low[i : i + _LABEL_WORDS]
    return opening.index(":") if ":" in opening else 0


def is_small_talk(w: Words, i: int) -> bool:
    """Whether the words from `i` only greet, thank or react."""
    if i == 0 and w.low[0] in v.LEAD_WORDS and 1 < len(w.low) <= 3 and all(w.proper(at) for at in range(1, len(w.low))):
        return True  # "Hey Mel!"
    low, n = w.low, len(w.low)
    if low[i] in ("thanks", "thank") and not _speaks(w, i + 2):
        return True
    for at in range(i, n):
        word = low[at]
        if word in v.GREETINGS or word in v.PUNCTUATION:
            continue
        spoken_to = (
            at > 0
            and (low[at - 1] in _MARKS or at == 1)
            and (at + 1 == n or low[at + 1] in _MARKS)
            and w.proper(at)
            and word not in v.PRONOUNS
        )
        if not spoken_to:
            return False
    return True


def is_hypothesis(w: Words, i: int) -> bool:
    """Whether the words from `i` open as a supposition; what else they say is another matter."""
    low = w.low
    if i >= len(low):
        return False
    if low[i] == "i" and low[i + 1 : i + 2] == ["wish"]:
        return True
    if low[i] == "if" and not v.RECALL.isdisjoint(low[i : i + 6]):
        return False  # "if I remember correctly, ..." asserts
    return low[i] in v.HYPOTHESES and not (w.proper(i) and i + 1 < len(low) and low[i + 1] in v.VERB_SIGNS)


def is_question(w: Words, i: int) -> bool:
    """Whether the words from `i` open as a question or a request; what else they say is another matter."""
    low = w.low
    if i >= len(low):
        return True
    if low[i] == "i" and tuple(low[i + 1 : i + 3]) in (("was", "wondering"), ("am", "wondering")):
        return True
    if low[i] in v.QUESTION_OPENERS:
        if low[i] in v.WH_WORDS:  # not "when I lived in Rome, ..." and "how nice that ..."
            reach = 4 if low[i] in ("what", "how", "which") else 2
            return any(word in v.AUXILIARIES for word in low[i + 1 : i + reach]) and "that" not in low[i + 1 : i + 4]
        # "Will lives in Rome": a name
        return not (low[i] in v.NAMEABLE and w.proper(i) and i + 1 < len(low) and low[i + 1] in v.VERB_SIGNS)
    if opens_with_preposition(w, i):
        return asks(w, i, len(low), marked=False)
    if low[i] not in v.REQUESTS:
        return False
    if _speaks(w, i + 1):
        return requests(w, i, len(low))  # "Tell me who my manager is", not "Tell me, my manager is Ann"
    return not v.WH_WORDS.isdisjoint(low) or (v.VERB_SIGNS.isdisjoint(low[i:]) and "is" not in low)


def _speaks(w: Words, i: int) -> bool:
    return any(word in v.SPEAKER for word in w.low[i:])


def question_start(w: Words, i: int) -> int:
    """Return where, in a sentence with a question mark, the question begins behind a statement; `i`: all of it asks.

    "I moved to Boston, do you know a good gym?" states something first; a tag ("..., don't I?") questions what it
    follows.
    """
    low = w.low
    n = len(low)
    if low[i : i + 1] and low[i] in v.QUESTION_OPENERS:
        return i
    for at in range(n - 1, i, -1):
        if low[at] in (",", "–", ";"):
            first = at + 1
            while first < n and (low[first] in v.CONJUNCTIONS or low[first] in v.LEAD_BARE or low[first] == ","):
                first += 1
            if first < n and low[first] in v.QUESTION_OPENERS and n - first > 4:
                return at
    return i


def resume(w: Words, i: int, n: int, uncertain: int) -> int:
    """Return where reading may go on behind a clause that was not read, or `n`.

    Only where the speaker clearly begins a statement of their own ("..., and my manager is Ann"), and only while
    nothing before it makes the sentence reported, doubtful or conditional.
    """
    low = w.low
    at = i
    while at < n:
        word = low[at]
        if word == ";" or word == "–" or word in v.CONJUNCTIONS:
            first = next_clause(w, at, n)
            if first >= n or uncertain < first or _is_subject(w, i, at):
                return n
            if word == ";" or low[first] in v.SPEAKER:
                return first
            at = max(first, at + 1)
        else:
            at += 1
    return n


def _is_subject(w: Words, i: int, e: int) -> bool:
    """Whether what stands before a conjunction may be part of one subject ("my brother and I")."""
    for at in range(e - 1, i - 1, -1):
        if w.low[at] in v.PUNCTUATION:
            i = at + 1
            break
    return read_subject(w, i, e) is not None or (e == i + 1 and w.low[i] in v.PRONOUNS)


def next_clause(w: Words, j: int, n: int) -> int:
    """Return the first word of the clause that begins at `j`, behind marks, conjunctions and adverbs."""
    low = w.low
    while j < n:
        word = low[j]
        if word in v.CONJUNCTIONS or word in (",", ";", "–", ".", "!") or word in v.LEAD_BARE:
            j += 1
            continue
        for phrase in v.LEADS_BY_WORD.get(word, ()):
            if tuple(low[j : j + len(phrase)]) == phrase and phrase not in v.PASSING:
                j += len(phrase)
                break
        else:
            break
    return j
