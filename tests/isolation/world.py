"""Two tenants with the same texts, a key of every shape, and what each is expected to hold."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import UUID

from memory.services.indexing import index_pending
from memory.services.jobs import run_next
from tenants.services.tenants import create_tenant
from tests.isolation.door import Answer, send
from tests.isolation.place import Place
from tests.isolation.shapes import OTHER_TENANT, SHAPES, Shape, secret_of

_numbers: Iterator[int] = count()
JOB_ITEMS = 65


@dataclass(frozen=True)
class Holder:
    """Somebody with a key of a shape: `place` is what their tenant holds, `other` what they must never notice."""

    shape: Shape
    key: str | None
    tenant: UUID
    place: Place
    other_tenant: UUID
    other: Place

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        return send(self.key, method, path, body, **headers)

    def barred(self, right: str) -> tuple[int, str] | None:
        """The status and code that the credential alone brings about, if any."""
        if self.shape.refused:
            return 401, self.shape.refused
        return None if self.shape.may(right) else (403, "insufficient_scope")


@dataclass
class World:
    """`holders`: the ring of the first tenant, and one key of the second."""

    tenants: tuple[UUID, UUID]
    places: tuple[Place, Place]
    holders: list[Holder] = field(default_factory=list)
    mirror: list[Holder] = field(default_factory=list)
    sweeps: int = 0

    def writers(self) -> list[Holder]:
        """Those who may write, of both tenants."""
        return [one for one in (*self.holders, *self.mirror) if not one.barred("write") and one.shape.namespaces]


def make_world() -> World:
    """Two new tenants. The second holds one canary, in a source of its own, that the first knows nothing like."""
    number = next(_numbers)
    first, second = create_tenant(f"first-{number}"), create_tenant(f"second-{number}")
    world = World((first, second), (Place(), Place()))
    here, there = world.places
    world.holders = [Holder(shape, secret_of(shape, first), first, here, second, there) for shape in SHAPES]
    world.holders.append(Holder(OTHER_TENANT, secret_of(OTHER_TENANT, second), second, there, first, here))
    narrow = [shape for shape in SHAPES if not shape.refused]
    world.mirror = [Holder(shape, secret_of(shape, second), second, there, first, here) for shape in narrow]
    for holder in (_by_name(world.holders, "read_write"), _by_name(world.mirror, "read_write")):
        write(holder, {"text": f"Canary {holder.tenant.hex}.", "source": f"canary-{holder.tenant.hex}"})
    for holder in (*world.holders, *world.mirror):
        if holder.shape.name in ("read_write", "by_namespace", "other_tenant"):
            submit_job(holder)
    while run_next():
        pass
    while index_pending():
        pass
    return world


def _by_name(holders: list[Holder], name: str) -> Holder:
    return next(one for one in holders if one.shape.name == name)


def write(holder: Holder, item: Mapping[str, Any], **headers: str) -> Answer:
    """Write one item and check the outcome against the reference."""
    answer = holder.send("POST", "memories", {"items": [item]}, **headers)
    fitted = holder.place.fitted(holder.shape, item)
    if (barred := holder.barred("write")) is not None:
        assert (answer.status, answer.code) == barred
        return answer
    if fitted is None:
        assert answer.status == 403 and answer.code.endswith("_out_of_reach"), answer.body
        return answer
    assert answer.status == 200, answer.body
    (result,) = answer.json["results"]
    assert result["id"] not in holder.other.memories
    assert result["status"] == holder.place.write(holder.shape, fitted, result["id"])
    assert result["searchable"] is True
    return answer


def submit_job(holder: Holder) -> None:
    """Queue one item, sent so often that it becomes a job."""
    item = {"text": "The same note, sent many times.", "source": f"job-{holder.shape.name}"}
    answer = holder.send("POST", "memories", {"items": [item] * JOB_ITEMS})
    assert answer.status == 202, answer.body
    holder.place.jobs[answer.json["job"]] = holder.key or ""
    fitted = holder.place.fitted(holder.shape, item)
    assert fitted is not None
    while run_next():
        pass
    result = holder.send("GET", f"jobs/{answer.json['job']}").json
    assert (result["state"], result["result"]["stored"], result["done"]) == ("succeeded", 1, JOB_ITEMS)
    holder.place.write(holder.shape, fitted, result["result"]["results"][0]["id"])
