"""The named preset for FactConsolidation: the sentence forms of its fact lists, misspellings included."""

from __future__ import annotations

from memory_evidence.cmc.frontends.patterns import Pattern

FACTCONSOLIDATION: tuple[Pattern, ...] = (
    *(
        Pattern(template)
        for template in (
            "{subject} is a citizen of {object}",
            "{subject} is affiliated with the religion of {object}",
            "{subject} is associated with the sport of {object}",
            "{subject} is employed by {object}",
            "{subject} is famous for {object}",
            "{subject} is located in the continent of {object}",
            "{subject} is married to {object}",
            "{subject} plays the position of {object}",
            "{subject} speaks the language of {object}",
            "{subject} was born in the city of {object}",
            "{subject} was created by {object}",
            "{subject} was created in the country of {object}",
            "{subject} was developed by {object}",
            "{subject} was founded by {object}",
            "{subject} was founded in the city of {object}",
            "{subject} was performed by {object}",
            "{subject} was written in the language of {object}",
            "{subject} died in the city of {object}",
            "{subject} worked in the city of {object}",
            "{subject} works in the field of {object}",
        )
    ),
    Pattern("{subject}'s child is {object}", relation="child"),
    Pattern("The company that produced {subject} is {object}", relation="company that produced"),
    Pattern("The headquarters of {subject} is located in the city of {object}", relation="headquarters"),
    Pattern("The name of the current head of state in {subject} is {object}", relation="head of state"),
    Pattern("The name of the current head of the {subject} government is {object}", relation="head of government"),
    Pattern("The origianl broadcaster of {subject} is {object}", relation="original broadcaster"),
    Pattern("The type of music that {subject} plays is {object}", relation="type of music"),
    Pattern("The univeristy where {subject} was educated is {object}", relation="university"),
    Pattern("The {relation} of {subject} is {object}"),
    Pattern("The {subject} is {object}", relation="office holder"),  # an office: "The Mayor is ..."
)
"""Use it as `ContractMemory(scope, frontend=PatternGrammar(FACTCONSOLIDATION))`."""
