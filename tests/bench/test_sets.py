"""The sets of one's own are what they claim to be, and the figures are counted right."""

import hashlib
from collections import Counter, defaultdict
from datetime import UTC, datetime

import numpy as np
import pytest

from memory.engine.dates import read_dates
from memory.engine.nearness import nearness
from memory.engine.text import analyse, query_terms
from tests.bench.datasets import NOW, Dataset, Memory, Question, mixed, thinned
from tests.bench.diary import diary
from tests.bench.figures import Outcome, above, difference, hit, mean, outcomes, recall, reciprocal
from tests.bench.sets import FROZEN, SETS, Mixed, build
from tests.bench.suite_ablation import markdown, variants

FROZEN_DIGEST = "5ea2acce8de11d821f96cae309f251328a641254fb7736e2352c7a1eb5e03239"


@pytest.fixture(scope="module")
def drawn() -> Mixed:
    return build()


def digest(drawn: Mixed) -> str:
    said = [(each.text, each.source, each.at, str(each.moment)) for each in drawn.memories]
    asked = [(each.text, each.set, each.gold.key, str(each.as_of)) for each in drawn.questions]
    return hashlib.sha256(repr((said, asked)).encode()).hexdigest()


def test_the_frozen_draw_is_the_same_everywhere(drawn: Mixed) -> None:
    assert digest(drawn) == FROZEN_DIGEST


def test_another_seed_draws_other_questions_as_many() -> None:
    one, other = build(7), build(8)
    assert digest(one) != digest(other)
    assert Counter(each.set for each in one.questions) == Counter(each.set for each in other.questions)


def test_there_are_memories_and_questions_enough(drawn: Mixed) -> None:
    assert len(drawn.memories) >= 2_000
    counts = Counter(each.set for each in drawn.questions)
    assert set(counts) == set(SETS)
    assert min(counts.values()) >= 60
    assert set(Counter(each.language for each in drawn.memories)) == {"en", "de", "zh", "ja", "ko"}
    assert {"note", "ticket", "log", "preference", "code", "contact", "meeting", "howto"} <= {
        each.kind for each in drawn.memories
    }


@pytest.mark.parametrize("seed", [FROZEN, 1, 2])
def test_every_question_has_its_one_memory(seed: int) -> None:
    drawn = build(seed)
    texts = Counter(each.text for each in drawn.memories)
    keys = {each.key for each in drawn.memories}
    assert set(texts.values()) == {1}
    assert not [each.text for each in drawn.questions if "{" in each.text or each.gold.key not in keys]
    assert not [each.text for each in drawn.memories if "{" in each.text]


def test_paraphrases_share_hardly_a_word_with_their_answer(drawn: Mixed) -> None:
    shared = [
        len(set(query_terms(each.text, "en")) & set(analyse(each.gold.text, "en").terms))
        for each in drawn.questions
        if each.set == "paraphrases"
    ]
    assert np.mean(shared) < 0.35
    assert max(shared) <= 2


def test_at_a_moment_exactly_one_version_of_a_fact_holds(drawn: Mixed) -> None:
    versions = defaultdict(list)
    for each in drawn.questions:
        if each.set == "as-of":
            versions[each.text].append(each)
    for asked in versions.values():
        assert len(asked) == 3
        for each in asked:
            assert each.as_of is not None
            holding = [
                other.gold.key
                for other in asked
                if (other.gold.valid_from is None or other.gold.valid_from <= each.as_of)
                and (other.gold.valid_to is None or each.as_of < other.gold.valid_to)
            ]
            assert holding == [each.gold.key]


def test_the_newer_fact_is_the_later_one(drawn: Mixed) -> None:
    for each in drawn.questions:
        if each.below is not None:
            assert each.gold.moment is not None and each.below.moment is not None
            assert each.gold.moment > each.below.moment


def test_some_of_all_questions_make_a_small_whole() -> None:
    small = thinned(mixed())
    assert {each.category for each in small.questions} == set(SETS)
    for each in small.questions:
        assert all(at < len(small.memories) for at in each.gold)


@pytest.mark.parametrize("seed", [FROZEN, 7])
def test_the_diary_asks_for_days_that_only_its_gold_lies_in(seed: int) -> None:
    data = diary(seed)
    assert len(data.questions) == 120
    for asked in data.questions:
        assert asked.as_of is not None
        dates = read_dates(asked.text, now=asked.as_of, zone=UTC)
        assert dates is not None and dates.focused == (asked.category == "dates alone"), asked.text
        inside = [at for at, each in enumerate(data.memories) if nearness(dates.windows, _time(each)) == 1.0]
        if not dates.focused:
            who, did = (data.memories[asked.gold[0]].text.split()[at] for at in (0, 1))
            inside = [at for at in inside if data.memories[at].text.startswith(f"{who} {did} ")]
        assert tuple(inside) == asked.gold, asked.text


def _time(memory: Memory) -> datetime:
    assert memory.event_at is not None
    return memory.event_at


ASKED = Dataset(
    "small",
    [Memory(text, "", 0, None) for text in ("a", "b", "c")],
    [Question("?", "updates", "en", (0, 2), below=1, now=NOW)],
)


def test_recall_hits_and_reciprocal_ranks_are_counted() -> None:
    (found,) = outcomes(ASKED, lambda row: [1, 2])
    assert (found.gold, found.below) == ((np.inf, 2.0), 1.0)
    assert (found.recall(1), found.recall(5), found.hit(5), found.reciprocal, found.above) == (0.0, 0.5, 1.0, 0.5, 0.0)


def test_a_new_fact_that_is_not_found_is_not_above() -> None:
    (found,) = outcomes(ASKED, lambda row: [])
    assert (above(found), reciprocal(found), mean([found], hit(25))) == (0.0, 0.0, 0.0)


def test_the_interval_of_a_clear_difference_leaves_zero_out() -> None:
    good = [Outcome("x", "en", (1.0,))] * 90 + [Outcome("x", "en", (30.0,))] * 10
    poor = [Outcome("x", "en", (1.0,))] * 60 + [Outcome("x", "en", (30.0,))] * 40
    found = difference(good, poor, recall(10))
    assert found.mean == pytest.approx(0.3)
    assert 0.2 < found.low < 0.3 < found.high < 0.4
    assert (found.clear, difference(good, good, recall(10)).clear) == ("better", "")


def test_each_stage_and_each_arm_has_a_row_of_its_own() -> None:
    names = list(variants())
    assert names[0] == "default"
    assert {"without stages", "without lexical", "without dense", "fusion rrf", "smoothing 0"} <= set(names)
    lines = markdown({"default": [Outcome("as-of", "en", (1.0,))]}, {"default": 1.0})
    assert len({line.count("|") for line in lines}) == 1
