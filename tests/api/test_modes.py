"""The ways in which a recall reads the words of a query."""

import pytest

from tests.cast import Caller

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
        ("keyword", "frankfurt cluster dublin", [MOVED]),
        ("keyword", "err_conn_42", [ERROR]),
        ("keyword", "conn", [ERROR]),
        ("keyword", "しりとり", [GAME]),
        ("keyword", "김철수", [KIM]),
        ("keyword", "朝阳区", [OFFICE]),
        ("keyword", "朝区", []),
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
        ("natural", "kubernets", [FIRST]),
        ("hybrid", "dubiln", None),
    ],
)
def test_words_are_read_as_the_mode_says(words: Caller, mode: str, query: str, texts: list[str] | None) -> None:
    found = words.found(query, mode=mode)
    if texts is None:
        assert found[0] == MOVED
    else:
        assert sorted(found) == sorted(texts)
