"""The system of record (`record`, `work`) and the embedded indexes (`index`)."""

from memory.models.index import Corpus, FilterValue, Gram, Posting, Sign, Vector, Word
from memory.models.record import Memory, Version
from memory.models.work import IndexTask, Job

__all__ = [
    "Corpus",
    "FilterValue",
    "Gram",
    "IndexTask",
    "Job",
    "Memory",
    "Posting",
    "Sign",
    "Vector",
    "Version",
    "Word",
]
