"""BM25 as SQL."""

from collections.abc import Mapping

from memory.stores.postgres.visible import Params

K1, B = 0.9, 0.4
"""Saturation and length normalisation, as measured on short texts (docs/recall.md)."""
COLUMNS = {"text": "frequency", "key": "in_key", "tags": "in_tags"}
"""Field of a memory to the column of its postings."""


def frequency(alias: str, fields: Mapping[str, float], params: Params) -> str:
    """How often a posting's term occurs, by the weights of the fields; 0 where only a field without weight has it."""
    return " + ".join(
        f"{alias}.{column} * {params.add(fields.get(field, 0.0))}::float8" for field, column in COLUMNS.items()
    )


def bm25(frequency: str, length: str) -> str:
    """What a term of that frequency in a text of that length counts, times its weight. Takes the parameter `mean`."""
    return f"{frequency} * {K1 + 1} / ({frequency} + {K1} * ({1 - B} + {B} * {length} / %(mean)s::float8))"
