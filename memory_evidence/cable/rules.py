"""The verifier without a model: accepts few pairs, each for a reason that can be read off the two texts (ours).

What was said just before is linked if the later text begins with a word of consequence ("So", "That's why"), has a
pronoun that nothing in its own sentence explains, or names the same thing; between two speakers also if it answers or
replies. What lies further back needs two content words in common and a cue of time or cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from memory_evidence.cable.filter import content_words, spoken, statements
from memory_evidence.cable.host import Memory
from memory_evidence.cable.words import TIME_WORDS, stem, words

__all__ = ["SITTING", "follows_on", "looks_back", "one_sitting"]

SITTING = timedelta(hours=12)
"""What was written longer before was not said just before, whatever stands between."""
LEAST_SHARED = 2
"""Content words that a memory must share with one that was not written just before."""

_SHOWN = 4
_SENTENCE = re.compile(r"[^.!?]+[.!?]*")
_TIME = rf"(?:{'|'.join(sorted(TIME_WORDS))})\b"
# "So excited!", "So what", "So anyway" and "So I have this colleague" conclude nothing; neither do titles.
_NO_CLAUSE = (
    r"(?!\s+(?:that(?!\s+(?:was|is))|far|much|many|long|good|to|what|anyway|anyways|basically|yeah|yes|well|um|uh|hey|here"
    r"|excited|glad|happy|sad|sorry|proud|grateful|thankful|tired|nervous|angry|relieved|lucky|cool|nice|great|cute|funny"
    r"|sweet|beautiful|true|right|the\s+question|(?:i|we)(?:\s+have|\s+had|\s+know|\s+met|['’]ve\s+got)\s+this"
    r"|there(?:['’]s|\s+(?:is|was))\s+this)\b)"
)
_NO_WORD = r"(?!\s+(?:spoke|is|was|means|meant)\b)"
_CONSEQUENCE = re.compile(
    rf"\W*(?:and\s+)?((?:so{_NO_CLAUSE}(?=\W+\w)|(?:therefore|thus|hence|consequently|accordingly){_NO_WORD}(?=\W+\w)"
    r"|(?:that|this)(?:['’]s|\s+is|\s+was)\s+(?:the\s+reason|why)|which\s+is\s+why|for\s+(?:that|this)\s+reason"
    rf"|(?:because\s+of|as\s+a\s+result\s+of|thanks\s+to|due\s+to|owing\s+to|after)\s+(?:that|this)(?!\s+{_TIME})"
    r"|as\s+a\s+(?:result|consequence)(?!\s+of)))\b",
    re.IGNORECASE,
)
_REPLY = re.compile(
    r"\W*(yes|yeah|yep|yup|no|nope|nah|sure|absolutely|definitely|exactly|totally|of course|right|true|agreed|i agree"
    r"|thanks|thank you|thx|aw+|wow|cool|nice|great|awesome|ok|okay|oh|hmm|haha|glad|sorry|congrats|same|me too|really"
    r"|sounds|well|and|but|so|because|also|then|actually)\b",
    re.IGNORECASE,
)
_VERB = (
    r"(?:['’](?:s|ll|d)|\s+(?:is|was|are|were|isn['’]t|wasn['’]t|has|had|have|will|would|can|could|might|may|must|does"
    r"|did|doesn['’]t|didn['’]t|made|makes|means|meant|helps|helped|led|leads|caused|causes|took|takes|cost|costs|gave"
    r"|gives|got|gets|kept|keeps|left|brought|felt|feels|hurt|hurts|changed|changes|saved|ended|happened|explains"
    r"|explained|started|worked|works|went|goes|came|comes))\b"
)
_NUMBER = (
    r"(?:\d|(?:first|second|third|\w+th|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|(?:twen|thir|for|fif|six|seven|eigh"
    r"|nine)ty)\b)"
)
# "It" of the weather, of the time and before a clause stands for nothing that was said.
_EMPTY_IT = re.compile(
    r"it(?:['’]s|['’]ll\s+be|\s+(?:is|was|will\s+be|ha[sd]\s+been|gets?|got|takes?|took|feels?|felt|seems?|seemed"
    r"|turn(?:s|ed)\s+out))(?:\s+(?:a|an|the|very|so|too|quite|really"
    r"|already|almost))*"
    rf"(?:\s+\w+)?\s+(?:{_TIME}|rain\w*|snow\w*|cold|hot|warm|windy|sunny|cloudy|dark|late|early|easy|hard|nice|to\b"
    r"|that\b|if\b|when\b|like\b|o['’]clock|turn\b)"
    rf"|it(?:['’]s|\s+(?:is|was|gets?|got))\s+(?:\w+\s+)?{_NUMBER}"
    r"|it\s+(?:rain|snow|hail|freez|froze|storm)\w*|it\s+\w+\s+(?:that|this|the\s+same)\s+way\b",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"\W*(?:(?:and|but|then|now)\s+)?(?:((?:that|this|these|those){_VERB})|(it(?:['’](?:s|ll|d))?|he|she|they|its|his"
    r"|her|their)(?!\s+(?:say|says|said|who|that)\b)\b)",
    re.IGNORECASE,
)
# A verb of the speaker or of one person stands before the pronoun, and no other noun that the pronoun could mean.
_OBJECT = re.compile(
    r"\W*(?:I|[Ww]e|(?:[Mm]y|[Oo]ur)\s+\w+|[A-Z]\w+)(?:['’]\w+)?\s+(?!(?:\S+\s+)?made\s+it\b)"
    # An atomic group, so that a word is read in one way only: a row of adverbs would take exponential time.
    r"(?>(?:have|had|has|will|would|can|could|did|do|just|also|never|always|still|soon|then|don['’]t|didn['’]t|can['’]t"
    r"|\w+ly)\s+){0,4}\w+(?:\s+(?:about|for|with|of|at|to|from|on|by))?\s+"
    r"(it|them|him|her|this|that|these|those)"
    r"(?=\W*$|\s*[,;:]|\s+(?:in|on|at|to|for|with|from|last|yesterday|today|again|very|so|now|because|and|but|after"
    r"|before|too|all|away|back|up|down|every|off|out|by|myself|ourselves|when|while|since|until)\b)"
)
_WHEN = r"(?:in|on|at|since|for|after|before|during|last|this|next|one)"
# What stands in front of the subject: a time, an article.
_AHEAD = re.compile(
    rf"\W*(?:(?:yesterday|today|tonight|now|then|later|recently|lately|{_WHEN}\s+(?:[\w'’-]+\s+){{0,2}}?(?:{_TIME}|\d+))"
    r"(?:\s+in\s+\w+)?\s*,?\s+)?(?:(?:the|an?|my|our|his|her|their|your)\s+)?",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?:the|an?|my|our|his|her|its|their|your|this|that|these|those|no|some)\s+([\w'’-]+)(?:\s+([\w'’-]+))?",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z]\w+")
_CUE = re.compile(
    r"\b(?:because|since|so that|that'?s why|thanks to|due to|after|before|led|inspired|motivated|made me|helped"
    r"|decided|finally|again|still|remember|reminds?|ago|last|yesterday)\b",
    re.IGNORECASE,
)


def one_sitting(memory: Memory, earlier: Memory) -> bool:
    """Whether `earlier` may have been said just before `memory`: True where their times cannot be compared."""
    try:
        gap = datetime.fromisoformat(memory.time or "") - datetime.fromisoformat(earlier.time or "")
    except (ValueError, TypeError):  # not written so, or one with a time zone and one without
        return True
    return abs(gap) <= SITTING


def follows_on(memory: Memory, previous: Memory, recent: Sequence[Memory] = ()) -> str | None:
    """Return why `previous`, which was written just before `memory`, is its background, or None.

    Args:
        memory: The later memory.
        previous: The earlier one.
        recent: All that was written just before `memory`, `previous` among it, the nearest last; empty: `previous`
            alone. Of these a word of consequence means the nearest that names a thing which `memory` names as well, or
            else the nearest; a pronoun and a single thing outside of a dialogue mean the nearest.
    """
    if not one_sitting(memory, previous):
        return None
    (who, said), (asker, asked) = spoken(memory.text), spoken(previous.text)
    is_dialogue = bool(who and asker)
    is_nearest = not recent or recent[-1].id == previous.id
    when = "just before" if is_nearest else "shortly before"
    if is_dialogue and who != asker and "?" in "".join(_SENTENCE.findall(asked)[-2:]):
        return f"Answers what {asker} had just asked."
    if match := _CONSEQUENCE.match(said):
        meant = next(
            (other for other in reversed(recent) if _things(memory, other)), recent[-1] if recent else previous
        )
        if meant.id == previous.id:
            return f'Said {when}; the later begins "{_quoted(match[1])}".'
    shared = _shared(memory, previous) if is_dialogue else _things(memory, previous)
    if shared and (is_dialogue or is_nearest or len(shared) >= LEAST_SHARED):
        return f"Said {when}, also about {', '.join(shared[:_SHOWN])}."
    if is_dialogue and who != asker and (match := _REPLY.match(said)):
        return f'Said {when}; the reply begins with "{_quoted(match[1])}".'
    if (is_dialogue or is_nearest) and (word := _pointer(said)):
        return f'Said {when}; "{word}" in the later one can mean something in it.'
    return None


def looks_back(memory: Memory, candidate: Memory) -> str | None:
    """Return why `candidate`, which lies further back, is an antecedent of `memory`, or None: in doubt it is none."""
    shared = _shared(memory, candidate)
    cue = _CUE.search(" ".join(statements(memory.text)))
    if len(shared) < LEAST_SHARED or cue is None:
        return None
    return f'Also about {", ".join(shared[:_SHOWN])}, on which the later one looks back ("{cue[0].lower()}").'


def _pointer(said: str) -> str | None:
    """Return the pronoun in the first sentence of `said` that stands for nothing in that sentence, or None."""
    sentence = next(iter(_SENTENCE.findall(said)), "")
    if match := _OPENING.match(sentence):
        found = match[1] or match[2]
        is_empty = found.lower().startswith("it") and _EMPTY_IT.match(sentence, match.start(2))
        return None if is_empty else _quoted(re.split(r"['’\s]", found)[0])
    match = _OBJECT.match(sentence)
    return _quoted(match[1]) if match else None


def _stems(text: str) -> Iterator[str]:
    return map(stem, words(text))


def _quoted(words: str) -> str:
    plain = " ".join(words.replace("’", "'").split())
    return plain[:1].upper() + plain[1:]


def _shared(memory: Memory, other: Memory) -> list[str]:
    """Return the content words of `memory` that `other` holds as well, whatever their ending, without speakers."""
    held = {stem(word) for word in content_words(spoken(other.text)[1])}
    found = content_words(spoken(memory.text)[1])
    return [word for word in dict.fromkeys(found) if word not in TIME_WORDS and stem(word) in held]


def _things(memory: Memory, other: Memory) -> list[str]:
    """Return the shared words that are a thing or a name in either text, and not the subject of both.

    Whom everything is about ("The user ...", "Yesterday Emma ...") connects nothing.
    """
    texts = [spoken(m.text)[1] for m in (memory, other)]
    named = [word for text in texts for found in _THING.findall(text) for word in found]
    named += [name for text in texts for name in _NAME.findall(text)]
    stems = set(_stems(" ".join(named)))
    first = {next(iter(_stems(_AHEAD.sub("", text, count=1))), "") for text in texts}
    return [
        word for word in _shared(memory, other) if stem(word) in stems and not (len(first) == 1 and stem(word) in first)
    ]
