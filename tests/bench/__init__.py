"""The benchmark: `python -m tests.bench`. It works from a plain checkout too, where `platform/` is on no path."""

import sys
from pathlib import Path

_PLATFORM = str(Path(__file__).resolve().parents[2] / "platform")
if _PLATFORM not in sys.path:
    sys.path.append(_PLATFORM)
