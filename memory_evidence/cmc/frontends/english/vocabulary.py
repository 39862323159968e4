"""Function words of the English grammar: what may stand around a statement, and what makes it none.

Everything is lower case with typewriter apostrophes; "n't" is written "not".
"""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.sentences import word_set


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split("|"))


PUNCTUATION: Final = word_set(", ; : ( ) [ ] { } < > = | – … ! ?") | frozenset("\"“”«»`'")
ARTICLES: Final = word_set("the a an")
THE: Final = word_set("the")
MY: Final = word_set("my our")
SPEAKER: Final = word_set("i my our")
"""Open a statement of the speaker's own."""
CONJUNCTIONS: Final = word_set("and but plus so yet")
CONTRAST: Final = word_set("not instead rather")
AUXILIARIES: Final = word_set(
    "do does did is are am was were can could will would should shall may might must have has had"
)
WH_WORDS: Final = word_set("what who whom whose where when why how which whether")
PREPOSITIONS: Final = word_set(
    "by in at on from for to with without under over into like unlike per via besides given provided despite until "
    "till as of after before during since once"
)
"""As first word of a sentence these open an adverbial, or the title of a work."""
VERB_SIGNS: Final = word_set(
    "lives works moved likes loves joined left speaks has was reports plays owns studies prefers hates"
)
"""Verbs that show a clause behind a name."""

# --- what may stand around a statement without changing it ------------------------------------------------------------

ADVERBS: Final = word_set(
    "now currently presently also still actually just recently already officially finally really truly totally "
    "absolutely definitely today nowadays always personally simply basically essentially lately again permanently "
    "happily proudly newly"
)
"""Skipped between subject, verb and object."""
LEAD_BARE: Final = word_set(
    "and but so oh well also actually now today currently recently yesterday anyway btw fyi finally officially yeah "
    "honestly lately nowadays plus yet"
)
"""May open a sentence without a comma."""
LEAD_WORDS: Final = LEAD_BARE | word_set(
    "anyways ah um hmm ok okay yes yep yup no nope hey hi hello wow update correction reminder note notes facts "
    "news sure right cool great nice thanks additionally furthermore moreover besides basically then haha lol sorry "
    "wait good awesome amazing absolutely definitely totally exactly indeed hooray remember congrats "
    "congratulations luckily fortunately unfortunately sadly happily"
)
"""May open a sentence before a comma or colon."""
LEAD_PHRASES: Final = _phrases(
    "by the way|oh and|as of now|as of today|at the moment|these days|right now|good news|great news|big news|sad news|"
    "for the record|to be clear|in fact|in addition|on another note|on a side note|guess what|thank you|"
    "thank you so much|thanks so much|thanks a lot|good morning|good evening|good afternoon|good night|please note|"
    "please note that|note that|please remember|please remember that|remember that|keep in mind|keep in mind that|"
    "just so you know|just to let you know|let me introduce myself|last week|last month|last year|this week|this month|"
    "this year|as you know|of course|for your information|first of all|after all|from now on|from today|"
    "effective immediately|to answer your question|since then"
)
LEADS_BY_WORD: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    first: tuple(sorted((phrase for phrase in LEAD_PHRASES if phrase[0] == first), key=len, reverse=True))
    for first in {phrase[0] for phrase in LEAD_PHRASES}
}
LEAD_OPEN: Final = _phrases("as of|speaking of|as for|effective")
"""Open a sentence together with whatever follows up to a comma, at most `LEAD_OPEN_WORDS` words away."""
LEAD_OPEN_WORDS: Final = 6
DATING: Final = frozenset((("as", "of"), ("effective",)))
"""Of these, those that say since when."""
GREETINGS: Final = LEAD_WORDS | word_set(
    "bye goodbye goodnight morning evening afternoon thank you you're welcome there all everyone everybody please "
    "see ya later soon take care sounds sound that's looks like a lot so much very really for your help perfect "
    "excellent fantastic wonderful lovely interesting fun incredible neat sweet helpful it's is that it are talk to "
    "cheers problem worries appreciate glad happy back again fine alright true agreed do would same here too"
)
"""A sentence of nothing but these says nothing to remember."""
TAIL_WORDS: Final = word_set(
    "now currently presently today again already too instead though actually nowadays recently btw lately "
    "officially permanently finally anyway here yesterday still full-time fulltime originally haha lol yay also"
)
TAIL_PHRASES: Final = _phrases(
    "right now|these days|by the way|as well|at the moment|for now|full time|last week|last month|last year|last night|"
    "this week|this month|this year|this morning|any more|any longer|as of now|as of today|at present|a while ago|"
    "not long ago|the other day|for good|for sure|at last|in the end|once again|a lot|very much|so much|the most|"
    "of course|after all|no doubt|earlier today|earlier this week|earlier this year|earlier this month"
)
TAILS: Final = frozenset(TAIL_PHRASES) | {(word,) for word in TAIL_WORDS}
"""End a statement without being part of its object."""
CUTS: Final = word_set(
    "because which who whom whose where since so although though while whereas but and with without for in at on "
    "near by from after before as until till thanks instead rather despite besides including through via into over "
    "under within alongside due along per throughout"
)
"""An object ends before these; what they begin hangs on the statement and is not read."""
QUALIFYING: Final = word_set("for as on in at from under per by through within before after till to during")
"""Behind a state these may say that it holds in part, for a time or not yet: "for now", "on paper", "from May on"."""
STARTING: Final = word_set("starting beginning effective")
"""Begin the point in time from which a statement will hold."""
PASSING: Final = _phrases(
    "for now|this week|this month|this year|this morning|last week|last month|last year|last night|earlier today|"
    "earlier this week|earlier this year|earlier this month"
)
"""An event may be told with these; a state that is holds for that time only."""
PLACEHOLDERS: Final = word_set(
    "tbd tba tbc n/a na none nobody vacant unknown unassigned undecided undetermined unclear unspecified pending "
    "same empty missing anonymous absent null nil"
)
"""Stand where a value should and say that there is none."""
CLAUSAL: Final = word_set(
    "because which who whom where since so but although though while whereas when if instead thanks that whose "
    "unless until till even after before"
)
"""Begin another clause."""
ENDED: Final = word_set("anymore any")
"""Begin "any more" and "any longer"."""

