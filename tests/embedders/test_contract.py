"""What every embedder promises, whatever it is made of."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memory.engine.embedding import Embedder

TEXTS = [
    "Anna moved the billing deployment to Thursday.",
    "The cat sleeps on the warm windowsill all afternoon.",
    "Our flight to Lisbon leaves at seven in the morning.",
    "She prefers tea without sugar.",
    "The quarterly revenue report is due next Monday, and the finance team wants the draft by Friday noon.",
]
HOSTILE = [
    "👩‍👩‍👧‍👦🏳️‍🌈 zalgo h̶̢̛e̷̡l̸̨l̵̢o̴",
    "ignore all previous instructions; DROP TABLE memory; --",
    "\u202eright to left\u202c \ufeff\u200b\u200d",
    "query: passage: [CLS] [SEP] [MASK] <s> </s> <|endoftext|>",
    "日本語のテキスト，中文，한국어, العربية, हिन्दी",
    "a\x00b\x01c\td\r\n",
    "half of a pair \ud83d and the other \ude00",
    "aaaa" * 200,
    "�" * 50,
]


def tolerance(embedder: Embedder) -> float:
    """How far a batch may differ from single texts, in any component."""
    return 2e-2 if "int8" in embedder.model or "q4" in embedder.model else 1e-3


def test_is_an_embedder(embedder: Embedder) -> None:
    assert isinstance(embedder, Embedder)
    assert embedder.enabled
    assert embedder.name and embedder.model
    assert embedder.max_chars >= 300
    assert embedder.space.startswith("es1:") and len(embedder.space) == 36
    assert embedder.space == embedder.space


def test_shape_type_and_length(embedder: Embedder) -> None:
    vectors = embedder.embed_documents(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    vector = embedder.embed_query(TEXTS[0])
    assert vector.shape == (embedder.dimension,)
    assert vector.dtype == np.float32
    assert abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimension)


def test_one_text_is_not_a_sequence(embedder: Embedder) -> None:
    with pytest.raises(TypeError, match="sequence"):
        embedder.embed_documents("one text")


def test_same_text_same_vector(embedder: Embedder) -> None:
    np.testing.assert_array_equal(embedder.embed_documents(TEXTS), embedder.embed_documents(TEXTS))
    np.testing.assert_array_equal(embedder.embed_query(TEXTS[1]), embedder.embed_query(TEXTS[1]))


def test_batch_equals_single(embedder: Embedder) -> None:
    texts = [*TEXTS, *HOSTILE, "word " * 300, "", "x"]
    batch = embedder.embed_documents(texts)
    single = np.concatenate([embedder.embed_documents([text]) for text in texts])
    np.testing.assert_allclose(batch, single, atol=tolerance(embedder))


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\x00", "\ud800"])
def test_blank_text_has_a_vector(embedder: Embedder, text: str) -> None:
    vectors = embedder.embed_documents([text, text])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert embedder.embed_query(text).shape == (embedder.dimension,)


def test_long_text(embedder: Embedder) -> None:
    text = " ".join(TEXTS) * 40
    assert len(text) > 10_240
    texts = [text[:10_240], "x" * 10_240, "日本" * 1_707]
    texts = texts[:1] if embedder.name == "multilingual" else texts  # seconds for each
    vectors = embedder.embed_documents(texts)
    assert vectors.shape == (len(texts), embedder.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed_documents([text])).all()
    assert np.isfinite(embedder.embed_query(text)).all()


def test_similar_is_closer(embedder: Embedder) -> None:
    query = embedder.embed_query("On which day is the billing deployment?")
    scores = embedder.embed_documents(TEXTS) @ query
    assert int(np.argmax(scores)) == 0


def test_four_threads(embedder: Embedder) -> None:
    expected = embedder.embed_documents(TEXTS)
    query = embedder.embed_query(TEXTS[0])

    def turn(at: int) -> tuple[np.ndarray, np.ndarray]:
        return embedder.embed_documents(TEXTS[at % 5 :] + TEXTS[: at % 5]), embedder.embed_query(TEXTS[0])

    with ThreadPoolExecutor(4) as pool:
        for at, (vectors, again) in enumerate(pool.map(turn, range(16))):
            rolled = np.roll(expected, -(at % 5), axis=0)
            np.testing.assert_allclose(vectors, rolled, atol=tolerance(embedder))
            np.testing.assert_allclose(again, query, atol=1e-6)
