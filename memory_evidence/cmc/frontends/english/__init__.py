"""Plain English statements, read without a model: the default frontend.

Reading goes from the record to its lines and sentences (`sentences`), to words (`words`), past what opens a sentence
(`openings`) or corrects the one before (`corrections`), to clauses (`clauses`): a subject (`subjects`), a verb phrase
of the tables (`verbs`) or "is" (`copula`), an object (`objects`) and a rest that leaves the statement standing
(`rests`). Word lists are in `vocabulary` and `nouns`, relations and their names in `relations`.
"""

from memory_evidence.cmc.frontends.english.grammar import EnglishGrammar
from memory_evidence.cmc.frontends.english.relations import MULTI_VALUED, RELATION_SYNONYMS, canonical_relation

__all__ = ["MULTI_VALUED", "RELATION_SYNONYMS", "EnglishGrammar", "canonical_relation"]
