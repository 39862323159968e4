"""Nouns of the English grammar: who and what can have a value, and which words only look as if they could."""

from __future__ import annotations

from typing import Final

from memory_evidence.cmc.frontends.sentences import word_set

# --- roles: "my ... is Ann" -------------------------------------------------------------------------------------------

KIN: Final = word_set(
    "wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend mother mom mum father dad "
    "parent stepmother stepfather grandmother grandfather grandma grandpa sister brother sibling son daughter child "
    "kid baby uncle aunt cousin nephew niece friend roommate flatmate housemate neighbor neighbour bestie twin "
    "mother-in-law father-in-law sister-in-law brother-in-law godmother godfather ex ancestor heir"
)
SELF_KIN: Final = word_set("mom mum dad mother father grandma grandpa mommy daddy granny")
"""Said without "my", these are the speaker's."""
ROLES: Final = word_set(
    "manager boss supervisor ceo cto cfo coo cio cmo cpo vp president vice-president chairman chairwoman "
    "chairperson chair director lead leader head founder cofounder co-founder owner co-owner captain coach mentor "
    "mentee teacher tutor professor advisor adviser therapist doctor dentist physician surgeon vet lawyer attorney "
    "accountant agent editor publisher producer author writer composer creator inventor developer designer "
    "architect engineer assistant secretary treasurer colleague coworker co-worker teammate employer employee "
    "landlord landlady tenant client customer student principal dean mayor governor king queen emperor pope prince "
    "princess minister chancellor ambassador senator commander chief officer host hostess trainer instructor barber "
    "hairdresser nanny babysitter contractor maintainer admin administrator successor predecessor deputy organizer "
    "coordinator rector bandmate guitarist drummer singer vocalist bassist conductor goalkeeper striker quarterback "
    "broadcaster representative spokesperson contact reviewer sponsor patron headmaster pastor rabbi priest imam"
)
PETS: Final = word_set(
    "dog cat puppy kitten pet parrot hamster bird horse rabbit turtle goldfish fish pup bunny lizard snake"
)
PLACES_OF: Final = word_set(
    "capital headquarters birthplace hometown home-town city country state neighborhood neighbourhood school "
    "university college employer company workplace language currency religion continent origin homeland district "
    "province region county department division venue airport hospital clinic church gym bank"
)
RELATED: Final = KIN | ROLES | PETS
AGED: Final = RELATED - PLACES_OF
"""Who has one of these roles is no number: "my wife is 30" tells an age."""
MANY: Final = word_set(
    "friend friends colleague colleagues coworker coworkers teammate client clients customer customers student "
    "students cousin uncle aunt neighbor neighbour kid child ex employee"
)
"""One has several: "my friend" today may be another than yesterday's."""
NOT_ROLES: Final = word_set(
    "question guess point idea opinion mistake fault bad turn pleasure concern understanding problem issue thought "
    "thoughts feeling feelings hope wish fear suspicion answer advice suggestion response recommendation take view "
    "favorite part bit aspect one everything world rock love heart life escape outlet therapy passion inspiration "
    "motivation joy way thing things stuff day week weekend month year morning evening night moment time own mind "
    "bet pick choice impression theory worry assumption intention excuse reason regret belief claim argument theme"
)
"""Heads of "my ..." and "X's ..." that name no relation."""
PARTITIVES: Final = word_set(
    "best worst rest end part most one all some kind sort type lot number thing way bottom top middle half bunch "
    "pair beginning start first last only same idea point problem issue question answer fact truth reason result "
    "matter case rule purpose love life light heart soul center face power art joy fear sense amount couple hope "
    "future past present key majority few many any none each highlight beauty cost importance need use thought "
    "feeling moment day night time times side edge reality meaning concept story sound look smell taste height sum "
    "total victim product thanks speaking favorite bulk least lack mix combination biggest largest smallest "
    "greatest highest oldest longest youngest"
)
"""Heads of "the ... of ..." that name no relation."""

# --- attributes: "my ... is blue" -------------------------------------------------------------------------------------

