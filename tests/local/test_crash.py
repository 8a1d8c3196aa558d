"""kill -9 between commit and indexing loses nothing: not in the web process, not in the worker."""

import contextlib
import json
import os
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.local.running import Running, free_port, wait_for

TEXT = "The spare key lies under the blue flower pot."


class Stopped:
    """A running Loci whose embedder stands still as long as the gate is shut."""

    def __init__(self, folder: Path, **settings: str) -> None:
        self.gate = folder / "gate"
        self.gate.touch()
        (folder / "var").mkdir(mode=0o755)
        (folder / "var" / "docs-ingested").touch()  # the demo starts empty
        self.loci = Running(
            folder / "var",
            free_port(),
            EMBEDDER="tests.local.gate.Gated",
            GATE=str(self.gate),
            SWEEP_SECONDS="1",
            **settings,
        ).wait_started()
        # the demo's own key is narrowed, and is not told the tenant's figures
        key = json.loads(self.loci.manage("create_key", "demo", "--scopes", "read,write", "--json"))["service_key"]
        self.client = httpx.Client(base_url=self.loci.url + "/api/v1", headers={"X-API-Key": key}, timeout=30)

    def write(self, text: str) -> None:
        """Store a text; the answer may never come."""
        with contextlib.suppress(httpx.HTTPError):
            self.client.post("/memories", json={"items": [{"text": text}]})

    def standing(self) -> int:
        """The pid of the process that waits at the gate."""
        mark = self.gate.with_suffix(".reached")
        pid = int(wait_for(lambda: mark.exists() and mark.read_text()))
        mark.unlink()
        return pid

    def status(self) -> dict[str, Any]:
        """The tenant's figures; empty while the server is away."""
        try:
            found: dict[str, Any] = self.client.get("/status").json()["tenant"]
            return found
        except (httpx.HTTPError, ValueError):
            return {}

    def vector_hits(self, query: str) -> list[str]:
        """Texts that the vector arm found."""
        answer = self.client.post("/recall", json={"query": query}).json()
        return [result["text"] for result in answer["results"] if "vector" in result["retrievers"]]


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="loci-crash-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.mark.parametrize(("by", "settings"), [
    ("web", {"INDEX_WAIT": "5"}),
    ("worker", {"INDEX_WAIT": "0", "INDEX_LEASE": "2"}),
])  # fmt: skip
def test_a_memory_survives_kill_9_between_commit_and_indexing(folder: Path, by: str, settings: dict[str, str]) -> None:
    stopped = Stopped(folder, **settings)
    try:
        writer = threading.Thread(target=stopped.write, args=(TEXT,))
        writer.start()
        os.kill(stopped.standing(), signal.SIGKILL)
        writer.join()
        wait_for(lambda: stopped.status().get("memories") == 1)
        assert stopped.status()["index_pending"] == 1
        stopped.gate.unlink()
        wait_for(lambda: stopped.status().get("index_pending") == 0)
        assert stopped.vector_hits(TEXT) == [TEXT]
    finally:
        stopped.gate.unlink(missing_ok=True)
        stopped.client.close()
        stopped.loci.end()
