"""The benchmark: `python -m tests.bench`. It works from a plain checkout too, where `platform/` is on no path."""

import sys
from pathlib import Path

_PLATFORM = str(Path(__file__).resolve().parents[2] / "platform")
if sys.path[0] != _PLATFORM:
    sys.path.insert(0, _PLATFORM)  # before that of another checkout, which an editable install may name