# --- what makes a statement none --------------------------------------------------------------------------------------

SPEECH: Final = word_set(
    "think thinks thought guess guesses guessed believe believes believed assume assumes assumed suspects suspected "
    "doubts doubted wonders wondered say says said saying claim claims claimed claiming reported mentioned heard "
    "hear hears told tells insist insists insisted argues argued swears denies denied predicts predicted expects "
    "expected suggests suggested announced announces learned according apparently allegedly supposedly reportedly"
)
UNCERTAIN: Final = SPEECH | word_set(
    "if unless whether would could might may suppose supposed supposing assuming imagine pretend pretending "
    "hypothetically theoretically suspect doubt wonder wondering hope hopes hoped hoping wish wishes wished dream "
    "dreams dreamed dreamt dreaming rumor rumors rumour rumours rumored rumoured maybe perhaps possibly probably "
    "likely unlikely presumably seemingly seems seem seemed appears appeared unsure joke joking kidding lie lied "
    "lying false untrue myth fake wrong mistaken incorrect forget forgot argue swear deny except unlike should "
    "ought otherwise lest conceivably sort kinda sorta almost nearly hardly barely rarely seldom never ever "
    "arguably whenever sometimes occasionally predict expect fear fears feared read reads writes noted notes stated "
    "states suggest found bet figure reckon purportedly speculate speculates once formerly previously temporarily "
    "briefly until till"
)
"""Anywhere before or inside a statement, or right behind it: the statement is not read."""
DOUBT: Final = word_set("wrong sure certain mistaken kidding joking lying unsure true")
"""In a following "but ..." these take the statement back."""
JOKES: Final = word_set("kidding joking jk")
"""Take back all that the record said before."""
DENIALS: Final = word_set("false untrue wrong incorrect lie outdated obsolete joke")
"""Behind "that is", "this is", "it is" they do the same."""
FRAMES: Final = word_set(
    "imagine pretend suppose hypothetical hypothetically fiction fictional fictitious roleplay role-play translate "
    "rewrite rephrase paraphrase summarize summarise proofread e.g e.g. persona riddle"
)
"""What follows is not said about the world: from here on the record is not read."""
FRAME_NOUNS: Final = word_set(
    "story stories novel script screenplay dialogue essay poem lyrics character characters protagonist quote quotes "
    "example examples scenario puzzle template transcript excerpt paragraph passage sentence text email letter book "
    "movie film game bio article code joke dream"
)
FRAME_OPENERS: Final = word_set(
    "write draft continue tell create compose generate here consider take fix check edit correct improve finish "
    "complete for in"
)
"""With one of the nouns behind them, at the beginning of a sentence, they do the same."""
NOTABLE: Final = UNCERTAIN | JOKES | DENIALS | FRAMES | FRAME_NOUNS | word_set("true")
"""Without any of these a sentence is neither doubtful nor framed, and takes nothing back."""
HYPOTHESES: Final = word_set("if suppose supposing imagine pretend assuming assume what-if hypothetically wish say let")
"""Open a supposition, which asserts nothing."""
RECALL: Final = word_set("mistaken remember recall memory correctly")
"""With these "if ..." supposes nothing."""
QUESTION_OPENERS: Final = AUXILIARIES | WH_WORDS | word_set("any anything wanna")
REQUESTS: Final = word_set(
    "tell give show help explain recommend suggest describe list compare please let send find write generate create "
    "remind"
)
SILENT_OPENERS: Final = GREETINGS | HYPOTHESES | QUESTION_OPENERS | REQUESTS | word_set("i")
"""A sentence that asserts nothing opens with one of these."""
NOT_QUITE: Final = word_set("only just yet necessarily always exactly quite that even merely simply so really entirely")
"""Behind "not" they deny something else than the statement."""
LONG_AGO: Final = word_set(
    "when during college childhood kid child young teenager teens twenties thirties originally back decades "
    "centuries century ago"
)
"""An event told with these may be outdated."""
LIMITS: Final = word_set(
    "whenever during weekends weekdays summers winters occasionally part-time halftime like than or nor"
)
"""A state told with these does not hold all the time, or is compared."""

