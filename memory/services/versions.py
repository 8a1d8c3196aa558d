"""New versions of memories, fresh or in the place of others: the rows of one write, in the one order of locks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from billing import quotas
from loci.ground.context import current as facts
from loci.ground.ids import uuid7
from loci.ground.instants import parse_instant
from memory.engine.text import Analysis, with_tags
from memory.services.prepare import check_order, validity
from memory.stores.postgres import outbox, terms, vectors, writer
from memory.stores.postgres.writer import Change, Current
from tenants.scope import Scope

LEASE_MARGIN = 5.0
"""Seconds for which a request keeps its index tasks to itself beyond the time that it waits for them."""
KEPT = (
    "tier", "kind", "event_at", "metadata", "tags", "agent", "subject", "confidence", "valid_from", "valid_to",
    "expires_at", "content_hash",
)  # fmt: skip
"""What a memory keeps when a later version does not say otherwise."""
PLACE = ("namespace", "key", "source", "position")
"""Where a memory belongs; the same in all its versions."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A version to write: `row` by column name, without what `write_versions` adds; `before` is what it succeeds."""

    row: dict[str, Any]
    analysis: Analysis
    before: Current | None = None


def kept(before: Current) -> dict[str, Any]:
    """What a successor of `before` keeps. A retraction may have ended its validity: that is taken back."""
    held = {name: before.facts[name] for name in KEPT}
    if before.known_to is not None:
        held["valid_to"] = validity(held["metadata"], "").get("valid_to")
    return held


def write_versions(
    cursor: CursorWrapper, scope: Scope, drafts: Sequence[Draft], at: datetime, lease: float | None
) -> list[UUID]:
    """Insert the drafts, believed from `at` on, and end what they succeed; the versions that still need a vector.

    `lease` is for how many seconds the caller keeps their index tasks to itself; None: there is no vector index.
    Quota and statistics, which lock what the tenant shares, come last; only the audit event may follow.
    """
    for draft in drafts:
        _check_validity(draft.row)
        draft.row.update(known_from=at, trace_id=facts.get().trace_id, written_by=str(scope.actor), embedding_space="")
    ended = {draft.before.version: draft for draft in drafts if draft.before}
    change = writer.close_versions(cursor, scope, list(ended), at) if ended else Change()
    if ended:
        writer.unmark_retracted(cursor, scope, list(ended))
    rows = [draft.row for draft in drafts]
    writer.add_versions(cursor, scope, rows)
    analyses = [with_tags(draft.analysis, draft.row["tags"], draft.row["language"]) for draft in drafts]
    terms.add_postings(cursor, scope, {row["id"]: analysis for row, analysis in zip(rows, analyses, strict=True)})
    terms.add_filter_values(cursor, scope, [(row["id"], row["metadata"], row["tags"]) for row in rows])
    pending = _index(cursor, scope, drafts, lease)
    change.memories += len(drafts) - len(ended)
    found = [analysis for analysis in analyses if analysis.everything()]
    change.documents += len(found)
    change.length += sum(analysis.length for analysis in found)
    quotas.reserve(cursor, scope, "memories", change.memories)
    writer.settle(cursor, scope, change)
    return pending


def _check_validity(row: Mapping[str, Any]) -> None:
    """What a memory kept and what is said of it now must fit together."""
    start, end = (
        parse_instant(said, naive_is_utc=True) if isinstance(said := row.get(name), str) else said
        for name in ("valid_from", "valid_to")
    )
    check_order(start, end, f"memory {row['memory_id']}: ")


def _index(cursor: CursorWrapper, scope: Scope, drafts: Sequence[Draft], lease: float | None) -> list[UUID]:
    """Copy the vectors of unchanged texts, note index tasks for the others; the others."""
    same = {
        draft.before.version: draft.row["id"]
        for draft in drafts
        if draft.before and draft.before.text == draft.row["text"]
    }
    copied = vectors.copy_vectors(cursor, scope, same)
    ids = [draft.row["id"] for draft in drafts]
    pending = [] if lease is None else [version for version in ids if version not in copied]
    vectors.mark_indexed(cursor, scope, [version for version in ids if version not in pending])
    outbox.add_index_tasks(cursor, scope, [(uuid7(), version) for version in pending], lease or 0)
    return pending
