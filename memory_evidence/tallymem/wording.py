"""The words of questions: forms of verbs, what they stand for, and the words that change nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

WORD = re.compile(r"[A-Za-z_][\w'-]*")


def words(text: str) -> frozenset[str]:
    """Return the words of `text`."""
    return frozenset(text.split())


_IRREGULAR = {
    "went": "go",
    "gone": "go",
    "goes": "go",
    "took": "take",
    "taken": "take",
    "ran": "run",
    "did": "do",
    "done": "do",
    "does": "do",
    "made": "make",
    "wrote": "write",
    "written": "write",
    "read": "read",
    "saw": "see",
    "seen": "see",
    "got": "get",
    "gotten": "get",
    "left": "leave",
    "thought": "think",
    "thoughts": "think",
    "sent": "send",
    "found": "find",
    "put": "put",
    "chose": "choose",
    "slept": "sleep",
    "ate": "eat",
    "drank": "drink",
    "kept": "keep",
    "threw": "throw",
    "thrown": "throw",
    "drove": "drive",
    "shut": "shut",
    "came": "come",
}
PAST = re.compile(
    r"\w+ed\Z|(?:" + "|".join(form for form in _IRREGULAR if not form.endswith("s")) + r")\Z", re.IGNORECASE
)
"""What was done, by its form."""


def lemmas(word: str) -> Iterator[str]:
    """Yield what `word` may be a form of, itself first: "opened" -> opened, open, opene; "stopping" -> stop."""
    word = word.casefold().removesuffix("'s").strip("'-")
    yield word
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
    for suffix in ("ings", "ing", "ed", "es", "s", "d"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 2:
            stem = word[: -len(suffix)]
            yield stem
            if suffix in ("ings", "ing", "ed"):
                yield stem + "e"
                if len(stem) > 2 and stem[-1] == stem[-2]:
                    yield stem[:-1]
    for plural, single in (("ies", "y"), ("ied", "y"), ("ations", "e"), ("ation", "e"), ("ions", "e"), ("ion", "e")):
        if word.endswith(plural):
            yield word.removesuffix(plural) + single
    if word.endswith("ves"):
        yield word[:-3] + "f"


SYNONYMS: dict[str, tuple[str, ...]] = {
    "visit": ("go", "goto", "go_to", "walk", "navigate", "travel", "move"),
    "travel": ("go", "walk", "move"),
    "walk": ("go", "move"),
    "navigate": ("go", "goto", "navigate_to", "browse"),
    "head": ("go", "walk"),
    "arrive": ("go",),
    "go": ("goto", "go_to", "walk", "move", "navigate"),
    "pick": ("take", "pick_up", "pickup", "grab"),
    "grab": ("take", "pick"),
    "collect": ("take", "pick"),
    "take": ("pick", "grab"),
    "place": ("move", "put", "drop"),
    "put": ("move", "place", "drop"),
    "deposit": ("move", "put"),
    "move": ("put", "place"),
    "drop": ("put", "move"),
    "shut": ("close",),
    "inspect": ("examine", "inspect"),
    "toggle": ("use", "toggle"),
    "enter": ("type",),
    "input": ("type",),
    "hit": ("press", "click"),
    "tap": ("click",),
    "look": ("look",),
    "query": ("search",),
    "trip": ("go", "goto", "walk", "travel", "navigate"),
    "navigation": ("go", "goto", "navigate"),
    "reason": ("think",),
}
"""Verbs, and the tools they may name, in order, where the log has no tool of that very name."""

EFFECTS: dict[str, tuple[str, ...]] = {
    "modify": ("create", "edit"),
    "modification": ("create", "edit"),
    "change": ("create", "edit"),
    "alter": ("create", "edit"),
    "update": ("create", "edit"),
    "touch": ("create", "edit"),
    "write": ("create", "edit"),
    "edit": ("edit",),
    "create": ("create",),
    "creation": ("create",),
    "view": ("read",),
    "read": ("read",),
    "inspect": ("read",),
    "open": ("read",),
    "display": ("read",),
    "look": ("read",),
}
"""Verbs, and what they do to a file. No form of "modify", "edit" or "create" ever takes in a read.

They tell what was done: a call that was refused did nothing to its file, and does not count unless the question asks
for attempts, for failures, or for the calls of a command by its name (the paper's way: "with the create command").
"""

FILING = frozenset(EFFECTS) - words("inspect open display look")
"""Those of them that are done to files alone; drawers are opened too."""

PARTICLES = frozenset({"up", "down", "around", "at", "to"})
"""Words that belong to a verb before them and do not change it; "go back" and "turn off" are other acts."""

DIRECTIONS = {
    "up": words("pick grab collect open"),
    "down": words("put place set drop deposit"),
    "around": words("look walk"),
}
"""Particles that say in which direction, and the verbs that say it themselves: "pick up", "put down"."""

LIGHT = words(
    """
    perform do make execute run issue use call invoke carry take occur happen record log attempt try conduct employ
    launch trigger contain include involve receive correspond get come apply
    """
)
"""Verbs that say no more than that something was done, beside a noun or a tool that says what."""

ENDING = frozenset(
    ["finish", "end", "exit", "return", "terminate", "complete", "give", "have", "produce", "yield", "result", "report"]
)
"""Verbs that say no more than an exit code or an outcome beside them."""

EVENTS = words(
    """
    action actions step steps call calls command commands event events operation operations move moves invocation
    invocations execution executions use uses usage usages activity activities attempt attempts turn turns instance
    instances occurrence occurrences interaction interactions time times
    """
)
"""Nouns for a logged event."""

PLACES = words(
    """
    location locations place places receptacle receptacles container containers spot spots destination destinations
    somewhere anywhere
    """
)
THINGS = words(
    """
    object objects item items thing things something anything everything element elements entity entities
    """
)
DIRECTORIES = words("directory directories folder folders")
PAGES = words("page pages url urls website websites site sites")
FILES = words("file files path paths target targets") | DIRECTORIES | PAGES
TOOLS = frozenset(["tool", "tools", "sub-command", "subcommand", "subcommands", "function", "functions"])

IMPERATIVE = re.compile(
    r"\W*(?:please\s+)?(?:(?:can|could)\s+you\s+)?(?:please\s+)?(?:count(?=\s+how\b)|tally(?=\s+how\b)|tell|give|show|report|list|name|identify|find|determine|calculate|compute|provide"
    r"|say|state|enumerate|break\s+down|group)\b(?:\s+me\b)?",
    re.IGNORECASE,
)
"""What a question may begin with, that asks for an answer and says nothing about it."""

NEUTRAL = words(
    """
    a an the that these those its it his her their they he she of in on at to for from by with within during
    over across throughout into onto and or as so far did do does done was were is are be been being has have had
    having agent agents assistant logged overall altogether any some what which when
    where who how many much often time times counted counting
    frequently step steps turn turns there ever until them
    out actually via i we us occasion occasions occurrence occurrences
    instance instances event events itself using whose considering
    """
)
"""Words that change nothing about what is asked, once operation, bounds and filters are taken out; see `fillers`."""

FUNCTION_WORDS = NEUTRAL | words(
    """
    all both each every no none not other more most fewer less least first last before after between up if then this
    here my your you me
    """
)
"""Words of the grammar: a tool of such a name ("The", of a log with prose for an action) is named in quotes alone."""

BETWEEN = words(
    """
    a an the any some each every of and or nor in on at to into from by ever be been being there so far then also all
    actually has have had get got
    """
)
"""Words that may stand between "was" and what was done; any other there is the name of what it was done to."""