# --- what cannot be a subject or object -------------------------------------------------------------------------------

PRONOUNS: Final = word_set(
    "i me you he she it they we us him her them this that these those there here who whom whose what which someone "
    "somebody something anyone anybody anything everyone everybody everything nobody none nothing one ones each "
    "everywhere somewhere nowhere another other others both either neither mine yours hers theirs ours myself "
    "yourself himself herself itself themselves ourselves y'all ya u im people folks"
)
POSSESSIVES: Final = word_set("your his her its their my our whose thy ur")
NOT_IN_NAMES: Final = (
    PRONOUNS
    | POSSESSIVES
    | QUESTION_OPENERS
    | UNCERTAIN
    | word_set(
        "be been being because not no some all most many much every few several more less than then while as like "
        "to going gonna want wants wanted need needs plan plans planned planning try tries tried trying get gets "
        "got getting go goes went come comes came make makes made take takes took know knows knew see saw seen use "
        "uses used let lets keep keeps kept feel feels felt look looks looked ask asks asked call calls called tell "
        "give gives gave show shows put puts so or but though although since after before during without yes okay "
        "ok please too very quite even only also just still always often usually last next today tomorrow yesterday "
        "now currently later soon lives live works work moved moves left joined given provided however therefore "
        "meanwhile instead despite about"
    )
)
"""Words that show that what should be a name is a clause."""
ALSO_NOUNS: Final = word_set("last live call work next show look use read")
"""In `NOT_IN_NAMES`, but ordinary inside a role: "work email", "next appointment"."""
NAMEABLE: Final = word_set("will may mark hope grace joy art")
"""Also names when written with a capital."""
CONNECTORS: Final = word_set(
    "of the de la le les du des da do dos di del della van von der den ter el al bin ibn y e et & à und zu af av og"
)
"""Lower-case words inside names, between capitalised ones."""
NAME_OPENERS: Final = word_set("de la le les du da von van el al bin ibn del di der den")
INNER_WORDS: Final = word_set("in at on with to a an by from into and for")
"""Lower case inside a title: "Gone with the Wind"."""
SUFFIXES: Final = word_set("inc inc. ltd ltd. llc llc. corp corp. co co. jr jr. sr sr. plc gmbh")
"""Belong to the name before the comma."""
ROLE_PREPOSITIONS: Final = word_set("of with for to at in on")
FRESH: Final = word_set("new current latest present actual newest updated newly-appointed")
"""Dropped from the front of a role: the new boss is the boss."""
NOT_VALUES: Final = word_set(
    "so very really too not going gonna getting about because how what when where why who being pretty quite better "
    "worse good great bad awesome amazing important just like always never there here done ready fine okay ok nice "
    "cool fun hard easy difficult busy full empty open closed gone dead alive sick ill tired happy sad excited glad "
    "sure able unable due late early such all only kind sort some more less most much many my our your his her its "
    "their this that these those it he she they we you i one someone something anything nothing everything no none "
    "to still also even already coming out up down over back off away on in at for from with by of if as well super "
    "extremely incredibly fairly rather way somewhat slightly simply huge big small new old wonderful lovely "
    "perfect excellent terrible horrible beautiful gorgeous cute sweet adorable delicious fantastic incredible "
    "interesting boring fascinating stressful rough tough crazy insane wild weird strange funny hilarious special "
    "unique similar different same essential crucial vital key critical necessary possible impossible likely "
    "unlikely true false right wrong correct incorrect clear unclear obvious simple complex complicated expensive "
    "cheap affordable soon near nearly ahead behind close unknown undecided uncertain tbd tba pending messy clean "
    "dirty broken ruined safe fast slow high low long short strong weak limited quick both either neither another "
    "other everywhere flexible tight public private"
)
"""First words of what says how something is rather than what it is."""

