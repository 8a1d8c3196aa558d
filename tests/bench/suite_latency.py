"""Recall over HTTP in one growing tenant, beside what its two arms cost as plain SQL."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice

from tests.bench import corpus
from tests.bench.client import Client, load
from tests.bench.context import Bench
from tests.bench.floor import Floor, floor
from tests.bench.report import percentiles

KIND = "static"
WARM_UP = 20
PARTS = ("vector", "bm25", "pool", "texts")
"""The trace's names of what the database does."""
LIMITS = {10_000: 60.0, 100_000: 300.0}
HEAD = ("memories", "recall p50", "p95", "database p50", "p95", "floor p50", "p95", "recall/floor", "database/floor")


@dataclass(slots=True)
class Times:
    """Milliseconds of each query, in the same order."""

    recall: list[float] = field(default_factory=list)
    database: list[float] = field(default_factory=list)
    floor: list[float] = field(default_factory=list)
    parts: dict[str, list[float]] = field(default_factory=lambda: {part: [] for part in PARTS})


def run(bench: Bench) -> None:
    """Grow the tenant from size to size and measure at each."""
    bench.report.title(f"latency: POST /recall, one client, one tenant, embedder {KIND}; milliseconds")
    sizes = bench.options.sizes
    stored = corpus.texts(max(sizes), 30)
    rows, notes = [], []
    with bench.loci(embedder=KIND) as running:
        key = running.tenants("latency")["latency"]
        with running.client(key) as client, floor(running, "latency", KIND) as plain:
            there = 0
            for size in sizes:
                items = list(corpus.items(stored[there:size], first=there))
                took = load(running.url, key, items, threads=3)
                bench.report.progress(f"{size} memories; {len(items)} loaded in {took:.0f} s")
                notes.append(f"{len(items)} more in {took:.0f} s ({len(items) / took:.0f}/s)")
                running.vacuum()
                there = size
                times = measure(client, plain, corpus.questions(bench.options.queries + WARM_UP, stored[:size]))
                rows.append(_row(bench, size, times))
                notes.append(_parts(size, times))
    bench.report.table(HEAD, rows)
    for note in notes:
        bench.report.line(note)


def measure(client: Client, plain: Floor, queries: Sequence[str]) -> Times:
    """Each query as a recall, as a traced recall for its database time, and as the floor, in turning order."""
    times = Times()

    def traced(query: str) -> float:
        timings = client.recall(query, include_trace=True)["trace"]["timings_ms"]
        if missing := set(PARTS) - set(timings):
            raise RuntimeError(f"the trace does not time {', '.join(sorted(missing))}")
        for part in PARTS:
            times.parts[part].append(timings[part])
        return float(sum(timings[part] for part in PARTS))

    ways = [(client.timed_recall, times.recall), (traced, times.database), (plain.timed, times.floor)]
    for at, query in enumerate(queries):
        for way, kept in islice(cycle(ways), at % 3, at % 3 + 3):
            kept.append(way(query))
    for kept in (times.recall, times.database, times.floor, *times.parts.values()):
        del kept[:WARM_UP]
    return times


def _row(bench: Bench, size: int, times: Times) -> list[str]:
    recall, database, least = (percentiles(kept) for kept in (times.recall, times.database, times.floor))
    if size in LIMITS:
        bench.report.target(f"recall p50 / floor p50 at {size}", recall[0] / least[0], 2.0)
        bench.report.target(f"recall p50 at {size}", recall[0], LIMITS[size], "ms")
    figures = [*recall, *database, *least]
    ratios = [recall[0] / least[0], database[0] / least[0]]
    return [str(size), *(f"{figure:.1f}" for figure in figures), *(f"{ratio:.2f}" for ratio in ratios)]


def _parts(size: int, times: Times) -> str:
    medians = ", ".join(f"{part} {percentiles(kept)[0]:.1f}" for part, kept in times.parts.items())
    return f"at {size}, p50 by part: {medians}"
