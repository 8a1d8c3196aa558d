"""The ways in which a recall reads the words of a query."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.engine.lexis import All, Node, Not, Phrase, Word
from memory.engine.lexis import Any as Either
from memory.services.recall import recall
from memory.stores.postgres import planned
from tests.api.answers import problem
from tests.cast import Caller
from tests.unit.engine.typos import single_edits

ROWS = (
    "The kubernetes cluster runs in Frankfurt.",
    "We moved the cluster from Frankfurt to Dublin.",
    "ERR_CONN_42 means that the proxy hung up.",
    "Running late again, said the runner.",
    "成語しりとりで遊びました。",
    "김철수 과장은 회의를 월요일로 옮겼다.",
    "北京市朝阳区的办公室已经关闭。",
)
FIRST, MOVED, ERROR, LATE, GAME, KIM, OFFICE = ROWS


@pytest.fixture
def words(alice: Caller) -> Caller:
    """alice, who remembers ROWS."""
    alice.remember(*ROWS, source="words")
    return alice


@pytest.mark.parametrize(
    ("mode", "query", "texts"),
    [
        ("natural", "frankfurt cluster dublin", [MOVED, FIRST]),
        ("natural", "kubernets", [FIRST]),
        ("keyword", "frankfurt cluster dublin", [MOVED]),
        ("keyword", "the cluster", [FIRST, MOVED]),
        ("keyword", "err_conn_42", [ERROR]),
        ("keyword", "conn", [ERROR]),
        ("keyword", "kubernetz", []),
        ("keyword", "しりとり", [GAME]),
        ("keyword", "김철수", [KIM]),
        ("keyword", "朝阳区", [OFFICE]),
        ("keyword", "朝区", []),
        ("keyword", "?!", []),
        ("exact", "the cluster from  FRANKFURT", [MOVED]),
        ("exact", "cluster Frankfurt", []),
        ("exact", "runs", [FIRST]),
        ("exact", "語しり", [GAME]),
        ("exact", "語", [GAME]),
        ("raw", "cluster -dublin", [FIRST]),
        ("raw", "kuber* OR runni*", [FIRST, LATE]),
        ("raw", '"cluster runs" OR (err_conn_42 AND NOT "hung down")', [ERROR, FIRST]),
        ("raw", 'frankfurt NOT "to dublin"', [FIRST]),
        ("raw", "run", [FIRST, LATE]),
        ("raw", "runner*", [LATE]),
        ("raw", "成語し*", [GAME]),
        ("fuzzy", "kubernets", [FIRST]),
        ("fuzzy", "dubiln", [MOVED]),
        ("fuzzy", "김칠수", [KIM]),
    ],
)
def test_words_are_read_as_the_mode_says(words: Caller, mode: str, query: str, texts: list[str]) -> None:
    assert sorted(words.found(query, mode=mode)) == sorted(texts)


def test_a_misspelt_word_is_taken_for_what_it_may_be_and_the_trace_says_so(words: Caller) -> None:
    answer = words.recall("dubiln", include_trace=True)
    assert answer["results"][0]["text"] == MOVED
    assert answer["trace"]["read_as"] == {"dubiln": ["dublin"]}
    assert words.recall("dublin", include_trace=True)["trace"]["read_as"] == {}


def test_a_word_is_found_whatever_language_its_text_was_taken_for(alice: Caller) -> None:
    alice.remember("Die Häuser stehen nicht am Ufer, sondern auf dem Hügel und sind alt.")
    for mode in ("natural", "keyword", "exact", "raw"):
        assert len(alice.found("Häuser", mode=mode)) == 1, mode


def test_what_a_narrow_key_reads_a_word_as_is_not_learnt_from_others(alice: Caller) -> None:
    alice.remember("The kubernetes cluster.", namespace="red")
    alice.remember("The kubernetas cluster.", namespace="blue")
    red = alice.with_key(["read"], namespaces=["red"])
    for mode in ("natural", "fuzzy"):
        answer = red.recall("kubernetos", mode=mode, include_trace=True)
        assert answer["trace"]["read_as"] == {"kubernetos": ["kubernetes"]}
    # a word that only others wrote is as unknown as one that nobody did
    assert red.found("kubernetas", mode="natural") == ["The kubernetes cluster."]


def test_modes_keep_to_filters_and_times(alice: Caller) -> None:
    alice.remember("alpha beta red.", metadata={"colour": "red"})
    (blue,) = alice.remember("alpha beta blue.", metadata={"colour": "blue"})
    for mode in ("natural", "raw", "exact", "keyword", "fuzzy"):
        assert alice.found("alpha beta", mode=mode, filters={"colour": "blue"}) == ["alpha beta blue."], mode
    alice.post("invalidate", {"ids": [blue]})
    for mode in ("natural", "raw", "exact", "keyword", "fuzzy"):
        assert alice.found("alpha beta", mode=mode) == ["alpha beta red."], mode
        assert len(alice.found("alpha beta", mode=mode, include_invalidated=True)) == 2, mode


def test_tags_are_found_and_weigh_less_than_texts(alice: Caller) -> None:
    alice.remember("Nothing else.", tags=["home-office", "harbour"])
    alice.remember("A harbour in the north of it all.")
    assert alice.found("harbour", mode="natural") == ["A harbour in the north of it all.", "Nothing else."]
    for mode, query in (("keyword", "home-office"), ("exact", "home-office"), ("raw", "offic*"), ("fuzzy", "harbuor")):
        assert "Nothing else." in alice.found(query, mode=mode), mode


def test_the_weight_of_a_field_is_a_matter_of_the_search(alice: Caller) -> None:
    alice.remember("Nothing else.", tags=["harbour"])
    alice.remember("A harbour in the north of it all.")
    body = {"recall": {"fields": {"text": 0.1, "tags": 5.0}}}
    answer = alice.with_key(["read", "write", "admin"]).call("PATCH", "settings", body)
    assert answer.status_code == 200, answer.content
    assert alice.found("harbour", mode="natural")[0] == "Nothing else."


def test_a_query_that_cannot_be_read_is_refused_with_the_place(alice: Caller) -> None:
    document = problem(alice.post("recall", {"query": "fax (ward OR", "mode": "raw"}), 422, "invalid_request")
    assert (document["position"], document["fault"], document["expected"]) == (
        12,
        "early_end",
        "a word, a phrase or '('",
    )
    assert document["errors"] == [
        {
            "pointer": "/query",
            "detail": "The query ends too early at character 13: expected a word, a phrase or '('",
        }
    ]
    problem(alice.post("recall", {"query": "fax", "mode": "loud"}), 422, "invalid_request")
    told = alice.post("tools/memory_search", {"query": "fax -", "mode": "raw"})
    assert told.status_code == 422 and "at character 5" in told.content.decode()


def test_a_phrase_is_not_missed_behind_many_that_only_have_its_words(alice: Caller, settings: Any) -> None:
    settings.EMBEDDER = "none"
    decoys = [f"beta alpha {n} alpha  beta é." if n % 2 else f"beta then alpha and beta {n}" for n in range(640)]
    for start in range(0, 640, 64):
        alice.remember(*decoys[start : start + 64])
    alice.remember("Something long of which only the end says it, after many other words: gamma alpha beta.")
    assert alice.found("gamma alpha beta", mode="exact", limit=1)
    assert len(alice.found("beta then alpha", mode="exact", limit=100)) == 100
    needle = "It is only here that alpha\nBÉTA is said, and it is a long text with a good many words besides."
    alice.remember(needle)
    assert alice.found('"that alpha beta is"', mode="raw") == [needle]


def test_looking_through_texts_ends_with_the_deadline_and_says_so(alice: Caller, monkeypatch: Any) -> None:
    monkeypatch.setattr(planned, "BATCH", 1)
    monkeypatch.setattr(planned, "SHARE", 0.0)
    alice.remember("beta é alpha é alpha.", "beta é alpha.", "alpha beta é.")
    answer = recall(alice.scope, query="alpha beta", mode="exact", limit=10)
    assert answer.degraded == ["retriever:lexical:partial"]


def _vocabulary(caller: Caller) -> set[str]:
    """What a fuzzy search may take words for."""
    answer = caller.recall("quetzalcoatls brontosauros", mode="fuzzy", include_trace=True, include_invalidated=True)
    return {word for words in answer["trace"]["read_as"].values() for word in words}


def test_a_word_leaves_the_vocabulary_with_the_last_text_that_holds_it(alice: Caller) -> None:
    first, second = alice.remember("A quetzalcoatlus flew.", "The Brontosaurus and the Quetzalcoatlus.")
    assert _vocabulary(alice) == {"quetzalcoatlus", "brontosaurus"}
    alice.call("DELETE", "memories", {"ids": [second]})
    assert _vocabulary(alice) == {"quetzalcoatlus"}
    assert alice.found("brontosaur*", mode="raw") == []
    alice.call("DELETE", "memories", {"ids": [first]})
    assert _vocabulary(alice) == set()
    alice.remember("The brontosaurus is back.")
    assert _vocabulary(alice) == {"brontosaurus"}


LONG = ("alpha", "kubernetes", "häuser", "пожалуйста", "Überraschung", "naïve", "harbour")


def test_every_slip_in_a_word_of_five_letters_is_forgiven(alice: Caller) -> None:
    alice.remember(*(f"It says {word} here." for word in LONG))
    alice.remember(*(f"Also alphabet{n} aloha{n} kubert{n} barbour{n}." for n in range(30)))
    for word in LONG:
        wanted = f"It says {word} here."
        missed = [typo for typo in single_edits(word, "x") if wanted not in alice.found(typo, mode="fuzzy", limit=50)]
        assert not missed, word


TERMS = ("red", "green", "blue", "redder", "greens", "bluebird")
LEAVES = st.one_of(
    st.sampled_from(TERMS).map(Word),
    st.sampled_from(["re", "red", "gree", "blue", "blueb", "x1"]).map(lambda text: Word(text, prefix=True)),
    st.lists(st.sampled_from(TERMS), min_size=1, max_size=3).map(lambda words: Phrase(" ".join(words))),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Either(tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)
STEMS = {"greens": "green"}


def _said(node: Node) -> str:
    """A tree in the query language."""
    if isinstance(node, Word):
        return node.text + "*" * node.prefix
    if isinstance(node, Phrase):
        return json.dumps(node.text)
    if isinstance(node, Not):
        return f"NOT ({_said(node.part)})"
    assert isinstance(node, All | Either)
    return f"({(' AND ' if isinstance(node, All) else ' OR ').join(map(_said, node.parts))})"


def _true(node: Node, words: list[str]) -> bool:
    """The same, naively, of a text that is a list of words."""
    if isinstance(node, Word):
        if node.prefix:
            return any(word.startswith(node.text) for word in words)
        return STEMS.get(node.text, node.text) in {STEMS.get(word, word) for word in words}
    if isinstance(node, Phrase):
        wanted = node.text.split()
        return any(words[at : at + len(wanted)] == wanted for at in range(len(words)))
    if isinstance(node, Not):
        return not _true(node.part, words)
    assert isinstance(node, All | Either)
    return (all if isinstance(node, All) else any)(_true(part, words) for part in node.parts)


@pytest.fixture
def coloured(alice: Caller, settings: Any) -> Iterator[tuple[Caller, list[list[str]]]]:
    """alice, who remembers texts of few words in many orders."""
    settings.EMBEDDER = "none"
    texts = [[TERMS[(n * 7 + at * (n // 6 + 1)) % 6] for at in range(1 + n % 4)] for n in range(60)]
    distinct = [list(words) for words in dict.fromkeys(map(tuple, texts))]
    for start in range(0, len(distinct), 60):
        alice.remember(*(" ".join(words) for words in distinct[start : start + 60]))
    yield alice, distinct


def test_raw_queries_mean_what_a_naive_reading_says(coloured: tuple[Caller, list[list[str]]]) -> None:
    caller, texts = coloured

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(TREES)
    def agrees(tree: Node) -> None:
        answer = caller.post("recall", {"query": _said(tree), "mode": "raw", "limit": 100})
        if _true(tree, []):
            assert problem(answer, 422, "invalid_request")["fault"] == "absent"
        else:
            found = [hit["text"] for hit in answer.json()["results"]]
            assert sorted(found) == sorted(" ".join(words) for words in texts if _true(tree, words)), _said(tree)

    agrees()
