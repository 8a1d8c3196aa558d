"""What web and worker take of the machine's memory under load."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from tests.bench import corpus
from tests.bench.client import Client, load, timed_threads
from tests.bench.context import Bench
from tests.bench.running import Loci

CLIENTS = 8
SECONDS = 20.0
EVERY = 0.25
STORED = 2_000
LIMIT = 900.0
KIND = "minilm"


def run(bench: Bench) -> None:
    """Eight clients recall and one ingests, at once and by jobs, so that the worker embeds as well."""
    kind = bench.options.embedder or KIND
    bench.report.title(f"memory: PSS of web and worker, {CLIENTS} clients recall and one ingests, embedder {kind}")
    stored = corpus.texts(STORED // 10 if bench.options.quick else STORED, 30)
    seconds = SECONDS / 4 if bench.options.quick else SECONDS
    with bench.loci(embedder=kind, worker=True) as running:
        key = running.tenants("memory")["memory"]
        idle = _megabytes(running)
        load(running.url, key, corpus.items(stored))
        work = Load(running, key, corpus.questions(500, stored), time.monotonic() + seconds)
        work.run()
    peak = max(work.samples, key=lambda sample: sum(sample.values()))
    parts = ", ".join(f"{name} {size:.0f}" for name, size in peak.items())
    bench.report.line(f"idle after start {sum(idle.values()):.0f} MB; peak {sum(peak.values()):.0f} MB ({parts})")
    answered = ", ".join(f"{number} {what}" for what, number in sorted(work.done.items()))
    bench.report.line(f"in {seconds:.0f} s: {answered}; {len(work.samples)} samples")
    bench.report.target("PSS of web and worker, peak", sum(peak.values()), LIMIT, "MB")


@dataclass(slots=True)
class Load:
    """Clients at work on one tenant until `end` (time.monotonic())."""

    running: Loci
    key: str
    queries: list[str]
    end: float
    samples: list[dict[str, float]] = field(default_factory=list)
    done: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self) -> None:
        """All at once, until the end."""
        askers = [lambda at=at: self._until_end(self._ask, at * 37) for at in range(CLIENTS)]
        timed_threads([*askers, lambda: self._until_end(self._write), lambda: self._until_end(self._sample)])

    def _until_end(self, act: Callable[[Client, int], None], first: int = 0) -> None:
        with self.running.client(self.key) as client:
            for number in count(first):
                act(client, number)
                if time.monotonic() > self.end:
                    return

    def _ask(self, client: Client, number: int) -> None:
        answer = client.post("/recall", {"query": self.queries[number % len(self.queries)]})
        with self.lock:
            self.done["recalls degraded" if answer["degraded"] else "recalls whole"] += 1

    def _write(self, client: Client, number: int) -> None:
        size = 200 if number % 4 == 0 else 64
        items = list(corpus.items(corpus.texts(size, 60, seed=number + 5000), first=100_000 + 1000 * number))
        client.post("/memories", {"items": items})
        with self.lock:
            self.done["memories sent"] += size

    def _sample(self, client: Client, number: int) -> None:
        self.samples.append(_megabytes(self.running))
        time.sleep(EVERY)


def _megabytes(running: Loci) -> dict[str, float]:
    """The proportional set size of each child and all its descendants."""
    return {
        child.name: sum(_pss(pid) for pid in _family(child.process.pid)) for child in running.children if child.process
    }


def _family(pid: int) -> list[int]:
    """The process and its descendants."""
    try:
        kids = [
            int(kid) for task in Path(f"/proc/{pid}/task").iterdir() for kid in (task / "children").read_text().split()
        ]
    except FileNotFoundError:
        return []
    return [pid, *(below for kid in kids for below in _family(kid))]


def _pss(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
