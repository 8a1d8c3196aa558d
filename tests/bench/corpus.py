"""Invented texts of real English words by Zipf's law, the same on every machine.

The words are the whole words of MiniLM's vocabulary, which lists them by how often they occur. Each is one token
to that model, so texts have a known length in tokens.
"""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from memory.stores.embedders.minilm import TOKENIZER

FIRST_WORD = 1996  # where the vocabulary's words begin: "the"
COMMON = 100  # the first ranks are mostly function words
PER_SOURCE = 20
SEED = 20260301


@cache
def vocabulary() -> np.ndarray[Any, Any]:
    """About 21,700 words, the most frequent first."""
    ids: dict[str, int] = json.loads(TOKENIZER.read_text())["model"]["vocab"]
    ranked = sorted(ids, key=ids.__getitem__)
    return np.array([word for word in ranked[FIRST_WORD:] if word.isascii() and word.isalpha()])


@cache
def _chances() -> np.ndarray[Any, Any]:
    """The cumulative Zipf–Mandelbrot distribution over the vocabulary."""
    weights = 1 / (np.arange(len(vocabulary())) + 2.7)
    return np.cumsum(weights / weights.sum())


def texts(count: int, words: int, *, seed: int = SEED, spread: float = 0.0) -> list[str]:
    """`count` different texts of about `words` words; `spread` is the relative deviation of the length."""
    chance = np.random.default_rng(seed)
    lengths = np.maximum(3, np.round(chance.normal(words, spread * words, count))).astype(int)
    drawn = np.searchsorted(_chances(), chance.random(int(lengths.sum())))
    picked = vocabulary()[np.minimum(drawn, len(vocabulary()) - 1)]
    parts = np.split(picked, np.cumsum(lengths)[:-1])
    return [_sentences(part.tolist(), chance) for part in parts]


def _sentences(words: list[str], chance: np.random.Generator) -> str:
    """The words as sentences of 6 to 14 words."""
    said, at = [], 0
    while at < len(words):
        end = at + int(chance.integers(6, 15))
        said.append(" ".join(words[at:end]).capitalize() + ".")
        at = end
    return " ".join(said)


def items(stored: list[str], *, first: int = 0) -> Iterator[dict[str, Any]]:
    """The texts as items to write, twenty to a source."""
    for at, text in enumerate(stored, start=first):
        yield {"text": text, "source": f"notes/{at // PER_SOURCE}", "offset": at % PER_SOURCE}


def questions(count: int, stored: list[str], *, seed: int = SEED + 1) -> list[str]:
    """Questions about memories: five of a text's telling words among three of the most frequent ones."""
    chance = np.random.default_rng(seed)
    common = vocabulary()[:COMMON]
    asked = []
    for at in chance.integers(0, len(stored), count):
        words = sorted(set(stored[at].lower().replace(".", "").split()) - set(common.tolist()))
        picked = [*chance.permutation(words)[:5].tolist(), *chance.choice(common, 3).tolist()]
        asked.append(" ".join(chance.permutation(picked).tolist()) + "?")
    return asked