# --- points in time ---------------------------------------------------------------------------------------------------

TIME_WORDS: Final = word_set(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays "
    "saturdays sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july "
    "august september october november december jan feb mar apr jun jul aug sep sept oct nov dec tomorrow tonight "
    "noon midnight next q1 q2 q3 q4 morning afternoon evening spring summer autumn fall winter christmas easter "
    "thanksgiving halloween hanukkah ramadan diwali eid passover"
)
MONTHS: Final = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun jul "
    "aug sep sept oct nov dec"
)
TIME_NAMES: Final = word_set("may march sun sat mon wed spring fall")
"""Other words, too, unless written with a capital."""
TIME_UNITS: Final = word_set("am pm a.m p.m o'clock th st nd rd utc gmt cet est pst hours h")
TIME_ENDINGS: Final = ("am", "pm", "a.m", "p.m", "th", "st", "nd", "rd", "h")
TIME_OPENERS: Final = word_set("the this early late mid around about end")
WHEN_WORDS: Final = word_set("at on in of the this early late mid around about")
WHEN_NOUNS: Final = word_set("week month year end today")
CENTURIES: Final = ("15", "16", "17", "18", "19", "20")
AGO_UNITS: Final = word_set("day days week weeks month months year years hour hours minute minutes")
NUMBERS: Final = word_set("a an one two three four five six seven eight nine ten eleven twelve few couple several")
