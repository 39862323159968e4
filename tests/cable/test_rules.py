"""Which pairs the rules accept without a model, and for what reason."""

from __future__ import annotations

import pytest

from memory_evidence.cable.host import Memory
from memory_evidence.cable.rules import follows_on, looks_back
from tests.cable.hosts import numbered

CONNECTED = [
    ("The car failed its inspection.", "Therefore we take the train.", '"Therefore"'),
    ("The damp walls are to blame.", "So we tore out the old carpet.", '"So"'),
    ("I was promoted last week.", "Because of that I can't cook at the shelter on Thursdays.", '"Because of that"'),
    ("We have to be out by June.", "That's why we are looking at houses.", '"That\'s why"'),
    ("The mill closed.", "As a result, Jo moved to Ghent.", '"As a result"'),
    ("The boiler broke twice.", "Consequently we bought a stove.", '"Consequently"'),
    ("Nadia knows the director.", "Thanks to that I got an interview.", '"Thanks to that"'),
    ("A wave took our tent.", "After that we slept in the van.", '"After that"'),
    ("Grandpa could not climb stairs any more.", "Which is why he lives on the ground floor.", '"Which is why"'),
    ("Ravi is allergic to nuts.", "Hence no pesto at home.", '"Hence"'),
    ("The bridge was shut.", "For this reason I cycled along the canal.", '"For this reason"'),
    ("I found an old accordion in the attic.", "It needs new bellows.", '"It"'),
    ("We kept six hens.", "We gave them away in May.", '"Them"'),
    ("The bank refused the loan.", "That was a shock for Piet.", '"That"'),
    ("My neighbour Olga moved in.", "She plays the tuba at night.", '"She"'),
    ("I bought a rowing boat.", "Its hull leaks.", '"Its"'),
    ("We adopted a cat called Pixel.", "Pixel scratches the new sofa.", "pixel"),
    ("My sister Ines opened a bakery.", "Ines's bread is the best.", "ines"),
    ("Pixel’s kidneys are weak.", "The vet prescribed Pixel a diet.", "pixel"),
    ("The mill closed.", "So in May Jo moved to Ghent.", '"So"'),
    ("The mill closed.", "So, Jo moved to Ghent.", '"So"'),
    ("The mill closed.", "So eventually I resigned.", '"So"'),
    ("The mill closed.", "so jo moved to ghent", '"So"'),
    ("The mill closed.", "So everybody left.", '"So"'),
    ("The mill closed.", "So two of us moved to Ghent.", '"So"'),
    ("The mill closed.", "So that was my last day at work.", '"So"'),
    ("The mill closed.", "So there was a big fight.", '"So"'),
    ("The mill closed.", "Consequently, half the team quit.", '"Consequently"'),
    ("The mill closed.", "Thus we moved to Ghent.", '"Thus"'),
    ("Ann: Where do you work now? I forgot.", "Bo: At the mill by the river.", "asked"),
    ("Ann: I adopted a spaniel.", "Bo: Spaniels need long walks.", "spaniels"),
    ("Ann: The canoe sank.", "Bo: Oh no, what a pity for the summer trip!", '"Oh"'),
    ("Ann: The canoe sank.", "Bo: I expected it, the planks were old.", '"It"'),
]
UNCONNECTED = [
    ("The shop closes at six.", "The landlord announced that he will sell."),
    ("The shop closes at six.", "Oskar's asthma got worse this winter."),
    ("The shop closes at six.", "My mother broke her hip."),
    ("The shop closes at six.", "The car failed its inspection."),
    ("The shop closes at six.", "That winter we stayed at home."),
    ("The shop closes at six.", "This morning I ran to the lake."),
    ("The shop closes at six.", "These days Lena sleeps badly."),
    ("The shop closes at six.", "It rained all week."),
    ("The shop closes at six.", "It was a cold day in March."),
    ("The shop closes at six.", "It's important to stretch after running."),
    ("The shop closes at six.", "So far I like the new job."),
    ("The shop closes at six.", "So that the baby sleeps, we bought curtains."),
    ("The shop closes at six.", "I think that Ines is right about tea."),
    ("The shop closes at six.", "We grow tulips because they like the soil."),
    ("The shop closes at six.", "I made it to the finals."),
    ("The shop closes at six.", "Also, Tom plays chess."),
    ("The shop closes at six.", "It was thirty degrees in Graz."),
    ("The shop closes at six.", "It's my turn to cook."),
    ("The shop closes at six.", "It works that way in Spain as well, the bank says."),
    ("The shop closes at six.", "He who laughs last laughs best."),
    ("The shop closes at six.", "So excited for the trip!"),
    ("The shop closes at six.", "So glad the exam is over now."),
    ("The shop closes at six.", "So what, nobody came."),
    ("The shop closes at six.", "So anyway, the dentist called."),
    ("The shop closes at six.", "So I have this colleague named Bob who sings opera."),
    ("The shop closes at six.", "So there is this new bar."),
    ("The shop closes at six.", "It’s the third letter from the bank this year."),
    ("The shop closes at six.", "Thus Spoke Zarathustra is a long book."),
    ("The shop closes at six.", "Therefore is a word of lawyers."),
    ("The user likes coffee.", "The user has a dog."),
    ("User likes coffee.", "The user's dog is ill."),
    ("Yesterday Emma bought a dog.", "Last year Emma quit smoking."),
    ("In May 2023 Emma bought a dog.", "Emma quit smoking."),
    ("I meet Tom on Monday.", "The library is closed on Monday."),
    ("Emma has a bakery in Graz.", "Emma never drinks coffee."),
    ("Bo walks to work.", "Kim never walks."),
    ("Lives in Rome", "Likes pizza"),
    ("Did Bo call?", "Roses grow by my wall."),
    ("Ann: Did Bo call?", "Ann: Roses grow by my wall."),
    ("Ann: Did Bo call? He is ill. I cooked for six.", "Bo: Roses grow by my wall."),
    ("Ann: The canoe sank.", "Bo: My mother broke her hip."),
]


