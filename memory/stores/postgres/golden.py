"""Golden questions, what they expect, and their runs, as rows. A narrowed credential sees what was written under the
same narrowing (`reach`), a whole one every question."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from loci.ground.ids import uuid7
from memory.stores.postgres.visible import Params, tenant_clause
from tenants.scope import Scope


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the memories it should find as far as there are any left of `wanted`."""

    id: UUID
    question: str
    filters: Any
    namespaces: list[str] | None
    wanted: int
    created_by: str
    created_at: datetime
    expected: Sequence[UUID]


@dataclass(frozen=True, slots=True)
class Run:
    """A run of the questions. `ranks`: question → the rank from 1 of each memory it expects, None where not found."""

    id: UUID
    settings: str
    questions: int
    recall_1: float
    recall_5: float
    recall_10: float
    mrr: float
    ranks: Mapping[str, Sequence[int | None]]
    actor: str
    at: datetime


_RUN = ", ".join(f"r.{name}" for name in Run.__dataclass_fields__)


def lock(cursor: CursorWrapper, scope: Scope) -> None:
    """Make the tenant's writers of questions wait for each other, so that they can be counted."""
    cursor.execute(
        "/* golden.lock */ SELECT pg_advisory_xact_lock(hashtextextended('loci.golden.' || %s::text, 0))",
        [scope.tenant],
    )


def _mine(alias: str, scope: Scope, reach: str, params: Params) -> str:
    clause = tenant_clause(alias, scope, params)
    return clause if scope.whole else f"{clause} AND {alias}.reach = {params.add(reach)}"


def count(cursor: CursorWrapper, scope: Scope, reach: str | None = None) -> int:
    """How many questions there are: all of the tenant's, or those that a credential of `reach` sees."""
    params = Params()
    clause = tenant_clause("q", scope, params) if reach is None else _mine("q", scope, reach, params)
    cursor.execute(f"/* golden.count */ SELECT count(*) FROM memory_goldenquestion q WHERE {clause}", params.values)
    return int(cursor.fetchone()[0])


def known(cursor: CursorWrapper, scope: Scope, digests: Sequence[str]) -> dict[str, UUID]:
    """Digest → id, of those that are there."""
    params = Params()
    cursor.execute(
        "/* golden.known */ SELECT q.digest, q.id FROM memory_goldenquestion q"
        f" WHERE {tenant_clause('q', scope, params)} AND q.digest = ANY({params.add(list(digests))}::text[])",
        params.values,
    )
    return dict(cursor.fetchall())


