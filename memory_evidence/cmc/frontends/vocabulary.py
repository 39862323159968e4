"""Word lists of the English grammar. Everything is lower case with typewriter apostrophes; `n't` is written "not"."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PUNCTUATION = _words(", ; : ( ) [ ] { } < > = | — – - -- … ! ? , 、 ； ： （ ） ，") | {
    '"',
    "“",
    "”",
    "«",
    "»",
    "`",
    "'",
}
FIRST_PERSON = _words("i")
MY = _words("my our")

# --- what may stand around a statement without changing it -----------------------------------------------------------

ADVERBS = _words(
    "now currently presently also still actually just recently already officially finally really truly totally "
    "absolutely definitely today nowadays always personally simply basically essentially initially lately again "
    "permanently happily proudly eventually newly"
)
"""Skipped between subject, verb and object."""

LEAD_BARE = _words(
    "and but so oh well also actually now today currently recently yesterday anyway btw fyi finally officially yeah "
    "honestly lately nowadays plus yet"
)
"""May open a sentence without a comma."""
LEAD_WORDS = LEAD_BARE | _words(
    "anyways ah um hmm ok okay yes yep yup no nope hey hi hello wow update correction reminder note news sure right "
    "cool great nice thanks additionally furthermore moreover besides basically then haha lol sorry wait good awesome "
    "amazing absolutely definitely totally exactly indeed hooray remember congrats congratulations luckily fortunately "
    "unfortunately sadly happily"
)
"""May open a sentence before a comma or colon."""

LEAD_PHRASES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in ["by the way", "oh and", "as of now", "as of today", "at the moment", "these days", "right now", "good news", "great news", "big news", "for the record", "to be clear", "in fact", "in addition", "on another note", "on a side note", "guess what", "thank you", "thank you so much", "thanks so much", "thanks a lot", "good morning", "good evening", "good afternoon", "good night", "please note", "please note that", "note that", "please remember", "please remember that", "remember that", "keep in mind", "keep in mind that", "just so you know", "just to let you know", "let me introduce myself", "last week", "last month", "last year", "this week", "this month", "this year", "as you know", "of course", "for your information", "sad news", "first of all", "after all", "from now on", "from today", "effective immediately", "to answer your question", "since then"]
)
LEAD_OPEN: tuple[tuple[str, ...], ...] = (("as", "of"), ("speaking", "of"), ("as", "for"), ("effective",))
"""Open a sentence together with whatever follows up to a comma, at most `LEAD_OPEN_WORDS` words away."""
LEAD_OPEN_WORDS = 6

GREETINGS = LEAD_WORDS | _words(
    "bye goodbye goodnight morning evening afternoon thank you you're welcome there all everyone everybody please "
    "see ya later soon take care sounds sound that's looks like a lot so much very really for your help "
    "perfect excellent fantastic wonderful lovely interesting fun incredible neat sweet helpful it's is that it "
    "are talk to cheers problem worries appreciate glad happy back again fine alright true agreed do would same here too"
)
"""A sentence of nothing but these says nothing to remember."""

TAIL_WORDS = _words(
    "now currently presently today again already too instead though actually nowadays recently btw lately officially "
    "permanently finally anyway here yesterday still full-time fulltime originally haha lol yay also"
)
TAIL_PHRASES: tuple[tuple[str, ...], ...] = tuple(
    tuple(phrase.split())
    for phrase in ["right now", "these days", "by the way", "as well", "at the moment", "for now", "full time", "last week", "last month", "last year", "last night", "this week", "this month", "this year", "this morning", "any more", "any longer", "as of now", "as of today", "at present", "a while ago", "not long ago", "the other day", "for good", "for sure", "at last", "in the end", "once again", "a lot", "very much", "so much", "the most", "of course", "after all", "no doubt", "earlier today", "earlier this week", "earlier this year", "earlier this month"]
)
"""End a statement without being part of its object."""

CUTS = _words(
    "because which who whom whose where since so although though while whereas but and with without for in at on "
    "near by from after before as until till thanks instead rather despite besides including through via into "
    "over under within alongside due along per throughout"
)
"""An object ends before these; what they begin hangs on the statement and is not read."""

CONTRAST = _words("not instead rather")

CONJUNCTIONS = _words("and but plus so yet")

# --- what makes a statement no statement ------------------------------------------------------------------------------

UNCERTAIN = _words(
    "if unless whether would could might suppose supposed supposing assume assumes assuming assumed imagine pretend "
    "pretending hypothetically theoretically think thinks thought guess guesses guessed believe believes believed "
    "suspect suspects suspected doubt doubts doubted wonder wonders wondering wondered hope hopes hoped hoping wish "
    "wishes wished dream dreams dreamed dreamt dreaming say says said saying claim claims claimed claiming reportedly "
    "reported mentioned heard hear hears told tells rumor rumors rumour rumours apparently allegedly supposedly maybe "
    "perhaps possibly probably likely unlikely presumably seemingly seems seem seemed appears appeared according "
    "unsure joke joking kidding lie lied lying false untrue myth fake wrong mistaken incorrect forget forgot insist "
    "insists insisted argue argues argued swear swears deny denies denied except unlike should ought otherwise lest "
    "conceivably sort kinda sorta almost nearly hardly barely rarely seldom never ever arguably "
    "whenever sometimes occasionally predict predicts predicted expect expects expected fear fears feared read reads "
    "writes noted notes stated states suggest suggests suggested announced announces learned found bet figure reckon "
    "supposedly purportedly speculate speculates rumored rumoured once formerly previously temporarily briefly "
    "until till"
)
"""Anywhere before or inside a statement, or right behind it: the statement is not read."""

DOUBT = _words("wrong sure certain mistaken kidding joking lying unsure true")
"""In a following "but ..." these take the statement back."""

JOKES = _words("kidding joking jk")
"""Take back everything that the record says."""

FRAMES = _words(
    "imagine pretend suppose hypothetical hypothetically fiction fictional fictitious roleplay role-play translate "
    "rewrite rephrase paraphrase summarize summarise proofread e.g e.g. persona riddle"
)
"""What follows is not said about the world: from here on the record is not read."""
FRAME_NOUNS = _words(
    "story stories novel script screenplay dialogue essay poem lyrics character characters protagonist quote quotes "
    "example examples scenario puzzle template transcript excerpt paragraph passage sentence text email letter book "
    "movie film game bio article code joke dream"
)
FRAME_OPENERS = _words(
    "write draft continue tell create compose generate here here's consider take fix check edit correct improve finish "
    "complete for in"
)
"""With one of the nouns behind them, within a few words of the beginning, they do the same."""
FRAME_REACH = 6

HYPOTHESES = _words("if suppose supposing imagine pretend assuming assume what-if hypothetically wish say") | {"let's"}
"""Open a supposition, which asserts nothing."""

QUESTION_OPENERS = _words(
    "do does did is are am was were can could would will should shall may might must have has had what who whom whose "
    "where when why how which any wanna isn't aren't don't doesn't"
)
REQUESTS = _words(
    "tell give show help explain recommend suggest describe list compare please let send find write generate create "
    "remind"
)

# --- what cannot be a subject or object -------------------------------------------------------------------------------

PRONOUNS = _words(
    "i me you he she it they we us him her them this that these those there here who whom whose what which someone "
    "somebody something anyone anybody anything everyone everybody everything nobody none nothing one ones each "
    "everywhere somewhere nowhere another other others both either neither mine yours hers theirs ours myself yourself "
    "himself herself itself themselves ourselves i'm it's he's she's they're we're you're y'all ya u im people folks"
)
POSSESSIVES = _words("your his her its their my our whose thy ur")
NOT_IN_NAMES = (
    PRONOUNS
    | POSSESSIVES
    | QUESTION_OPENERS
    | UNCERTAIN
    | _words(
        "be been being because not no some all most many much every few several more less than then when while where "
        "why how as like to be going gonna want wants wanted need needs plan plans planned planning try tries tried "
        "trying get gets got getting go goes went come comes came make makes made take takes took know knows knew "
        "see saw seen use uses used let lets keep keeps kept feel feels felt look looks looked ask asks asked call "
        "calls called tell give gives gave show shows put puts so or but though although since after before during "
        "without yes okay ok maybe please too very quite even only also just still never always often usually "
        "last next today tomorrow yesterday now currently later soon lives live works work moved moves left joined "
        "given provided however therefore meanwhile instead despite unless once whether about"
    )
)
"""Words that show that what should be a name is a clause."""
NAMEABLE = _words("will may mark hope grace joy art")
"""Also names when written with a capital."""

CONNECTORS = _words(
    "of the de la le les du des da do dos di del della van von der den ter el al bin ibn y e et & à und zu af av og"
)
"""Lower-case words inside names, between capitalised ones."""

PARTITIVES = _words(
    "best worst rest end part most one all some kind sort type lot number thing way bottom top middle half bunch pair "
    "beginning start first last only same idea point problem issue question answer fact truth reason result matter "
    "case rule purpose love life light king queen heart soul center face power art joy fear sense amount couple hope "
    "future past present key majority few many any none each highlight beauty cost importance need use thought "
    "feeling moment day night time times side edge reality meaning concept story sound look smell taste height sum "
    "total victim product thanks speaking favorite bulk least lack mix combination biggest largest smallest greatest "
    "highest oldest longest youngest"
)
"""Heads of "the ... of ..." that name no relation."""

NOT_ROLES = _words(
    "question guess point idea opinion mistake fault bad turn pleasure concern understanding problem issue thought "
    "thoughts feeling feelings hope wish fear suspicion answer advice suggestion response recommendation take view "
    "favorite part bit aspect one everything world rock love heart life escape outlet therapy passion inspiration motivation joy way "
    "thing things stuff day week weekend month year morning evening night moment time own mind bet pick choice "
    "impression theory worry assumption intention excuse reason regret belief claim argument theme"
)
"""Heads of "my ..." and "X's ..." that name no relation."""

NOT_VALUES = _words(
    "so very really too not going gonna getting about because how what when where why who being pretty quite better "
    "worse good great bad awesome amazing important just like always never there here done ready fine okay ok nice "
    "cool fun hard easy difficult busy full empty open closed gone dead alive sick ill tired happy sad excited glad "
    "sure able unable due late early such all only kind sort some more less most much many my our your his her its "
    "their this that these those it he she they we you i one someone something anything nothing everything no none "
    "to still also even already coming out up down over back off away on in at for from with by of if as well super "
    "extremely incredibly fairly rather way somewhat slightly simply huge big small new old wonderful lovely perfect "
    "excellent terrible horrible beautiful gorgeous cute sweet adorable delicious fantastic incredible interesting "
    "boring fascinating stressful rough tough crazy insane wild weird strange funny hilarious special unique similar "
    "different same important essential crucial vital key critical necessary possible impossible likely unlikely true "
    "false right wrong correct incorrect clear unclear obvious simple complex complicated expensive cheap affordable soon near nearly ahead behind close today's "
    "unknown undecided uncertain tbd tba pending messy clean dirty broken ruined safe fast slow high low long short "
    "strong weak limited quick both either neither another other two-fold everywhere a-mazing the-best flexible tight"
)
"""First words of what says how something is rather than what it is."""

# --- nouns ------------------------------------------------------------------------------------------------------------

KIN = _words(
    "wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend mother mom mum father dad parent "
    "stepmother stepfather grandmother grandfather grandma grandpa sister brother sibling son daughter child kid baby "
    "uncle aunt cousin nephew niece friend roommate flatmate housemate neighbor neighbour bestie twin mother-in-law "
    "father-in-law sister-in-law brother-in-law godmother godfather ex ancestor heir"
)
SELF_KIN = _words("mom mum dad mother father grandma grandpa mommy daddy granny")
"""Said without "my", these are the speaker's."""
ROLES = _words(
    "manager boss supervisor ceo cto cfo coo cio cmo cpo vp president vice-president chairman chairwoman chairperson "
    "chair director lead leader head founder cofounder co-founder owner co-owner captain coach mentor mentee teacher "
    "tutor professor advisor adviser therapist doctor dentist physician surgeon vet lawyer attorney accountant "
    "agent editor publisher producer author writer composer creator inventor developer designer architect engineer "
    "assistant secretary treasurer colleague coworker co-worker teammate employer employee landlord landlady tenant "
    "client customer student principal dean mayor governor king queen emperor pope prince princess minister chancellor "
    "ambassador senator commander chief officer chairperson host hostess trainer instructor barber hairdresser nanny "
    "babysitter contractor maintainer admin administrator successor predecessor deputy organizer coordinator rector "
    "bandmate guitarist drummer singer vocalist bassist conductor goalkeeper striker quarterback broadcaster "
    "representative spokesperson contact reviewer sponsor patron headmaster pastor rabbi priest imam"
)
PLACES_OF = _words(
    "capital headquarters birthplace hometown home-town hometown city country state neighborhood neighbourhood school "
    "university college employer company workplace language currency religion continent origin homeland district "
    "province region county department division venue airport hospital clinic church gym bank"
)
PETS = _words("dog cat puppy kitten pet parrot hamster bird horse rabbit turtle goldfish fish pup bunny lizard snake")
ATTRIBUTES = _words(
    "name nickname surname username handle color colour address email e-mail number job occupation profession "
    "role title position age birthday birthdate anniversary goal budget level size status salary income rent wage "
    "password passcode pin code nationality ethnicity hobby hobbies record score weight height preference schedule "
    "deadline date language zip postcode license plate type blood diet allergy speed distance duration price cost "
    "rate fee balance limit quota target version temperature time frequency streak rank ranking rating grade gpa "
    "major minor degree field specialty specialization industry department genre ratio password seat gate room floor "
    "timezone currency pronouns gender religion sign mileage capacity location residence hometown model brand "
    "species breed motto slogan id total count average best-time pb portfolio stack os browser shift allowance "
    "commute target retirement theme url website domain extension channel"
)
STATUSES = _words("status state condition stage phase")
ADJECTIVAL_KIN_ENDINGS = ("ian", "ish", "ese")
DEMONYMS = _words(
    "american canadian mexican british english scottish welsh irish french german dutch belgian swiss austrian italian "
    "spanish portuguese greek turkish russian ukrainian polish czech slovak hungarian romanian bulgarian serbian "
    "croatian danish swedish norwegian finnish icelandic estonian latvian lithuanian chinese japanese korean thai "
    "vietnamese filipino filipina indonesian malaysian indian pakistani bangladeshi nepali iranian persian iraqi "
    "israeli egyptian moroccan nigerian kenyan ethiopian ghanaian african asian european australian brazilian "
    "argentinian chilean colombian peruvian venezuelan cuban latino latina hispanic jewish muslim christian catholic "
    "protestant hindu buddhist sikh atheist agnostic mormon republican democrat democratic taurus aries leo virgo"
)
THINGS = _words(
    "meeting office party event conference class workshop appointment interview shop store restaurant warehouse lab "
    "laboratory clinic headquarters team company department server ceremony wedding exam test lecture seminar rehearsal "
    "concert game match race session flight call demo review standup stand-up sync launch release deadline training "
    "practice dinner lunch breakfast brunch reunion retreat trip tour delivery shipment package kickoff webinar room "
    "desk booth hq branch plant factory studio hotel venue data database repo repository project study museum "
    "presentation hearing trial surgery checkup check-up hackathon festival fair exhibition exhibit program course"
)
OCCUPATIONS = _words(
    "accountant actor actress analyst architect artist astronaut attorney author baker banker barber barista bartender "
    "biologist builder butcher carpenter cashier chef chemist clerk coach consultant contractor cook counselor "
    "dancer dentist designer developer dietitian director doctor driver economist editor electrician engineer "
    "entrepreneur farmer firefighter fisherman freelancer gardener geologist guard guide hairdresser historian "
    "illustrator intern interpreter janitor journalist judge lawyer lecturer librarian lifeguard machinist manager "
    "mathematician mechanic midwife model musician nanny nurse nutritionist optician painter paralegal paramedic "
    "pediatrician pharmacist photographer physicist physiotherapist pilot plumber poet policeman politician postdoc "
    "potter priest producer professor programmer psychiatrist psychologist realtor receptionist reporter researcher "
    "sailor salesman salesperson saleswoman scientist sculptor secretary singer soldier statistician surgeon surveyor "
    "tailor teacher technician therapist trainer translator tutor undertaker veterinarian vet waiter waitress welder "
    "writer youtuber zoologist"
)
NOT_OCCUPIED = _words(
    "former ex- ex retired aspiring future good great bad terrible better big real true born natural failed would-be "
    "wannabe fake part-time excellent amazing wonderful busy lousy awful horrible proud former late dead potential "
    "possible budding trained certified licensed secret armchair fictional brilliant talented decent huge"
)
PREDICATES: dict[str, str] = {
    "vegan": "diet",
    "vegetarian": "diet",
    "pescatarian": "diet",
    "unemployed": "works at",
    "self-employed": "works at",
}
"""Adjectives that are the value of a relation when they stand alone."""
MEMBERSHIPS = _words(
    "group club team choir band gym church league channel server community party association union society committee "
    "board orchestra troupe squad brigade network forum guild fraternity sorority program chapter crew alliance"
)
NOT_PLACES = _words(
    "fear harmony peace silence poverty luxury denial exile hiding sin hope pain town suburbia downtown uptown dorms "
    "dorm apartment flat house country city countryside suburbs pairs shifts comfort isolation misery squalor style "
    "solitude person tents cars caves mind color colour love darkness fullness retirement residence interesting home "
    "night nights heights speed times school height sea dawn noon least all first once random full part peace ease "
    "tears sales marketing management abroad overseas house out away on up down next"
)