@pytest.mark.parametrize(("previous", "later", "word"), CONNECTED)
def test_what_follows_on_is_linked_and_the_reason_names_the_word(previous, later, word):
    reason = follows_on(Memory("2", later), Memory("1", previous))
    assert reason is not None
    assert word in reason


@pytest.mark.parametrize(("previous", "later"), UNCONNECTED)
def test_a_function_word_alone_links_nothing(previous, later):
    assert follows_on(Memory("2", later), Memory("1", previous)) is None


def followed(later, *told):
    """Return the numbers of those of `told` that `later` follows on."""
    recent = numbered(*told)
    return [m.id for m in recent if follows_on(Memory("later", later), m, recent)]


def test_a_word_of_consequence_means_the_nearest_or_what_names_the_same_thing():
    assert followed("So we stay at home.", "I broke my leg.", "Oskar has a fever.") == ["2"]
    assert followed("As a result the leg is in plaster.", "I broke my leg.", "Oskar has a fever.") == ["1"]
    assert followed("As a result the leg is in plaster.", "I broke my leg.", "The leg was weak.") == ["2"]


def test_what_was_written_in_another_sitting_was_not_said_just_before():
    text, later = "My boss shouted at me.", "So I bought a green bicycle."
    morning = Memory("1", text, "2026-03-01T09:00:00")

    def linked(time, earlier=morning):
        return follows_on(Memory("2", later, time), earlier) is not None

    assert linked("2026-03-01T20:59:00")
    assert not linked("2026-03-01T21:01:00")
    assert not linked("2026-06-01T09:00:00")
    assert not linked("2026-06-01", Memory("1", text, "2026-03-01"))
    # Times that cannot be compared tell nothing.
    assert linked("2026-06-01T09:00:00Z")
    assert linked("9 am on 1 June, 2026")
    assert linked(None)


def test_a_possessive_names_the_same_thing():
    told = ("My cat Biscuit is fourteen.", "The vet says that Biscuit's kidneys are weaker.")
    assert followed("So Biscuit gets special food now.", *told) == ["2"]


def test_outside_of_a_dialogue_a_pronoun_or_one_thing_means_the_nearest():
    assert followed("It leaks.", "I bought a boat.", "I sold a tent.") == ["2"]
    assert followed("The boat leaks.", "I bought a boat.", "I sold a tent.") == []
    assert followed("The old boat leaks.", "I bought an old boat.", "I sold a tent.") == ["1"]


def test_a_reason_tells_where_it_stood_and_claims_no_cause():
    recent = numbered("I broke my leg.", "Oskar has a fever.")
    later = Memory("3", "As a result the leg is in plaster.")
    assert follows_on(later, recent[0], recent) == 'Said shortly before; the later begins "As a result".'
    assert follows_on(later, recent[0]) == 'Said just before; the later begins "As a result".'


def test_looking_back_needs_shared_words_and_a_cue():
    sold = Memory("1", "Ann: I sold the blue canoe to Bo.")
    assert looks_back(Memory("2", "Ann: The blue canoe sank yesterday."), sold) == (
        'Also about blue, canoe, on which the later one looks back ("yesterday").'
    )
    assert looks_back(Memory("2", "Ann: The blue canoe sank."), sold) is None
    assert looks_back(Memory("2", "Ann: A canoe sank yesterday."), sold) is None
    assert looks_back(Memory("2", "Ann: Did the blue canoe sink yesterday?"), sold) is None


def test_the_same_speaker_or_day_is_no_shared_word():
    assert looks_back(Memory("2", "Ann: I swam again because of Kim."), Memory("1", "Ann: Kim called.")) is None
    assert looks_back(Memory("2", "I swam again on Monday."), Memory("1", "I swam on Monday.")) is None


@pytest.mark.parametrize(
    "word", ["really", "only", "finally", "so", "the", "it", "my", "in", "last", "that", "'s", "Kim"]
)
def test_a_row_of_one_word_is_judged_at_all(word):
    # A pattern that reads a word in two ways needs exponential time, and would never end.
    previous = Memory("1", "Emma bought a bicycle.")
    row = f"{word} " * 3_000 + "zebra crossing"
    for start in ("I", "We have", "My dog", "Yesterday"):
        memory = Memory("2", f"{start} {row}")
        assert follows_on(memory, previous) is None
        assert looks_back(memory, previous) is None
    for start in ("It is", "So", "Ann:", "That’s why"):
        reason = follows_on(Memory("2", f"{start} {row}"), previous)
        assert reason is None or reason.startswith("Said just before; ")