def add(cursor: CursorWrapper, scope: Scope, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert questions: `id`, `question`, `filters`, `namespaces`, `reach`, `digest`."""
    cursor.execute(
        """/* golden.add */ INSERT INTO memory_goldenquestion
            (tenant_id, id, question, filters, namespaces, reach, digest, wanted, created_by, created_at)
        SELECT %s, r.id, r.question, r.filters, r.namespaces, r.reach, r.digest, 0, %s, clock_timestamp()
        FROM json_to_recordset(%s::json)
            AS r(id uuid, question text, filters jsonb, namespaces jsonb, reach text, digest text)""",
        [scope.tenant, str(scope.actor), json.dumps(rows, default=str)],
    )


def expect(cursor: CursorWrapper, scope: Scope, pairs: Sequence[tuple[UUID, UUID]]) -> dict[UUID, int]:
    """Have questions expect memories, (question, memory) each; of each question for which something is new, how many
    it expects now."""
    params = Params({"questions": [pair[0] for pair in pairs], "memories": [pair[1] for pair in pairs]})
    cursor.execute(
        f"""/* golden.expect */ WITH added AS (
            INSERT INTO memory_goldenexpectation (tenant_id, question_id, memory_id)
            SELECT %(tenant)s, p.question, p.memory
            FROM unnest(%(questions)s::uuid[], %(memories)s::uuid[]) AS p(question, memory)
            ORDER BY 2, 3 ON CONFLICT DO NOTHING RETURNING question_id)
        UPDATE memory_goldenquestion AS q SET wanted = q.wanted + a.n
        FROM (SELECT question_id, count(*) AS n FROM added GROUP BY question_id) AS a
        WHERE {tenant_clause("q", scope, params)} AND q.id = a.question_id RETURNING q.id, q.wanted""",
        params.values,
    )
    return dict(cursor.fetchall())


def page(cursor: CursorWrapper, scope: Scope, *, reach: str, before: UUID | None, limit: int) -> list[Question]:
    """Questions, newest first, from before the one with the id `before`."""
    params = Params()
    clauses = [_mine("q", scope, reach, params)]
    if before is not None:
        clauses.append(f"q.id < {params.add(before)}")
    cursor.execute(
        f"""/* golden.page */ SELECT q.id, q.question, q.filters, q.namespaces, q.wanted, q.created_by, q.created_at,
            ARRAY(SELECT e.memory_id FROM memory_goldenexpectation e
                WHERE {tenant_clause("e", scope, params)} AND e.question_id = q.id ORDER BY e.memory_id)
        FROM memory_goldenquestion q WHERE {" AND ".join(clauses)} ORDER BY q.id DESC LIMIT {params.add(limit)}""",
        params.values,
    )
    return [Question(row[0], row[1], _read(row[2]), _read(row[3]), *row[4:]) for row in cursor.fetchall()]


def _read(value: Any) -> Any:
    """A column of jsonb: a raw cursor hands it over as text."""
    return json.loads(value) if isinstance(value, str) else value


def texts(cursor: CursorWrapper, scope: Scope, reach: str, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Id → what is asked, of those that are there."""
    params = Params()
    cursor.execute(
        f"/* golden.texts */ SELECT q.id, q.question FROM memory_goldenquestion q"
        f" WHERE {_mine('q', scope, reach, params)} AND q.id = ANY({params.add(list(ids))}::uuid[])",
        params.values,
    )
    return dict(cursor.fetchall())


def remove(cursor: CursorWrapper, scope: Scope, reach: str, ids: Sequence[UUID]) -> int:
    """Delete questions with what they expect; how many there were."""
    params = Params()
    cursor.execute(
        f"/* golden.remove */ DELETE FROM memory_goldenquestion AS q WHERE {_mine('q', scope, reach, params)}"
        f" AND q.id = ANY({params.add(sorted(set(ids)))}::uuid[])",
        params.values,
    )
    return int(cursor.rowcount)


def add_run(cursor: CursorWrapper, scope: Scope, reach: str, run: Mapping[str, Any], keep: int) -> None:
    """Insert a run unless it is there, and let go of all but the newest `keep` of this reach."""
    cursor.execute(
        """/* golden.run */ INSERT INTO memory_goldenrun (tenant_id, id, reach, settings, questions, recall_1, recall_5,
            recall_10, mrr, ranks, actor, at)
        VALUES (%(tenant)s, %(id)s, %(reach)s, %(settings)s, %(questions)s, %(recall_1)s, %(recall_5)s, %(recall_10)s,
            %(mrr)s, %(ranks)s::jsonb, %(actor)s, clock_timestamp()) ON CONFLICT DO NOTHING""",
        {
            "id": uuid7(),
            **run,
            "tenant": scope.tenant,
            "reach": reach,
            "ranks": json.dumps(run["ranks"]),
            "actor": str(scope.actor),
        },
    )
    params = Params({"reach": reach, "keep": keep})
    cursor.execute(
        f"""/* golden.forget_runs */ DELETE FROM memory_goldenrun AS r WHERE {tenant_clause("r", scope, params)}
            AND r.reach = %(reach)s AND r.id <= (SELECT o.id FROM memory_goldenrun o
                WHERE {tenant_clause("o", scope, params)} AND o.reach = %(reach)s
                ORDER BY o.id DESC OFFSET %(keep)s LIMIT 1)""",
        params.values,
    )


def runs(
    cursor: CursorWrapper, scope: Scope, reach: str, *, upto: UUID | None = None, before: UUID | None = None,
    limit: int,
) -> list[Run]:  # fmt: skip
    """Runs of this reach, newest first, from `upto` or from before `before`."""
    params = Params()
    clauses = [tenant_clause("r", scope, params), f"r.reach = {params.add(reach)}"]
    if upto is not None:
        clauses.append(f"r.id <= {params.add(upto)}")
    if before is not None:
        clauses.append(f"r.id < {params.add(before)}")
    cursor.execute(
        f"/* golden.runs */ SELECT {_RUN} FROM memory_goldenrun r WHERE {' AND '.join(clauses)}"
        f" ORDER BY r.id DESC LIMIT {params.add(limit)}",
        params.values,
    )
    named = (dict(zip(Run.__dataclass_fields__, row, strict=True)) for row in cursor.fetchall())
    return [Run(**{**row, "ranks": _read(row["ranks"])}) for row in named]
