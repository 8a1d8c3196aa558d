"""Ingest: text files of a folder into memories. Idempotent, since ids are content-addressed; resumable, since a file
whose chunks are all stored is passed over."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from uuid import UUID

from loci.ground.errors import RuleBroken
from memory.engine.filters import Equals
from memory.engine.identity import content_id
from memory.engine.items import Item
from memory.engine.text import windows
from memory.services.forget import PER_CALL, erase
from memory.services.lookup import list_memories
from memory.services.prepare import check_rules
from memory.services.remember import remember
from tenants.scope import Scope
from tenants.services.tenants import tenant_secret

SUFFIXES = frozenset({".md", ".txt"})
CHUNK_CHARS = 800
MAX_FILE_BYTES = 32 * 1024 * 1024
BATCH = 64


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one file; `skipped` when everything was there already, `error` when it could not be read."""

    path: Path
    stored: int = 0
    duplicates: int = 0
    skipped: bool = False
    error: str = ""


@dataclass(frozen=True, slots=True)
class Folder:
    """Where files come from: `root` names it in `metadata.index_root`, so that pruning knows its own. `exclude` are
    patterns (`seeds.md`, `decisions/*`) of paths below it that do not count; with `include`, only those
    count that are like one of its patterns."""

    path: Path
    root: str
    namespace: str = "default"
    exclude: tuple[str, ...] = ()
    include: tuple[str, ...] = ()

    def files(self) -> list[Path]:
        """The text files, in order; a single file stands for itself. Symbolic links are not followed."""
        if self.path.is_file():
            return [self.path]
        found = (path for path in self.path.rglob("*") if path.suffix.lower() in SUFFIXES)
        return sorted(path for path in found if path.is_file() and not path.is_symlink() and self._counts(path))

    def _counts(self, path: Path) -> bool:
        place = path.relative_to(self.path).as_posix()
        wanted = not self.include or any(fnmatchcase(place, pattern) for pattern in self.include)
        return wanted and not any(fnmatchcase(place, pattern) for pattern in self.exclude)

    def source_of(self, path: Path) -> str:
        """The source that a file's memories carry: its path below the folder's parent."""
        base = self.path.parent
        return path.relative_to(base).as_posix()


def folder_at(
    path: Path, root: str | None = None, namespace: str = "default", exclude: Sequence[str] = (),
    include: Sequence[str] = (),
) -> Folder:  # fmt: skip
    """The folder (or single file) at `path`; `RuleBroken` when there is none."""
    path = path.resolve()
    if not path.exists():
        raise RuleBroken(f"There is no {path}.")
    return Folder(path, root or path.name, namespace, tuple(exclude), tuple(include))


def ingest_file(scope: Scope, folder: Folder, path: Path) -> tuple[FileOutcome, set[UUID]]:
    """Store one file; its outcome and the ids of all its memories. A file that cannot be read is an outcome too."""
    try:
        return _ingest(scope, folder, path)
    except (OSError, UnicodeError, RuleBroken) as error:
        return FileOutcome(path, error=f"{type(error).__name__}: {error}"), set()


def _ingest(scope: Scope, folder: Folder, path: Path) -> tuple[FileOutcome, set[UUID]]:
    items = list(_items(folder, path))
    check_rules(items)
    secret = tenant_secret(scope.tenant)
    ids = {content_id(secret, item.namespace, item.source, item.offset, item.text) for item in items}
    if items and _stored(scope, items[0]) == ids:
        return FileOutcome(path, duplicates=len(items), skipped=True), ids
    outcomes = [
        outcome
        for start in range(0, len(items), BATCH)
        for outcome in remember(scope, items=items[start : start + BATCH])
    ]
    stored = sum(outcome.status == "stored" for outcome in outcomes)
    return FileOutcome(path, stored, len(outcomes) - stored), ids


def _items(folder: Folder, path: Path) -> Iterator[Item]:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise RuleBroken(f"is over {MAX_FILE_BYTES // 2**20} MB")
    raw = path.read_bytes()
    text = raw.decode("utf-8-sig").replace("\0", "")
    digest = hashlib.sha256(raw).hexdigest()
    for index, (offset, piece) in enumerate(windows(text, CHUNK_CHARS)):
        if piece.strip():
            yield Item(
                index=index,
                text=piece,
                source=folder.source_of(path),
                namespace=folder.namespace,
                offset=offset,
                metadata={"index_root": folder.root},
                content_hash=digest,
            )


def _stored(scope: Scope, item: Item) -> set[UUID]:
    """The memories of the item's source that were made from a file with the same content."""
    found: set[UUID] = set()
    after: UUID | None = None
    while True:
        page = list_memories(scope, source=item.source, after=after)
        found |= {record.id for record in page.records if record.payload["content_hash"] == item.content_hash}
        if page.complete:
            return found
        after = page.records[-1].id


def prune(scope: Scope, folder: Folder, keep: set[UUID]) -> int:
    """Erase the folder's memories that are not in `keep`; how many."""
    return _erase_all(scope, folder, keep)


def recreate(scope: Scope, folder: Folder) -> int:
    """Erase all of the folder's memories; how many."""
    return _erase_all(scope, folder, set())


def _erase_all(scope: Scope, folder: Folder, keep: set[UUID]) -> int:
    gone, after = 0, None
    while True:
        page = list_memories(scope, after=after, filters=Equals("metadata.index_root", folder.root))
        stale = [record.id for record in page.records if record.id not in keep]
        for start in range(0, len(stale), PER_CALL):
            gone += erase(scope, ids=stale[start : start + PER_CALL]).changed
        if page.complete:
            return gone
        after = page.records[-1].id
