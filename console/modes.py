"""The ways to read a question, and why one in the query language cannot be read."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.engine.lexis import QuerySyntaxError, parse

MODE_NAMES = {
    "hybrid": gettext_lazy("By meaning and words"),
    "natural": gettext_lazy("Any of the words"),
    "keyword": gettext_lazy("All of the words"),
    "exact": gettext_lazy("As a phrase"),
    "fuzzy": gettext_lazy("Words with typos"),
    "raw": gettext_lazy("Query language"),
    "vector": gettext_lazy("By meaning only"),
}
MODES = tuple(MODE_NAMES)


FAULTS = {
    "early_end": gettext_lazy("The query ends too early: a word, a phrase or “(” is missing."),
    "operand": gettext_lazy("A word, a phrase or “(” is missing before this."),
    "unopened": gettext_lazy("This parenthesis closes nothing: there is no “(” before it."),
    "unclosed": gettext_lazy("This parenthesis is never closed: there is no “)” after it."),
    "quote": gettext_lazy("This quotation mark is never closed."),
    "star": gettext_lazy("A * can only stand at the end of a single word."),
    "short": gettext_lazy("At least two characters must stand before *."),
    "empty": gettext_lazy("There is nothing to search for in this: letters, digits or emoji are needed."),
    "deep": gettext_lazy("Parentheses are nested too deeply: 32 levels are the most."),
    "many": gettext_lazy("The query has too many words: 64 words and phrases are the most."),
    "absent": gettext_lazy("This asks only for what is absent: add a word that must occur."),
}


@dataclass(frozen=True, slots=True)
class Syntax:
    """What is wrong with a query: `before` is right as far as it goes, the fault begins with `rest`."""

    before: str
    rest: str
    position: int
    detail: str

    @property
    def said(self) -> str:
        """What is wrong and where, for whoever does not see the mark."""
        return _("Character %(position)d: %(detail)s") % {"position": self.position, "detail": self.detail}


def syntax_of(query: str) -> Syntax | None:
    """Why a query cannot be read; None when it can."""
    try:
        parse(query)
    except QuerySyntaxError as error:
        at = error.position
        return Syntax(query[max(0, at - 60) : at], query[at : at + 60], at + 1, str(FAULTS[error.code]))
    return None
