"""The dates in a question: pure functions without Django or settings.

:func:`read_dates` finds when something is asked for ("last Tuesday", "before 12/05/2025", "im März"), as windows of
UTC, with the characters that say it. It knows English, German, French, Spanish and Russian.
"""

from memory.engine.dates.reader import LANGUAGES, read_dates
from memory.engine.dates.reading import DateReading, Granularity, Order, Relation, Window

__all__ = ["LANGUAGES", "DateReading", "Granularity", "Order", "Relation", "Window", "read_dates"]
