"""Browse: what is believed now or was retracted, newest first, a page at a time."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from loci.ground.instants import BadInstant, parse_instant, to_text
from memory.engine.filters import Filter
from memory.engine.types import Record
from memory.stores.postgres import listing
from memory.stores.postgres.listing import Place
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

Shelf = Literal["believed", "retracted"]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A page of records, newest first; `after` is where the next one begins, None at the end."""

    records: list[Record]
    after: Place | None


def browse(
    scope: Scope, *, shelf: Shelf = "believed", after: Place | None = None, limit: int = 20,
    filters: Filter | None = None,
) -> Leaf:  # fmt: skip
    """What is believed now by when Loci came to know it, or what was retracted by when; `limit` of it (1 to 500)."""
    require(scope, Right.READ)
    read = listing.newest if shelf == "believed" else listing.retracted
    with tenant_rows(scope.tenant) as cursor:
        found = read(cursor, scope, after=after, limit=limit + 1, filters=filters)
    shown = found[:limit]
    return Leaf(shown, _place(shown[-1], shelf) if len(found) > limit else None)


def _place(record: Record, shelf: Shelf) -> Place:
    at = record.payload["known_from" if shelf == "believed" else "known_to"]
    return Place(parse_instant(at, naive_is_utc=True), record.version)


def token(place: Place) -> str:
    """A place as it is written in an address: instant, `_`, version."""
    return f"{to_text(place.at)}_{place.version}"


def place_of(text: str) -> Place | None:
    """The place that `text` names; None when it names none."""
    at, _, version = text.partition("_")
    try:
        return Place(parse_instant(at, naive_is_utc=True), UUID(version))
    except (BadInstant, ValueError):
        return None
