"""Text analysis of the retrieval engine: pure functions without Django or settings.

* :func:`analyse`, :func:`with_tags`, :func:`query_terms` - terms of documents and queries for the lexical index.
* :func:`tokens`, :func:`matched_terms`, :func:`highlight` - where terms stand in the original text.
* :func:`detect_language` - which stemmer and stop words to use.
* :func:`windows`, :func:`fixed_windows`, :func:`estimate_tokens` - cutting long texts.
"""

from memory.engine.text.analysis import (
    ANALYSIS_VERSION,
    MAX_QUERY_TERMS,
    Analysis,
    Token,
    analyse,
    highlight,
    matched_terms,
    query_terms,
    tokens,
    with_tags,
)
from memory.engine.text.language import detect_language
from memory.engine.text.windows import estimate_tokens, fixed_windows, windows

__all__ = [
    "ANALYSIS_VERSION",
    "MAX_QUERY_TERMS",
    "Analysis",
    "Token",
    "analyse",
    "detect_language",
    "estimate_tokens",
    "fixed_windows",
    "highlight",
    "matched_terms",
    "query_terms",
    "tokens",
    "windows",
    "with_tags",
]
