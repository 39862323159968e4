"""Patterns for what a question may name: quoted names, exit codes, outcomes, exclusions, enumerations."""

from __future__ import annotations

import re

from memory_evidence.tallymem.bounds import NUMBERS
from memory_evidence.tallymem.rows import Outcome
from memory_evidence.tallymem.wording import EVENTS, FILES, PLACES, THINGS, TOOLS, words

QUOTED = re.compile(r"(?<![\w'])(['\"`])(?=\S)(.+?)(?<=\S)\1(?!\w)")
TOKEN = re.compile(r"[^\s,;?!()\"`]+")
SIGNED = re.compile(r"(?<![\w./])[\w/~-]*\w[./:][\w./:-]*\w")
"""A path, or a name with a dot in it."""
ZERO = r"(?:0|zero)\b"
EXIT = re.compile(
    r"\b(?:(?:that|which)\s+)?(?:(?:fail(?:ed|s)?|exit(?:ed|s)?|finish(?:ed)?|end(?:ed)?|completed?|return(?:ed)?"
    r"|terminated?|with|had|ha(?:s|ve)|gave|the|an?)\s+)*"
    r"(?:"
    r"(?:(?P<non>non[- ]?zero|failing)\s+)?(?:exit|return)[- ]?(?:status(?:\s+codes?)?"
    r"|codes?)(?:\s+of\s+(?:an?\s+|the\s+)?(?:bash|shell)\s+commands?)?"
    r"(?:\s+(?:was|is|were|that\s+(?:was|is)|of|equal\s+to|equals|=|being))*"
    rf"(?:\s+(?P<other>(?:other\s+than|not(?:\s+equal\s+to)?|different\s+(?:from|than)|above|greater\s+than"
    rf"|!=)\s+{ZERO}|non[- ]?zero\b)"
    r"|\s+(?P<code>-?\d+|zero)(?![\w.]))?"
    r"|exit(?:ed|s|ing)?\s+(?:with\s+)?(?:an?\s+)?(?:(?P<non2>non[- ]?zero)(?:\s+(?:status(?:es)?|codes?))?"
    r"|(?:status(?:\s+code)?|code)\s+(?P<code2>-?\d+|zero)(?![\w.]))"
    r")(?=\W|$)",
    re.IGNORECASE,
)
OUTCOMES: tuple[tuple[re.Pattern[str], Outcome], ...] = (
    (
        re.compile(
            r"\b(?:(?:had|have|with)\s+)?no\s+effect\b|\bnothing\s+happen(?:ed|s)?\b|\b(?:did|do|does)\s+nothing\b",
            re.I,
        ),
        Outcome.NO_EFFECT,
    ),
    (
        re.compile(
            r"\b(?:that\s+)?(?:(?:did|do|does)(?:\s+not|n't)\s+succeed|(?:was|were|got|been)\s+(?:rejected|refused)"
            r"|refused|rejected|fail(?:ed|s|ures?|ing)?(?:\s+with\s+(?:an\s+)?errors?)?|unsuccessful(?:ly)?|errored"
            r"|(?:return|rais|giv|gave|produc|end)(?:e|ed|s|es|ing)?\s+(?:(?:in|with)\s+)?(?:an\s+)?errors?)\b",
            re.IGNORECASE,
        ),
        Outcome.FAILURE,
    ),
    (re.compile(r"\b(?:that\s+)?(?:succeed(?:ed|s)?|success(?:es|ful|fully)?)\b", re.I), Outcome.SUCCESS),
)
OUTCOME_NOUN = re.compile(r"\b(?:failures|successes|errors)\Z", re.IGNORECASE)
EXCLUDING = re.compile(
    r"\(*\s*\b(?:excluding|except(?:ing)?(?:\s+for)?|not\s+counting|without\s+counting|ignoring"
    r"|leaving\s+out|other\s+than|apart\s+from|besides)\b\s*"
    r"(?:(?:those|the\s+ones?)\s+(?=of\b|to\b|on\b|in\b))?"
    r"(?P<what>[^()?;]*?)\s*(?:\)+|$|\?|(?=\s+and\s+(?:how|at|in|which|what)\b)|(?=,)"
    r"|(?=\s+(?:was|were|is|are|been|did|does|do|has|have|had|that|which|got)\b))",
    re.IGNORECASE,
)
SHELL = re.compile(
    r"\b(?:bash|shell|terminal|command[- ]line)(?:\s+(?:commands?(?:'s?)?|calls?|tool|scripts?|executions?))?\b", re.I
)
MOVED_TO = re.compile(
    r"(?<!was )(?<!were )(?<!been )(?<!being )\b(?:mov(?:e|es|ed|ing)\s+(?:to|into|towards?|between)|been\s+to)\b", re.I
)
SWITCHED = re.compile(r"\b(?:turn|switch)(?:s|es|ed|ing)?\s+(?P<way>on|off)\b", re.IGNORECASE)
NUMBERED = re.compile(r"\b([A-Za-z][A-Za-z-]*)\s+(\d+)\b")
TOOL_CALLS = re.compile(r"\btool(?=[ -](?:calls?|uses?|usages?|invocations?|actions?)\b)", re.IGNORECASE)
NUMBER_WORD = re.compile(rf"\b([A-Za-z]+)\s+({'|'.join(word for word in NUMBERS if ' ' not in word)})\b", re.IGNORECASE)
PATH = re.compile(r"(?:[~/]|\w+/)[\w./@+-]*\w|[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5}")
JOIN = re.compile(
    r"\s*(?:tools?|commands?|actions?|calls?|to|of|on)?\s*(?:,\s*(?:and|or)?|and/or|\b(?:and|or|nor)\b|/)\s*(?:(?:the"
    r"|an?|to|its)\s+)*\Z",
    re.IGNORECASE,
)
OR = re.compile(r"\bor\b", re.IGNORECASE)
AND = re.compile(r"\band\b(?!/)", re.IGNORECASE)
EXPLICIT = re.compile(
    r"\s*['\"`]?\s+(?:sub-?)?(?:actions?|commands?|calls?|operations?|tools?|events?|steps?)\b", re.IGNORECASE
)
ROLE = re.compile(
    r"\b(?:button|link|textbox|searchbox|checkbox|combobox|option|element|menuitem|tab|field)\s+(?=\[\d)", re.IGNORECASE
)
"""What kind of element a number in brackets is; the number alone names it."""
NAME = re.compile(r"\b(?!(?:or|and)\b)[A-Za-z_][\w-]*")
# "the create, str_replace or insert command": words before such a noun are names, not verbs.
ENUMERATION = re.compile(
    r"\b[A-Za-z_][\w-]*(?:(?:\s*,\s*(?:(?:or|and)\s+)?|\s+(?:or"
    r"|and)\s+)[A-Za-z_][\w-]*)+(?=\s+(?:sub-?)?(?:commands?|actions?|calls?|operations?|tools?)\b)",
    re.IGNORECASE,
)
NOUNS = PLACES | THINGS | FILES | TOOLS
DETERMINED = re.compile(
    r"\b(?:an?|the|any|each|every|which|what|some|all|many|different|distinct|unique|separate|visited|this"
    r"|that|of|first|last|other|same)[ -]+\Z",
    re.IGNORECASE,
)
RUN_AFTER = re.compile(
    r"\s+(?:(?:was|were|is|are|has|had|have|been|got|ever|being|first|last|also|\w+ly)\s+)*(?:run|executed|invoked|called|used)\b"
    r"|\s+(?:runs?|executions?|invocations?|calls?)\b"
    r"|\s+(?:(?:ever|first|last|also|\w+ly)\s+)*(?:fail(?:ed|s)?|succeed(?:ed|s)?|exit(?:ed|s)?|finish(?:ed)?|ended|return(?:ed)?)\b",
    re.IGNORECASE,
)
CALLED_AFTER = re.compile(
    r"\s+(?:(?:was|were|is|are|has|had|have|been|got|ever|being|first|last|also|\w+ly)\s+)*(?:executed|invoked|called|used)\b"
    r"|\s+(?:executions?|invocations?|calls?|usages?|uses)\b",
    re.IGNORECASE,
)
CALLED_BEFORE = re.compile(
    r"\b(?:(?:execut|invok)(?:e|es|ed|ing)|call(?:s|ed|ing)?|us(?:e|es|ed|ing)"
    r"|(?:executions?|invocations?|calls?|usages?|uses?)\s+(?:of|to))\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
"""Around the name of a tool: no effect of that name, and no verb."""
RUN_BEFORE = re.compile(
    r"\b(?:run|ran|runs|running|execut(?:e|es|ed|ing)|invok(?:e|es|ed|ing)|call(?:s|ed|ing)?|us(?:e|es|ed|ing))\s+\Z",
    re.I,
)
CAPITAL = re.compile(r"\b[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*")
EVENT_NOUNS = EVENTS - words("time times occurrence occurrences instance instances step steps turn turns use uses")
STEPS_TAKEN = re.compile(r"\b(?:how\s+many|number\s+of)\s+(?:steps|turns)\s+(?:did|has|have|were|was)\b", re.IGNORECASE)
WITH_PARTICLE = re.compile(
    r"\b(?:(?!carr|(?:was|were|is|are|been|the)\b)\w+ out\b(?!\s+of\b|[./-]\w)"
    r"|(?:take|took|taken|taking|takes)\s+time\b"
    r"|(?:run|runs|ran|running|turn(?:s|ed|ing)?|step(?:s|ped|ping)?|tak(?:e|es|en|ing)|took|com(?:e|es|ing)|came"
    r"|get|gets|got|mak(?:e|es|ing)|made|call(?:s|ed|ing)?|mov(?:e|es|ed|ing)|us(?:e|es|ed|ing)|giv(?:e|es|en|ing)"
    r"|gave|end(?:s|ed|ing)?|tim(?:e|es|ed|ing)|do|does|did|done)\s+(?:up|over|through|off|across|by|in|into)"
    r"(?= ?[?.,;!]|\Z))",
    re.IGNORECASE,
)
"""A verb that would say nothing more, with a particle that makes another of it: "time out", "took over"."""
BEING = frozenset(["was", "were", "is", "are", "been", "being"])
STATE = re.compile(
    r"\b(?:is|are|was|were|been|be)\s+(?:[\w-]+\s+){0,3}open\b"
    r"(?!['\"]?(?:\s+(?:actions?|commands?|calls?|steps?|events?|and|or|used|called|invoked|performed|executed|issued|run"
    r"|done|taken|logged|recorded|tried|attempted)\b|,))"
    r"|\b(?:is|are)\s+(?:currently\s+|still\s+|now\s+)?(?:opened|closed|shut|locked)\b",
    re.IGNORECASE,
)
"""What something is like, which is not what was done to it; "is closed" is either."""
ATTRIBUTE = re.compile(
    r"\b(?:how\s+many|number\s+of|count(?:\s+of)?|list|which|what|the|all|any)\s+(?P<what>[a-z]+)\s+(?P<noun>[a-z]+)\b",
    re.IGNORECASE,
)
"""What a thing is like, said in front of it: "how many closed drawers"."""
STATES = words("open closed shut locked unlocked empty clean dirty hot cold")
EXISTING = re.compile(r"\b(?:is|are|was|were)\s+there\b|\b(?:exist|remain)s?\b", re.IGNORECASE)
ASKED_OF_EVENTS = re.compile(r"\b(?:times?|often|frequently|steps?|turns?|when)\b", re.IGNORECASE)
CLAUSE = frozenset(["did", "does", "do", "that", "which", "when", "where", "how"])
PARTICIPLE = re.compile(
    r"\w+ed\Z|(?:run|read|put|shut|made|done|gone|shown|thrown|sent|kept|left|written|taken|found|given|driven|chosen"
    r"|eaten|hidden|seen)\Z",
    re.IGNORECASE,
)
ADVERB = re.compile(r"\w+ly\Z")
ACTED_ON = re.compile(
    r"\b(actions?|steps?|turns?|calls?|commands?|operations?|events?|moves?|activit(?:y|ies)|attempts?|instances?"
    r"|occasions?|occurrences?|interactions?|invocations?|executions?|uses|usages?|logs|records|issues|reports)\s+(?:(?:have|has|had|did)\s+)?"
    r"(?:(?:was|were|is|are|been|being|got|get|gets|ever|also)\s+)+\Z",
    re.IGNORECASE,
)
"""Before a participle: a logged event is nothing that can be opened or edited."""
DOES = re.compile(r"\b(?:actions|steps|turns)\s+(?:(?:that|which|have|had)\s+)*\Z", re.IGNORECASE)
"""Before a verb that a logged event does."""
ON_WHAT = re.compile(r"\b(?:to|of|on|in|for|with|at|from|into|by|about) (?:(?:the|an?|any|its) )?\Z", re.IGNORECASE)
PART_OF = re.compile(r"\b(?:how\s+many|which|number|count)\s+of\s+(?:the|its|those)\s+\Z", re.IGNORECASE)
ENDS = re.compile(r"\s*(?:[?.,;!]|\Z)|\s{2,}")
ACTIVE = re.compile(
    r"\b(?:agent|assistant|bot|model|player|it|they|we|i)\s+(?:(?:has|have|had|also|ever)\s+)*\Z", re.IGNORECASE
)
"""Before a verb that something does: what follows the verb is what it is done to."""
BEFORE_OBJECT = re.compile(r"\s*(?:(?:to|at|up|on|in|into|of)\s+)?(?:(?:the|an?|any)\s+)?\Z", re.IGNORECASE)
COUNTED = re.compile(r"\b(?:how\s+many|number\s+of|count\s+of|which|what)\s+(?:\w+ed\s+)?\Z", re.IGNORECASE)
ATTEMPT = re.compile(
    r"\b(?:attempt(?:s|ed|ing)?|tr(?:y|ies|ied|ying))\b"
    r"|\b(?:edit|write|modification|change)\s+(?:calls?|commands?)\b",
    re.IGNORECASE,
)
INDEFINITE = re.compile(
    r"\b(?:an?|any|some|each|every|which|what|many|of|no|another|other|different|distinct|unique)\s+\Z", re.I
)
NAMED_BEFORE = re.compile(r"\b(?:was|is)\s+(?:the\s+)?\Z", re.IGNORECASE)
"""Before a plural that is no plural: "was cents edited"."""
INSIDE = re.compile(
    r"\b(?:in|under|below|inside|within)\s+(?:the\s+)?(?:(?:directory|folder|dir)\s+)?(?P<path>[~/][\w./@+-]*\w/?)"
    r"(?:\s+(?:directory|folder|dir)\b)?(?![\w./-])",
    re.IGNORECASE,
)
LANGUAGE = re.compile(r"(?P<what>(?:(?<=\s)\*?\.|\b)[A-Za-z]\w*)(?=\s+files?\b)")
DEFINITE = re.compile(
    r"\b(?:the|this|that)\s+(?P<noun>[a-z]+[a-rt-z])\b(?!\s+(?:that|which|where|with)\b)", re.IGNORECASE
)
"""One thing, told apart from its kind by "the" alone."""
NUMBERED_AFTER = re.compile(r"\s+\d")
