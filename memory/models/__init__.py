"""The system of record (`record`, `work`, `settings`) and the embedded indexes (`index`)."""

from memory.models.index import Corpus, FilterValue, Posting, Sign, Vector
from memory.models.record import Memory, Version
from memory.models.settings import Settings
from memory.models.work import IndexTask, Job

__all__ = ["Corpus", "FilterValue", "IndexTask", "Job", "Memory", "Posting", "Settings", "Sign", "Vector", "Version"]
