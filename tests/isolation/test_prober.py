"""Random histories of two tenants with the same texts; then every surface is probed with every shape of key.

What a key finds is compared with a reference written in plain Python: a row too many is a leak, a row too few a fault.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from tests.isolation import strategies as draws
from tests.isolation.addresses import doors
from tests.isolation.door import visited
from tests.isolation.shapes import OTHER_TENANT, SHAPES
from tests.isolation.surfaces import SURFACES, Draw, Probe
from tests.isolation.world import Holder, World, make_world, write

EXAMPLES, STEPS = 10, 14
EACH_CELL, IN_ALL = 10, 2000
PROFILE = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    deadline=None,
    database=None,
    phases=[Phase.generate],  # an example takes seconds: to shrink one would take an hour
    suppress_health_check=list(HealthCheck),
)


def test_nobody_sees_more_or_less_than_their_key_reaches(db: None, settings: Any) -> None:
    settings.DEFAULT_QUOTAS = {}
    settings.RECALL_DEADLINE = 60.0
    visited.clear()
    ledger: Counter[tuple[str, str]] = Counter()

    @PROFILE
    @given(st.data())
    def probe_everything(data: st.DataObject) -> None:
        world = make_world()
        for _ in range(STEPS):
            _step(world, data.draw)
        _sweep(world, data.draw, ledger)

    probe_everything()
    _report(ledger)
    cells = {(surface, shape.name) for surface in SURFACES for shape in (*SHAPES, OTHER_TENANT)}
    assert {cell: ledger[cell] for cell in cells if ledger[cell] < EACH_CELL} == {}
    assert sum(ledger.values()) >= IN_ALL
    scoped = {(each.address, method) for each in doors() for method in each.rights or ()}
    assert scoped <= visited, "an address that asks for a key is on no surface: add it to surfaces.py"


def _sweep(world: World, draw: Draw, ledger: Counter[tuple[str, str]]) -> None:
    world.sweeps += 1
    for holder in world.holders:
        probe = Probe.by(world, holder, draw)
        for name, surface in SURFACES.items():
            surface(probe)
            ledger[name, holder.shape.name] += 1


def _step(world: World, draw: Draw) -> None:
    """One change by somebody who may write, within their reach or not."""
    holder = draw(st.sampled_from(world.writers()))
    action = draw(st.sampled_from([_write, _write, _write, _correct, _invalidate, _erase]))
    action(holder, draw)


def _write(holder: Holder, draw: Draw) -> None:
    item = draw(draws.items)
    fitted = holder.place.fitted(holder.shape, item)
    if fitted is None or not holder.place.strayed(holder.shape, fitted):
        write(holder, item)


def _correct(holder: Holder, draw: Draw) -> None:
    memory = draw(st.sampled_from(list(holder.place.memories)))
    change = draw(draws.changes)
    answer = holder.send("PATCH", f"memories/{memory}", change)
    assert answer.status == holder.place.correct(holder.shape, memory, change), answer.body


def _choice(holder: Holder, draw: Draw) -> Mapping[str, Any]:
    """Up to three ids, or a source."""
    ids = st.lists(st.sampled_from(list(holder.place.memories)), min_size=1, max_size=3)
    sources = st.sampled_from(draws.SOURCES[1:])
    chosen: Mapping[str, Any] = draw(
        ids.map(lambda drawn: {"ids": drawn}) | sources.map(lambda drawn: {"source": drawn})
    )
    return chosen


def _invalidate(holder: Holder, draw: Draw) -> None:
    choice = {**_choice(holder, draw), **draw(st.sampled_from([{}, {"valid_until": "2001-01-01"}]))}
    answer = holder.send("POST", "invalidate", choice)
    if holder.place.ends_too_early(holder.shape, choice):
        assert answer.status == 400, answer.body
        return
    assert answer.status == 200, answer.body
    assert answer.json["invalidated"] == holder.place.retract(holder.shape, choice)


def _erase(holder: Holder, draw: Draw) -> None:
    choice = _choice(holder, draw)
    if len(holder.place.memories) < 6:
        return
    answer = holder.send("DELETE", "memories", choice)
    assert answer.status == 200, answer.body
    assert answer.json["deleted"] == holder.place.erase(holder.shape, choice)


def _report(ledger: Counter[tuple[str, str]]) -> None:
    by_surface: Counter[str] = Counter()
    for (surface, _), times in ledger.items():
        by_surface[surface] += times
    print(f"{sum(ledger.values())} probes:", dict(by_surface))


def test_the_reference_would_notice_a_leak(db: None, settings: Any) -> None:
    """The prober itself fails when the reference knows one memory more or less than the key finds."""
    settings.DEFAULT_QUOTAS = {}
    world = make_world()
    holder = world.holders[0]
    memory, versions = holder.place.memories.popitem()
    probe = Probe.by(world, holder, _first)
    with pytest.raises(AssertionError):
        SURFACES["recall"](probe)
    holder.place.memories[memory] = versions
    SURFACES["recall"](probe)
    holder.place.memories["made up"] = [replace(versions[-1], id="made up")]
    with pytest.raises(AssertionError):
        SURFACES["recall"](probe)


def _first(strategy: st.SearchStrategy[Any]) -> Any:
    """The simplest thing that a strategy yields."""
    return find(strategy, lambda _: True)