TIME_WORDS = _words(
    "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays "
    "sundays mon tue tues wed thu thur thurs fri sat sun january february march april may june july august september "
    "october november december jan feb mar apr jun jul aug sep sept oct nov dec tomorrow tonight noon midnight next "
    "q1 q2 q3 q4 morning afternoon evening spring summer autumn fall winter christmas easter thanksgiving"
)
TIME_UNITS = _words("am pm a.m p.m o'clock th st nd rd utc gmt cet est pst hours h")
AGO_UNITS = _words("day days week weeks month months year years hour hours minute minutes")
NUMBERS = _words("a an one two three four five six seven eight nine ten eleven twelve few couple several")
FRESH = _words("new current latest present actual newest updated newly-appointed")
"""Dropped from the front of a relation: the new boss is the boss."""

# --- derived and small sets -------------------------------------------------------------------------------------------

TAILS = frozenset(TAIL_PHRASES) | {(word,) for word in TAIL_WORDS}
THE = _words("the")
ARTICLES = _words("the a an")
ROLE_PREPOSITIONS = _words("of with for to at in on")
ALSO_NOUNS = _words("last live call work next show look use read")
"""In `NOT_IN_NAMES`, but ordinary inside a role: "work email", "next appointment"."""
NAME_OPENERS = _words("de la le les du da von van el al bin ibn del di der den")
INNER_WORDS = _words("in at on with to a an by from into and for")
"""Lower case inside a title: "Gone with the Wind"."""
SUFFIXES = _words("inc inc. ltd ltd. llc llc. corp corp. co co. jr jr. sr sr. plc gmbh")
INSTITUTIONS = _words("university institute center centre museum school college department ministry society foundation")
UNITS = _words("room floor building suite desk level block apartment unit gate hall terminal bay wing zone studio bldg")
CENTURIES = ("15", "16", "17", "18", "19", "20")
TIME_NAMES = _words("may march sun sat mon wed spring fall summer autumn winter")
"""Other words, too, unless written with a capital."""
TIME_ENDINGS = ("am", "pm", "a.m", "p.m", "th", "st", "nd", "rd", "h")
WHEN_WORDS = _words("at on in of the this early late mid around about")
WHEN_NOUNS = _words("week month year end today")
CLAUSAL = _words(
    "because which who whom where since so but although though while whereas when if instead thanks that whose unless "
    "until till even after before"
)
"""Begin another clause."""
PERSONS = KIN | OCCUPATIONS | _words("man woman guy girl boy person lady gentleman kid couple people crowd fellow dude")
NOT_JOBS = _words("team group part whole unit bridge placeholder charm reminder substitute way tool hub family model")
LONG_AGO = _words(
    "when during college childhood kid child young teenager teens twenties thirties originally back decades centuries "
    "century ago"
)
PLACES_CHANGE = _words("works") | {"located in", "works at", "works as", "married to", "dating"}
"""Of these a year says that there may have been another since."""
LIMITS = _words("whenever during weekends weekdays summers winters occasionally part-time halftime like than or nor")
VERB_SIGNS = _words("lives works moved likes loves joined left speaks has was reports plays owns studies prefers hates")
NOT_QUITE = _words("only just yet necessarily always exactly quite that even merely simply so really entirely")
"""Behind "not" they deny something else than the statement."""
MANY = _words(
    "friend friends colleague colleagues coworker coworkers teammate client clients customer customers student students "
    "cousin uncle aunt neighbor neighbour kid child ex employee"
)
"""One has several: "my friend" today may be another than yesterday's."""
LEADS_BY_WORD: dict[str, tuple[tuple[str, ...], ...]] = {
    first: tuple(sorted((p for p in LEAD_PHRASES if p[0] == first), key=len, reverse=True))
    for first in {phrase[0] for phrase in LEAD_PHRASES}
}
DATES = _words("birthday anniversary birthdate deadline date")
WH_WORDS = _words("what who whom whose where when why how which whether")
AUXILIARIES = _words("do does did is are am was were can could will would should shall may might must have has had")
RECALL = _words("mistaken remember recall memory correctly")
PLACED = _words("address location residence hometown birthplace school college university venue headquarters")
"""Their values go on behind a comma: "7 Elm St., Oslo"."""
CONTENTS = _words(
    "class test exam course lecture seminar project database repo repository data study program presentation call demo "
    "review workshop session webinar training practice"
)
"""Things that are "in" a language as well as in a place."""
TOOLS = _words(
    "python java javascript typescript rust go linux windows mac macos ios android slack teams zoom discord kubernetes "
    "docker aws azure gcp github gitlab bitbucket postgres postgresql mysql mongodb redis notion jira trello chrome "
    "firefox react vue django flask spanish english excel gmail outlook signal telegram whatsapp spotify netflix"
)
"""Capitalised, but no places."""
INVERTIBLE = _words("name nickname surname username handle address email number password hometown passion hobby")
PREPOSITIONS = _words(
    "by in at on from for to with without under over into like unlike per via besides given provided despite until "
    "till as of after before during since once"
)
RELATED = KIN | ROLES | PETS
