"""Invented memories of mixed kinds and languages, and questions about them. `build(seed)` draws one mixed whole.

The sentences are written by hand (the JSON files beside this); a seed draws names, numbers, which variants and
distractors appear, and the order. The default seed was frozen before anything was tuned on it.
"""

from tests.bench.sets.mixed import FROZEN, SETS, build
from tests.bench.sets.shapes import Memory, Mixed, Question

__all__ = ["FROZEN", "SETS", "Memory", "Mixed", "Question", "build"]
