"""Which texts can be kept."""

import re

_UNFIT = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> bool:
    """Whether PostgreSQL and UTF-8 can hold `text`: without NUL, and without a surrogate that lacks its other half."""
    return not _UNFIT.search(text)
