"""Text files of a folder as memories.

The id of a memory is made from its namespace, source, offset and text. A file's source is its path, and it is cut in
the same places each time; so a file that is sent again makes no second memory, and one that changed makes memories
only of the windows that are new. What this folder's files made before and do not hold any more is retracted, never
erased, and only where `metadata.ingest_root` says that it came from here.
"""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loci_client.clients import Loci
from loci_client.errors import NotFound
from loci_client.models import Item
from loci_client.windows import windows

SUFFIXES = frozenset({".md", ".txt"})
MAX_FILE_BYTES = 32 * 2**20
ROOT_FIELD = "ingest_root"


@dataclass(frozen=True)
class FileOutcome:
    """What became of a file: windows that are new, that were there already, and that it does not hold any more."""

    path: Path
    source: str
    stored: int = 0
    unchanged: int = 0
    retracted: int = 0
    error: str = ""


@dataclass(frozen=True)
class Folder:
    """A folder, or a single file. `root` is the first part of its sources, and what their memories are known by."""

    path: Path
    root: str
    namespace: str | None = None

    @classmethod
    def at(cls, path: Path, root: str | None = None, namespace: str | None = None) -> "Folder":
        """The folder at `path`, known by its own name when `root` does not say otherwise."""
        path = path.resolve()
        return cls(path, root or path.name, namespace)

    def files(self) -> list[Path]:
        """The text files, in order. What is hidden, and symbolic links, are passed over."""
        if self.path.is_file():
            return [self.path]
        found = []
        for folder, inner, names in os.walk(self.path):
            inner[:] = [name for name in inner if not name.startswith(".")]
            paths = (Path(folder, name) for name in names if not name.startswith("."))
            found += [path for path in paths if path.suffix.lower() in SUFFIXES and not path.is_symlink()]
        return sorted(path for path in found if path.is_file())

    def source_of(self, path: Path) -> str:
        """The source that a file's memories carry."""
        return self.root if path == self.path else f"{self.root}/{path.relative_to(self.path).as_posix()}"

    def items(self, path: Path) -> Iterator[Item]:
        """The windows of a file. OSError or UnicodeError when it cannot be read."""
        if path.stat().st_size > MAX_FILE_BYTES:
            raise OSError(f"is over {MAX_FILE_BYTES // 2**20} MB")
        text = path.read_bytes().decode("utf-8-sig").replace("\0", "")
        for offset, piece in windows(text):
            if piece.strip():
                item: Item = {
                    "text": piece,
                    "source": self.source_of(path),
                    "offset": offset,
                    "metadata": {ROOT_FIELD: self.root},
                }
                if self.namespace:
                    item["namespace"] = self.namespace
                yield item


@dataclass
class Ingestion:
    """Stores the files of a folder. `keep` leaves in place what files do not hold any more."""

    loci: Loci
    folder: Folder
    keep: bool = False
    _written: str | None = None
    _namespace: str | None = None

    def file(self, path: Path) -> FileOutcome:
        """Store one file. What is wrong with the file is told in the outcome; what is wrong with Loci is raised."""
        source = self.folder.source_of(path)
        try:
            items = list(self.folder.items(path))
        except (OSError, UnicodeError) as error:
            return FileOutcome(path, source, error=_reason(error))
        outcomes = list(self.loci.ingest(items))
        failed = [outcome.reason or "no reason given" for outcome in outcomes if outcome.status == "failed"]
        stored = sum(outcome.status == "stored" for outcome in outcomes)
        if failed:
            unchanged = len(outcomes) - stored - len(failed)
            return FileOutcome(path, source, stored, unchanged, error=failed[0])
        ids = {outcome.id for outcome in outcomes if outcome.id}
        self._written = self._written or min(ids, default=None)
        retracted = 0 if self.keep else self._retract_stale(source, ids)
        return FileOutcome(path, source, stored, len(outcomes) - stored, retracted)

    def gone(self, path: Path) -> FileOutcome:
        """Retract what a file made that is not there any more."""
        source = self.folder.source_of(path)
        return FileOutcome(path, source, retracted=0 if self.keep else self._retract_stale(source, set()))

    def _retract_stale(self, source: str, current: set[str]) -> int:
        stale = [
            listed.id
            for listed in self.loci.memories(source)
            # what has a hash was stored by the server's own command, and is that one's to keep up to date
            if listed.id not in current and listed.content_hash is None and self._ours(listed.id)
        ]
        return self.loci.forget(ids=stale) if stale else 0

    def _ours(self, memory_id: str) -> bool:
        try:
            memory = self.loci.get(memory_id)
        except NotFound:
            return False
        return memory.metadata.get(ROOT_FIELD) == self.folder.root and memory.namespace == self._written_to()

    def _written_to(self) -> str:
        """The namespace that this ingestion writes to: the server may choose it, for a key that reaches only one."""
        if self._namespace is None:
            asked = self.folder.namespace
            self._namespace = asked or (self.loci.get(self._written).namespace if self._written else "default")
        return self._namespace


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeError):
        return "is not UTF-8"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


@dataclass
class Watch:
    """Looks again and again for files that came, changed or went. A file counts as changed once it has stayed the
    same between two looks, so that one being written is not read halfway."""

    ingestion: Ingestion
    _done: dict[Path, tuple[tuple[int, int], str]] = field(default_factory=dict)
    _seen: dict[Path, tuple[int, int]] = field(default_factory=dict)

    def first(self) -> Iterator[FileOutcome]:
        """All files as they are now."""
        self._seen = self._stamps()
        yield from self._changed()

    def look(self) -> Iterator[FileOutcome]:
        """What has changed since the last look. After a LociError the same files are taken up by the next look."""
        before, self._seen = self._seen, self._stamps()
        for path in sorted(self._done.keys() - self._seen.keys()):
            outcome = self.ingestion.gone(path)
            del self._done[path]
            yield outcome
        yield from self._changed(before)

    def _changed(self, before: dict[Path, tuple[int, int]] | None = None) -> Iterator[FileOutcome]:
        for path, stamp in self._seen.items():
            known = self._done.get(path)
            settled = before is None or before.get(path) == stamp
            if not settled or (known and known[0] == stamp):
                continue
            digest = _digest(path)
            if known is None or known[1] != digest:
                outcome = self.ingestion.file(path)
                self._done[path] = (stamp, digest)
                yield outcome
            self._done[path] = (stamp, digest)

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        stamps: dict[Path, tuple[int, int]] = {}
        for path in self.ingestion.folder.files():
            try:
                found = path.stat()
            except OSError:
                continue
            stamps[path] = (found.st_mtime_ns, found.st_size)
        return stamps


def _digest(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        return f"unreadable: {error.errno}"
