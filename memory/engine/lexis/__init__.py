"""Lexical queries: the raw query language, phrases, keywords, misspelt words. Pure functions.

* :func:`plan`, :func:`fuzzy_plan`, :func:`misspelt` - what a query asks the index for.
* :func:`parse` - the raw query language; :class:`QuerySyntaxError` says where a query cannot be read.
* :func:`grams`, :func:`best` - misspelt words.
"""

from memory.engine.lexis.parsing import parse
from memory.engine.lexis.plan import Misspelt, Plan, Wanted, fuzzy_plan, misspelt, plan
from memory.engine.lexis.spelling import Near, best, common_grams, edits_allowed, grams
from memory.engine.lexis.syntax import All, Any, Node, Not, Phrase, QuerySyntaxError, Required, Word, holds, leaves

__all__ = [
    "All",
    "Any",
    "Misspelt",
    "Near",
    "Node",
    "Not",
    "Phrase",
    "Plan",
    "QuerySyntaxError",
    "Required",
    "Wanted",
    "Word",
    "best",
    "common_grams",
    "edits_allowed",
    "fuzzy_plan",
    "grams",
    "holds",
    "leaves",
    "misspelt",
    "parse",
    "plan",
]
