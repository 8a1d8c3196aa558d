"""The pure half: profiles, fingerprints, unit vectors, errors."""

import pickle

import numpy as np
import pytest

from memory.engine import embedding
from memory.engine.embedding import (
    EmbedderError,
    Profile,
    WrongDimension,
    profile_for,
    register_profile,
    space_fingerprint,
    unit_rows,
)


@pytest.mark.parametrize(
    ("model", "profile", "query", "document"),
    [
        ("intfloat/multilingual-e5-small", "e5", "query: q", "passage: d"),
        ("e5-large-v2", "e5", "query: q", "passage: d"),
        ("intfloat/multilingual-e5-large-instruct", "e5-instruct", f"Instruct: {embedding.TASK}\nQuery: q", "d"),
        ("Qwen/Qwen3-Embedding-0.6B", "qwen3-embedding", f"Instruct: {embedding.TASK}\nQuery:q", "d"),
        ("qwen3-embedding:8b", "qwen3-embedding", f"Instruct: {embedding.TASK}\nQuery:q", "d"),
        ("nomic-embed-text:latest", "nomic", "search_query: q", "search_document: d"),
        ("nomic-ai/nomic-embed-text-v1.5", "nomic", "search_query: q", "search_document: d"),
        ("text-embedding-3-small", "openai", "q", "d"),
        ("gte5-base", "identity", "q", "d"),
        ("something/else", "identity", "q", "d"),
    ],
)
def test_profiles(model: str, profile: str, query: str, document: str) -> None:
    found = profile_for(model)
    assert found.name == profile
    assert found.query("q") == query
    assert found.document("d") == document


def test_a_registered_profile_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "_PROFILES", list(embedding._PROFILES))
    register_profile("*/Multilingual-E5-small", Profile("ours", "ask: ", max_chars=99))
    assert profile_for("intfloat/multilingual-e5-small").query("x {y}") == "ask: x {y}"
    assert profile_for("multilingual-e5-base").name == "e5"


def test_fingerprint_is_stable_and_sees_each_part() -> None:
    first = space_fingerprint("openai", "m", "identity", 3)
    assert first == "es1:c8580cf96bef0f55c631f3c74b10f526"
    others = [
        space_fingerprint("ollama", "m", "identity", 3),
        space_fingerprint("openai", "n", "identity", 3),
        space_fingerprint("openai", "m", "prefix:passage: ", 3),
        space_fingerprint("openai", "m", "identity", 4),
        space_fingerprint("openai", "m", "identity", 3, {"task": "x"}),
    ]
    assert len({first, *others}) == 6
    assert space_fingerprint("p", "m", "t", 1, {"a": 1, "b": 2}) == space_fingerprint(
        "p", "m", "t", 1, {"b": 2, "a": 1}
    )


def test_unit_rows() -> None:
    rows = unit_rows(np.asarray([[3, 4], [1e-30, 0], [1e30, 1e30]], dtype=np.float32))
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-6)
    for bad in ([[0.0, 0.0]], [[np.nan, 1.0]], [[np.inf, 1.0]]):
        with pytest.raises(ValueError, match="a vector"):
            unit_rows(np.asarray(bad))


def test_errors_name_all_and_survive_pickling() -> None:
    error = EmbedderError(
        "openai", "m", "answered 500", "try later", kind="server_error", retryable=True, retry_after=2
    )
    assert str(error) == "embedder openai (m): answered 500; try later"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.retryable, again.kind, again.retry_after) == (str(error), True, "server_error", 2)
    wrong = pickle.loads(pickle.dumps(WrongDimension(384, 768, "ollama", "m")))
    assert (wrong.expected, wrong.got, wrong.retryable) == (384, 768, False)
    assert "384" in str(wrong) and "768" in str(wrong) and "ollama" in str(wrong)
    assert "384" in str(WrongDimension(384, 768))
