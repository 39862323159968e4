"""Questions and requests that tell nothing by the way: "Where does Ann live", "Can you recommend a restaurant?"."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.english import vocabulary as v
from memory_evidence.cmc.frontends.english.embedded import OPENERS, PERFECT, WHO, is_past, states
from memory_evidence.cmc.frontends.english.words import Words
from memory_evidence.cmc.frontends.sentences import word_set

_ASKING: Final = word_set(
    "tell give show help explain recommend suggest describe list compare find repeat clarify elaborate provide share "
    "think believe hear speak understand know guess like be check answer summarize name offer advise identify "
    "calculate estimate compute write generate send see let remind create"
)
_FOR_ME: Final = word_set("tell give show help send remind offer teach")
"""Ask for something where "me" follows; else they order something."""
_DOING: Final = word_set("give send create generate remind help let")
"""Names and numbers behind these tell what to do with whom."""
_GOOD: Final = word_set("good great nice lovely wonderful safe fun blast")
_KINDS: Final = word_set(
    "kind sort type color colour time day date year month city country language size name many much long old far "
    "often big tall fast soon come about exactly else"
)
_BEFORE_WH: Final = word_set("in at on by to from for with of about under since until through into over during near")
_WH_BEHIND: Final = word_set("what which whom whose where when who")
_MAX_NOUN_WORDS: Final = 6
"""Words of a question without a verb: "Bob's number?"."""
_LIKINGS: Final = word_set("love like be have appreciate prefer need want")


def asks(w: Words, a: int, b: int, marked: bool) -> bool:
    """Whether words `a` to `b` are nothing but a question."""
    low = w.low
    word = low[a]
    after = low[a + 1] if a + 1 < b else ""
    if opens_with_preposition(w, a):
        return b - a > 2 and _asks_what(w, a + 1, b, marked)
    if word == "i" and low[a + 2 : a + 3] == ["wondering"]:
        return not states(w, a + 3, b)
    if word in v.WH_WORDS:
        return _asks_what(w, a, b, marked)
    if word in ("any", "anything", "wanna"):
        return not states(w, a + 1, b)
    if word not in v.AUXILIARIES:
        return marked and _asks_with_a_noun(w, a, b)
    subject = a + 1
    negative = after == "not"
    if negative:
        subject += 1
    if subject >= b:
        return marked
    if word in ("do", "did") and negative and low[subject] in ("worry", "bother"):
        return not states(w, subject + 1, b)
    if word == "have" and not marked and low[subject] not in v.PRONOUNS:
        # "Have a nice day!", but not "Have my mail sent to Rome."
        return low[subject] in ("a", "fun") and low[min(subject + 1, b - 1)] in _GOOD and not states(w, subject, b)
    if not marked and not _opens_subject(w, subject):
        return False
    if low[subject] in _LIKINGS or (negative and low[subject] in ("forget", "tell", "say")):
        return False
    if low[subject] in ("you", "u") and word in ("can", "could", "would", "will") and not _asks_for(w, subject + 1, b):
        return False
    return not _goes_on(w, word, subject, b)


def opens_with_preposition(w: Words, a: int) -> bool:
    """Whether a question such as "in which city ..." or "with whom ..." opens at word `a`."""
    return w.low[a] in _BEFORE_WH and w.low[a + 1 : a + 2] != [] and w.low[a + 1] in _WH_BEHIND


def _asks_with_a_noun(w: Words, a: int, b: int) -> bool:
    """Whether words `a` to `b`, with a question mark, have no verb: "Bob's number?", "my manager's name?"."""
    if b - a > _MAX_NOUN_WORDS:
        return False
    return not states(w, a, b) and not any(is_past(w.low[at]) for at in range(a, b))


def _opens_subject(w: Words, at: int) -> bool:
    word = w.low[at]
    if word in OPENERS or word == "any":
        return True
    written = w.text[w.starts[at] : w.ends[at]]
    return w.proper(at) and not (len(written) > 1 and written.isupper() and not w.shouts)


def _goes_on(w: Words, auxiliary: str, subject: int, b: int) -> bool:
    """Whether a clause follows the subject at `subject`, behind its auxiliary."""
    participles = auxiliary in PERFECT
    if w.low[subject] in v.PRONOUNS:
        return states(w, subject + 1, b, participles=participles)
    if participles and auxiliary not in ("have", "has", "had") and w.low[subject] in v.MY:
        # "Is my manager Carl": what is asked, not an apposition
        return states(w, subject + 1, b, participles=True)
    return states(w, subject, b, participles=participles)


def _asks_what(w: Words, a: int, b: int, marked: bool) -> bool:
    low = w.low
    word = low[a]
    with_noun = word in ("what", "how", "which", "whose")
    at = a + 1
    while at < b and low[at] not in v.AUXILIARIES:
        if not marked and (not with_noun or low[at] not in _KINDS or at > a + 2):
            return False
        at = at + 1 if with_noun and low[at] not in v.MY else b
    if at >= b:  # "Who lives in Rome?", but not "..., where I live"
        if low[a + 1 : a + 2] and (low[a + 1] in WHO or low[a + 1] in v.MY):
            return False
        return (marked or b == a + 1) and not states(w, a + 2, b)
    if not marked and word == "which" and at == a + 1:
        return False
    if states(w, a + 1, at) or (low[at] == "is" and low[at + 1 : at + 2] and low[at + 1] in WHO - {"he", "she"}):
        return False  # "What matters is I moved"
    subject = at + 1 + (low[at + 1 : at + 2] == ["not"])
    return subject >= b or not _goes_on(w, low[at], subject, b)


def requests(w: Words, a: int, b: int) -> bool:
    """Whether words `a` to `b` ask for something to be told or made, and say nothing."""
    return w.low[a] in v.REQUESTS and _asks_for(w, a, b) and not states(w, a + 1, b)


def _asks_for(w: Words, a: int, b: int) -> bool:
    """Whether the verb at `a` asks, rather than orders or informs."""
    low = w.low
    while a < b and (low[a] in ("please", "kindly", "maybe", "possibly", "you", "u") or low[a] in v.ADVERBS):
        a += 1
    if a >= b:
        return True
    word = low[a]
    after = low[a + 1] if a + 1 < b else ""
    if word not in _ASKING:
        return False
    if word in _FOR_ME and after not in ("me", "us", ""):
        return False
    if word == "let" and not (
        after in ("me", "us") and low[a + 2 : a + 3] in (["know"], ["see"], ["think"], ["check"])
    ):
        return False
    if word == "remind" and a + 2 < b and low[a + 2] not in v.WH_WORDS and low[a + 2] != "of":
        return False
    if word == "remind" and a + 2 < b and low[a + 2] in v.WH_WORDS - {"when"}:
        return True  # "remind me when Ann arrives" orders
    if word in ("create", "generate", *_DOING) and any(w.proper(at) for at in range(a + 1, b)):
        return False
    if word in ("tell", "remind"):
        return True
    asked = False
    for at in range(a + 1, b):
        asked = asked or low[at] in v.WH_WORDS or low[at] == "if"
        if low[at] in v.SPEAKER and not asked:
            return False
    return True
