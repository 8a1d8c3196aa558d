"""Survey: what a tenant's memories are like, from samples and bounded counts that stay cheap however many there are."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.engine.filters import Filter
from memory.engine.types import NOW, View
from memory.stores.postgres import listing
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope

SAMPLE = 2000
MOST = 1000


@dataclass(frozen=True, slots=True)
class Shares:
    """How the newest memories divide; `whole` when those are all there are. None among kinds: without one."""

    counted: int
    whole: bool
    tiers: Mapping[str, int]
    kinds: Mapping[str | None, int]
    namespaces: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Rows:
    """What is stored of one memory: its versions, and what the indexes hold of them."""

    versions: int
    vectors: int
    words: int
    values: int


def shares(scope: Scope, *, sample: int = SAMPLE) -> Shares:
    """How the newest `sample` memories divide by tier, kind and namespace."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        groups = listing.shares(cursor, scope, sample)
    tiers, kinds, namespaces = Counter[str](), Counter[str | None](), Counter[str]()
    for tier, kind, namespace, number in groups:
        tiers[tier] += number
        kinds[kind] += number
        namespaces[namespace] += number
    counted = sum(tiers.values())
    largest_first = dict(tiers.most_common()), dict(kinds.most_common()), dict(namespaces.most_common())
    return Shares(counted, counted < sample, *largest_first)


def known_keys(scope: Scope, *, limit: int = 60) -> list[str]:
    """The first `limit` metadata keys and `tags` that memories have values for; none for a narrowed credential."""
    require(scope, Right.READ)
    if not scope.whole:
        return []
    with tenant_rows(scope.tenant) as cursor:
        return listing.keys(cursor, scope, limit)


def count_each(scope: Scope, filters: Sequence[Filter | None], *, view: View = NOW, most: int = MOST) -> list[int]:
    """How many memories pass each filter, each counted up to `most`."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        return [listing.matching(cursor, scope, each, view, most) for each in filters]


def rows_of(scope: Scope, memory: UUID) -> Rows:
    """What is stored of a memory, and would go with it."""
    require(scope, Right.READ)
    with tenant_rows(scope.tenant) as cursor:
        return Rows(*listing.rows_of(cursor, scope, memory))
