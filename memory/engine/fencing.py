"""Fences around texts that are data: what stands in one cannot end it."""

import re


def fenced(text: str, label: str = "memory") -> str:
    """`text` in a fence that it cannot close: longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{label}\n{text}\n{fence}"
