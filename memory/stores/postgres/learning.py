"""What use has taught, as rows: uses, showings, and what feedback says of the arms. Every change is one upsert, so that
workers may do it at the same time; rows are taken in order of id, so that none waits for another in a circle."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope

HOURS_KEPT = 25
STALE_A_TIME = 500
"""Outdated rows that one recording takes away with it."""
RATE, DECAY, UNDECIDED, LEAST, MOST = 0.15, 0.995, 0.5, 0.05, 0.95
"""How far a feedback moves q towards its reward; what is kept of the distance from the middle before; the bounds."""


@dataclass(slots=True)
class Taught:
    """`uses`: memory → (count, days since the last); `shown`: memory → times within a day; `arms`: arm → (q, n)."""

    uses: dict[UUID, tuple[float, float]] = field(default_factory=dict)
    shown: dict[UUID, float] = field(default_factory=dict)
    arms: dict[str, tuple[float, int]] = field(default_factory=dict)


def read(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID], shape: str) -> Taught:
    """All that is known about `memories`, and about the arms for queries of `shape`."""
    params = Params({"memories": list(memories), "shape": shape, "hours": HOURS_KEPT - 1})
    uses, shown, arms = (tenant_clause(alias, scope, params) for alias in ("a", "e", "w"))
    cursor.execute(
        f"""/* learning.read */
        SELECT 'use', a.memory_id, '', a.count::float8,
            (extract(epoch FROM statement_timestamp() - a.last_at) / 86400)::float8
        FROM memory_access a WHERE {uses} AND a.memory_id = ANY(%(memories)s::uuid[])
        UNION ALL
        SELECT 'shown', e.memory_id, '', sum(e.count)::float8, 0
        FROM memory_exposure e WHERE {shown} AND e.memory_id = ANY(%(memories)s::uuid[])
            AND e.at > statement_timestamp() - make_interval(hours => %(hours)s) GROUP BY e.memory_id
        UNION ALL
        SELECT 'arm', NULL, w.arm, w.q, w.n FROM memory_learnedweight w WHERE {arms} AND w.shape = %(shape)s""",
        params.values,
    )
    taught = Taught()
    for kind, memory, arm, one, other in cursor.fetchall():
        if kind == "use":
            taught.uses[memory] = (one, max(0.0, other))
        elif kind == "shown":
            taught.shown[memory] = one
        else:
            taught.arms[arm] = (one, int(other))
    return taught


def count_use(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID]) -> None:
    """One use more of each of `memories` that there is."""
    params = Params({"memories": list(memories)})
    cursor.execute(
        f"""/* learning.use */ INSERT INTO memory_access AS a (tenant_id, memory_id, count, last_at)
        SELECT m.tenant_id, m.id, 1, statement_timestamp() FROM memory_memory m
        WHERE {tenant_clause("m", scope, params)} AND m.id = ANY(%(memories)s::uuid[]) ORDER BY m.id
        ON CONFLICT (tenant_id, memory_id) DO UPDATE
        SET count = a.count + 1, last_at = greatest(a.last_at, excluded.last_at)""",
        params.values,
    )


def count_showing(cursor: CursorWrapper, scope: Scope, memories: Sequence[UUID]) -> None:
    """One showing more, in this hour, of each of `memories` that there is; some of what is outdated goes."""
    params = Params({"memories": list(memories)})
    cursor.execute(
        f"""/* learning.show */ INSERT INTO memory_exposure AS e (tenant_id, memory_id, at, count)
        SELECT m.tenant_id, m.id, date_trunc('hour', statement_timestamp(), 'UTC'), 1 FROM memory_memory m
        WHERE {tenant_clause("m", scope, params)} AND m.id = ANY(%(memories)s::uuid[]) ORDER BY m.id
        ON CONFLICT (tenant_id, memory_id, at) DO UPDATE SET count = e.count + 1""",
        params.values,
    )
    _drop_stale(cursor, scope)


def _drop_stale(cursor: CursorWrapper, scope: Scope) -> None:
    params = Params({"hours": HOURS_KEPT, "most": STALE_A_TIME})
    cursor.execute(
        f"""/* learning.stale */ DELETE FROM memory_exposure AS e USING (
            SELECT s.memory_id, s.at FROM memory_exposure s
            WHERE {tenant_clause("s", scope, params)}
                AND s.at < statement_timestamp() - make_interval(hours => %(hours)s)
            ORDER BY s.at LIMIT %(most)s FOR UPDATE SKIP LOCKED) AS old
        WHERE {tenant_clause("e", scope, params)} AND e.memory_id = old.memory_id AND e.at = old.at""",
        params.values,
    )


def teach(cursor: CursorWrapper, scope: Scope, arms: Sequence[str], shape: str, reward: float) -> int:
    """Move what is known of `arms` for queries of `shape` towards `reward` (0 to 1); how many rows that were."""
    cursor.execute(
        """/* learning.teach */ INSERT INTO memory_learnedweight AS w (tenant_id, arm, shape, q, n)
        SELECT %(tenant)s, arm, %(shape)s,
            %(middle)s + %(rate)s * (%(reward)s::float8 - %(middle)s), 1
        FROM unnest(%(arms)s::text[]) AS arm ORDER BY arm
        ON CONFLICT (tenant_id, arm, shape) DO UPDATE SET n = w.n + 1,
            q = least(%(most)s, greatest(%(least)s, (1 - %(rate)s) * (w.q * %(decay)s + %(middle)s * (1 - %(decay)s))
                + %(rate)s * %(reward)s::float8))""",
        {
            "tenant": scope.tenant,
            "arms": sorted(set(arms)),
            "shape": shape,
            "reward": reward,
            "rate": RATE,
            "decay": DECAY,
            "middle": UNDECIDED,
            "least": LEAST,
            "most": MOST,
        },
    )
    return int(cursor.rowcount)