ATTRIBUTES: Final = word_set(
    "name nickname surname username handle color colour address email e-mail number job occupation profession role "
    "title position age birthday birthdate anniversary goal budget level size status salary income rent wage "
    "password passcode pin code nationality ethnicity hobby hobbies record score weight height preference schedule "
    "deadline date language zip postcode license plate type blood diet allergy speed distance duration price cost "
    "rate fee balance limit quota target version temperature time frequency streak rank ranking rating grade gpa "
    "major minor degree field specialty specialization industry department genre ratio seat gate room floor "
    "timezone currency pronouns gender religion sign mileage capacity location residence hometown model brand "
    "species breed motto slogan id total count average pb portfolio stack os browser shift allowance commute "
    "retirement theme url website domain extension channel"
)
NAMES: Final = word_set("name nickname surname username")
STATUSES: Final = word_set("status state condition stage phase hobby hobbies")
"""Their values may be participles: "my status is retired", "my hobby is hiking"."""
DATES: Final = word_set("birthday anniversary birthdate deadline date")
YEARLY: Final = word_set("birthday anniversary birthdate")
PLACED: Final = word_set("address location residence hometown birthplace school college university venue headquarters")
"""Their values go on behind a comma: "7 Elm St., Oslo"."""
INVERTIBLE: Final = word_set("name nickname surname username handle address email number password hometown hobby")
"""Attributes of which one says "Y is my ..."."""
DEMONYMS: Final = word_set(
    "american canadian mexican british english scottish welsh irish french german dutch belgian swiss austrian "
    "italian spanish portuguese greek turkish russian ukrainian polish czech slovak hungarian romanian bulgarian "
    "serbian croatian danish swedish norwegian finnish icelandic estonian latvian lithuanian chinese japanese "
    "korean thai vietnamese filipino filipina indonesian malaysian indian pakistani bangladeshi nepali iranian "
    "persian iraqi israeli egyptian moroccan nigerian kenyan ethiopian ghanaian african asian european australian "
    "brazilian argentinian chilean colombian peruvian venezuelan cuban latino latina hispanic jewish muslim "
    "christian catholic protestant hindu buddhist sikh atheist agnostic mormon republican democrat democratic "
    "taurus aries leo virgo libra scorpio sagittarius capricorn aquarius pisces"
)
"""Capitalised, but no names."""
NUMERALS: Final = word_set(
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty "
    "ninety hundred"
)
OPEN_VALUES: Final = word_set(
    "goal hobby hobbies motto slogan job occupation profession role title position status state condition schedule "
    "preference preferences diet field specialty specialization industry major minor degree model theme plan policy"
)
"""Attributes whose values may go on with "in ..." and "of ..."."""
PREDICATES: Final[dict[str, str]] = {
    "vegan": "diet",
    "vegetarian": "diet",
    "pescatarian": "diet",
    "unemployed": "works at",
    "self-employed": "works at",
}
"""Adjectives that are the value of a relation when they stand alone."""

# --- things, places, jobs ---------------------------------------------------------------------------------------------

