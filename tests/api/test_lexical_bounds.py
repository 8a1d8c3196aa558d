"""What the words of a query may cost, and what they may tell a narrowed key of others' words."""

import random
import time
from typing import Any

import pytest

from memory.engine.lexis import spelling
from memory.retrievers import lexical
from memory.services.recall import recall
from memory.stores.postgres import planned, words
from tests.api.answers import problem
from tests.api.statements import watched
from tests.cast import Caller

PARTIAL = "retriever:{}:partial"


@pytest.fixture(autouse=True)
def _by_words(settings: Any) -> None:
    settings.EMBEDDER = "none"


def _score(caller: Caller, query: str, mode: str) -> float:
    answer = caller.recall(query, mode=mode, include_trace=True)
    return float(answer["results"][0]["explanation"]["raw"]["bm25"])


@pytest.mark.parametrize(
    ("mode", "texts", "theirs", "queries"),
    [
        ("raw", ("huna", "hunb"), "huntsman hunaway", ("huna*", "hunb*")),
        ("fuzzy", ("plumaria", "plumbria"), "plumarias", ("plumariax", "plumbriax")),
        ("raw", ("文", "学"), "文化 中文", ("文", "学")),
    ],
)
def test_a_narrow_key_learns_no_word_of_others_by_what_one_like_it_counts(
    alice: Caller, mode: str, texts: tuple[str, str], theirs: str, queries: tuple[str, str]
) -> None:
    narrow = alice.with_key(["read", "write"], namespaces=["red"])
    for text in texts:
        narrow.remember(text, namespace="red")
    before = [_score(narrow, query, mode) for query in queries]
    for n in range(3):
        alice.remember(f"{theirs} {n}", namespace="blue")
        # the tenant's counts of documents and their lengths show, as documented: the same for both
    after = [_score(narrow, query, mode) for query in queries]
    assert after[0] / before[0] == pytest.approx(after[1] / before[1], abs=1e-5)


def test_a_narrow_key_reaches_its_words_behind_any_number_of_others(alice: Caller, monkeypatch: Any) -> None:
    for limit in ("OPEN_WORDS", "ALL_OPEN_WORDS"):
        monkeypatch.setattr(planned, limit, 2)
    monkeypatch.setattr(words, "CANDIDATES", 2)
    narrow = alice.with_key(["read", "write"], namespaces=["red"])
    narrow.remember("barometer", namespace="red")
    alice.remember(*(f"baromete{letter}" for letter in "abcdef"), namespace="blue")
    answer = narrow.recall("baro*", mode="raw")
    assert [hit["text"] for hit in answer["results"]] == ["barometer"] and answer["degraded"] == []
    assert narrow.found("barometez", mode="fuzzy") == ["barometer"]
    assert alice.recall("baro*", mode="raw")["degraded"] == [PARTIAL.format("bm25")]


def test_a_prefix_of_more_words_than_are_read_says_so(alice: Caller, monkeypatch: Any) -> None:
    monkeypatch.setattr(planned, "OPEN_WORDS", 3)
    alice.remember("barn", "barometer", "barrel", "barrow")
    answer = alice.recall("bar*", mode="raw")
    assert sorted(hit["text"] for hit in answer["results"]) == ["barn", "barometer", "barrel"]
    assert answer["degraded"] == [PARTIAL.format("bm25")]
    answer = alice.recall("barr*", mode="raw")
    assert sorted(hit["text"] for hit in answer["results"]) == ["barrel", "barrow"] and answer["degraded"] == []


def test_prefixes_share_what_a_query_may_read_and_one_within_another_is_not_read(
    alice: Caller, monkeypatch: Any
) -> None:
    monkeypatch.setattr(planned, "ALL_OPEN_WORDS", 4)
    alice.remember("barn barometer barrel", "cart carton carve", "dart")
    answer = alice.recall("bar* OR car* OR da*", mode="raw")
    assert sorted(hit["text"] for hit in answer["results"]) == ["barn barometer barrel", "cart carton carve", "dart"]
    assert answer["degraded"] == [PARTIAL.format("bm25")]
    monkeypatch.undo()
    with watched() as seen:
        found = recall(alice.scope, query="ca* -carton* OR bar* barr* baro*", mode="raw", limit=10)
    assert [hit.record.text for hit in found.hits] == ["barn barometer barrel"]
    assert sum("/* words.beginning */" in sql for sql in seen) == 2


def test_only_so_many_words_are_compared_with_so_many_others(alice: Caller, monkeypatch: Any) -> None:
    dice = random.Random(7)
    made = ["".join(dice.choices("ab", k=32)) for _ in range(640 + 12)]
    for start in range(0, 640, 64):
        alice.remember(*made[start : start + 64])
    compared: list[tuple[str, str]] = []
    distance = spelling.distance

    def counted(one: str, other: str, most: int) -> int:
        compared.append((one, other))
        return distance(one, other, most)

    monkeypatch.setattr(spelling, "distance", counted)
    alice.recall(" ".join(made[640:]), mode="natural")
    assert len({one for one, _ in compared}) == lexical.CORRECTED < 12
    assert len(compared) == lexical.CORRECTED * words.CANDIDATES


def test_words_are_not_corrected_beyond_the_deadline_and_the_answer_says_so(alice: Caller, monkeypatch: Any) -> None:
    alice.remember("The barometer fell.")
    monkeypatch.setattr(lexical, "CORRECTED", 1)
    looks = iter([0.0])

    class Clock:
        @staticmethod
        def monotonic() -> float:
            return next(looks, float("inf"))

    for mode in ("natural", "fuzzy"):
        monkeypatch.setattr(lexical, "time", Clock if mode == "fuzzy" else time)
        answer = recall(alice.scope, query="barometre abcdefgh", mode=mode, limit=10)
        assert [hit.record.text for hit in answer.hits] == ["The barometer fell."]
        assert answer.degraded == ([PARTIAL.format("lexical")] if mode == "fuzzy" else [])
    monkeypatch.setattr(lexical, "time", Clock)
    assert recall(alice.scope, query="fell barometre", mode="natural", limit=10).degraded == [PARTIAL.format("lexical")]


def test_the_clock_is_looked_at_before_each_phrase_of_each_text(alice: Caller, monkeypatch: Any) -> None:
    alice.remember("é beta alpha.", "é beta alpha, alpha beta.", "é beta alpha, beta, alpha.")
    looks: list[str] = []
    stands_in = planned.stands_in

    class Clock:
        @staticmethod
        def monotonic() -> float:
            looks.append("clock")
            return time.monotonic()

    def looked(phrase: str, text: str, *, open_end: bool = False) -> bool:
        looks.append("text")
        return stands_in(phrase, text, open_end=open_end)

    monkeypatch.setattr(planned, "time", Clock)
    monkeypatch.setattr(planned, "stands_in", looked)
    alice.recall('"alpha alpha" OR "beta beta"', mode="raw")
    assert looks == ["clock"] + ["clock", "text"] * 6


def test_a_query_that_falls_into_too_many_parts_is_refused(alice: Caller) -> None:
    query = ",".join(f"{n:x}z" for n in range(4000))
    document = problem(alice.post("recall", {"query": query, "mode": "raw"}), 422, "invalid_request")
    assert (document["fault"], document["position"]) == ("many", 0)
    phrase = '"' + "aa " * 400 + '"'
    document = problem(alice.post("recall", {"query": phrase, "mode": "raw"}), 422, "invalid_request")
    assert (document["fault"], document["position"]) == ("long", 0)
