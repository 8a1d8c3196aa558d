"""The system of record (`record`, `work`, `golden`, `settings`), what use has taught (`learning`), the embedded indexes
(`index`)."""

from memory.models.golden import GoldenExpectation, GoldenQuestion, GoldenRun
from memory.models.index import Corpus, FilterValue, Gram, Posting, Sign, Vector, Word
from memory.models.learning import Access, Exposure, LearnedWeight
from memory.models.record import Memory, Version
from memory.models.settings import Settings
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
    "Settings",
    "Sign",
    "Vector",
    "Version",
    "Word",
]
