#!/usr/bin/env python
"""Django's command line, with `platform/` (the folder that holds the package `loci`) on the path."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent / "platform")]

from loci.__main__ import main  # noqa: E402  (needs the line above)

if __name__ == "__main__":
    main()