THINGS: Final = word_set(
    "meeting office party event conference class workshop appointment interview shop store restaurant warehouse lab "
    "laboratory clinic headquarters team company department server ceremony wedding exam test lecture seminar "
    "rehearsal concert game match race session flight call demo review standup stand-up sync launch release "
    "deadline training practice dinner lunch breakfast brunch reunion retreat trip tour delivery shipment package "
    "kickoff webinar room desk booth hq branch plant factory studio hotel venue data database repo repository "
    "project study museum presentation hearing trial surgery checkup check-up hackathon festival fair exhibition "
    "exhibit program course"
)
"""Can be in a place or at a time; of persons "is in" says too little."""
CONTENTS: Final = word_set(
    "class test exam course lecture seminar project database repo repository data study program presentation call "
    "demo review workshop session webinar training practice"
)
"""Things that are "in" a language as well as in a place."""
SHARES: Final = word_set("stake share third quarter fraction percentage piece copy interest minority majority")
"""Who owns one of these owns a part."""
TITLED: Final = word_set(
    "project team service product company firm startup group squad division department programme program campaign "
    "operation mission ship app application package module cluster server repo repository database system"
)
"""Lower-case words before a name, which they belong to: "project Heron", "team Blue"."""
UNITS: Final = word_set(
    "room floor building suite desk level block apartment unit gate hall terminal bay wing zone studio bldg"
)
"""Places by number: "Room B", "floor 3"."""
SETTLEMENTS: Final = word_set("city town village country state continent region province district county")
"""Of "the city of Rome" only Rome counts."""
TOOLS: Final = word_set(
    "python java javascript typescript rust go linux windows mac macos ios android slack teams zoom discord "
    "kubernetes docker aws azure gcp github gitlab bitbucket postgres postgresql mysql mongodb redis notion jira "
    "trello chrome firefox react vue django flask spanish english excel gmail outlook signal telegram whatsapp "
    "spotify netflix figma powerpoint photoshop canva miro asana confluence salesforce hubspot sap vim emacs vscode "
    "google microsoft amazon openai claude chatgpt gemini copilot dropbox snowflake databricks bigquery terminal "
    "pycharm instagram facebook twitter tiktok youtube linkedin reddit tinder bumble duolingo bluesky mastodon twitch "
    "minecraft roblox fortnite php perl swift kotlin scala haskell java cobol"
)
"""One moves to them and lives in them, but they are no places."""
GROUPS: Final = word_set(
    "team teams squad tribe crew guild sales marketing engineering product products platform platforms support hr "
    "finance accounting accounts design ops operations legal infrastructure infra analytics devops qa management "
    "procurement logistics recruiting recruitment compliance payroll communications comms pr growth partnerships "
    "department division group committee board staff pod phase stage beta alpha production staging tier plan remote "
    "chapter day step round class episode section slide "
    "decaf keto veganism vegan vegetarian premium pro basic enterprise"
)
"""Names with one of these are of teams, departments and products, and persons who move there need not move house."""
EMPLOYERS: Final = word_set(
    "inc inc. corp corp. corporation ltd ltd. limited gmbh llc plc ag company co co. labs laboratories laboratory "
    "bank university institute hospital college ministry agency technologies systems software consulting partners "
    "ventures studios industries airlines airways motors pharmaceuticals pharma holdings incorporated enterprises "
    "clinic newspaper"
)
"""Words that show that a name is one of an employer."""
VISITING: Final = word_set(
    "client customer student tenant host hostess sponsor patron captain coach contact friend guest representative "
    "mentor mentee"
)
"""Who joins as one of these need not be employed there."""
NOT_PLACES: Final = word_set(
    "fear harmony peace silence poverty luxury denial exile hiding sin hope pain town suburbia downtown uptown "
    "dorms dorm apartment flat house country city countryside suburbs pairs shifts comfort isolation misery squalor "
    "style solitude person tents cars caves mind color colour love darkness fullness retirement residence "
    "interesting home night nights heights speed times school height sea dawn noon least all first once random full "
    "part ease tears sales marketing management abroad overseas out away on up down next"
)
"""Lower-case words behind "in", "at" and "to" that name no place and no employer."""
INSTITUTIONS: Final = word_set(
    "university institute center centre museum school college department ministry society foundation"
)
"""Their names go on behind "at" and "for": "Institute for Advanced Study"."""
MEMBERSHIPS: Final = word_set(
    "group club team choir band gym church league channel server community party association union society "
    "committee board orchestra troupe squad brigade network forum guild fraternity sorority program chapter crew "
    "alliance"
)
"""Who joins them is a member, not employed there."""
PLAYED: Final = word_set(
    "guitar piano violin viola cello bass drums flute clarinet saxophone trumpet trombone harp ukulele banjo "
    "accordion keyboard organ harmonica oboe chess tennis soccer football basketball baseball softball golf "
    "volleyball hockey badminton rugby cricket squash poker bridge checkers go lacrosse pickleball"
)
OCCUPATIONS: Final = word_set(
    "accountant actor actress analyst architect artist astronaut attorney author baker banker barber barista "
    "bartender biologist builder butcher carpenter cashier chef chemist clerk coach consultant contractor cook "
    "counselor dancer dentist designer developer dietitian director doctor driver economist editor electrician "
    "engineer entrepreneur farmer firefighter fisherman freelancer gardener geologist guard guide hairdresser "
    "historian illustrator intern interpreter janitor journalist judge lawyer lecturer librarian lifeguard "
    "machinist manager mathematician mechanic midwife model musician nanny nurse nutritionist optician painter "
    "paralegal paramedic pediatrician pharmacist photographer physicist physiotherapist pilot plumber poet "
    "policeman politician postdoc potter priest producer professor programmer psychiatrist psychologist realtor "
    "receptionist reporter researcher sailor salesman salesperson saleswoman scientist sculptor secretary singer "
    "soldier statistician surgeon surveyor tailor teacher technician therapist trainer translator tutor undertaker "
    "veterinarian vet waiter waitress welder writer youtuber zoologist"
)
NOT_OCCUPIED: Final = word_set(
    "former ex- ex retired aspiring future good great bad terrible better big real true born natural failed "
    "would-be wannabe fake part-time excellent amazing wonderful busy lousy awful horrible proud late dead "
    "potential possible budding trained certified licensed secret armchair fictional brilliant talented decent huge"
)
"""A "former teacher" is none, and a "good doctor" may not be asked."""
NOT_JOBS: Final = word_set(
    "team group part whole unit bridge placeholder charm reminder substitute way tool hub family model"
)
"""What one also works as."""
PERSONS: Final = (
    KIN | OCCUPATIONS | word_set("man woman guy girl boy person lady gentleman kid couple people crowd fellow dude")
)
