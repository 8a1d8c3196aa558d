"""The system of record (`record`, `work`, `golden`), what use has taught (`learning`), the embedded indexes
(`index`)."""

from memory.models.golden import GoldenExpectation, GoldenQuestion, GoldenRun
from memory.models.index import Corpus, FilterValue, Gram, Posting, Sign, Vector, Word
from memory.models.learning import Access, Exposure, LearnedWeight
from memory.models.record import Memory, Version
from memory.models.work import IndexTask, Job

__all__ = [
    "Access",
    "Corpus",
    "Exposure",
    "FilterValue",
    "GoldenExpectation",
    "GoldenQuestion",
    "GoldenRun",
    "Gram",
    "IndexTask",
    "Job",
    "LearnedWeight",
    "Memory",
    "Posting",
    "Sign",
    "Vector",
    "Version",
    "Word",
]  # fmt: skip
