"""Ranking in process is recall's ranking: what is tuned there is what a request gets."""

from statistics import fmean

import pytest

from memory.services import retrieve
from tests.bench import offline
from tests.bench.datasets import mixed, thinned
from tests.bench.offline import product, score
from tests.cast import Caller

BATCH, FIRST = 64, 10


@pytest.mark.parametrize("fields", [{}, {"fusion": "rrf"}, {"smoothing": 0.0, "stages": {"freshness": True}}])
def test_exact_scores_in_process_rank_as_recall_does(alice: Caller, fields: dict[str, object]) -> None:
    data = thinned(mixed(), questions=2, others=60)
    number: dict[str, int] = {}
    for start in range(0, len(data.memories), BATCH):
        items = [memory.item() for memory in data.memories[start : start + BATCH]]
        results = alice.post("memories", {"items": items}).json()["results"]
        number |= {result["id"]: start + result["item"] for result in results}
    scored, ranker = score(data, "static"), product(**fields)
    shares = []
    for row, asked in enumerate(data.questions):
        moment = {"as_of": asked.as_of.isoformat()} if asked.as_of else {}
        answer = alice.post("recall", {"query": asked.text, "limit": FIRST, **moment, **fields}).json()
        theirs = [number[result["id"]] for result in answer["results"]]
        ours = list(ranker(scored, row))[:FIRST]
        # equal scores may stand in another order
        shares.append(len(set(ours) & set(theirs)) / len(theirs))
        assert theirs[0] in ours[:2]
    assert fmean(shares) > 0.97


def test_the_sizes_in_process_are_recalls_own() -> None:
    assert (offline.POOL, offline.ANCHORS, offline.STAGED) == (retrieve.POOL, retrieve.ANCHORS, retrieve.STAGED)
