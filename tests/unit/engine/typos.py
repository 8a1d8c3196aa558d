"""Slips of the finger."""

from collections.abc import Iterator


def single_edits(word: str, other: str) -> Iterator[str]:
    """All words that are one edit away, where `other` is the character put in: each but the word itself."""
    for at in range(len(word) + 1):
        yield word[:at] + other + word[at:]
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        if word[at] != other:
            yield word[:at] + other + word[at + 1 :]
        if at + 1 < len(word) and word[at] != word[at + 1]:
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]
