"""Whether a small tenant feels the others."""

from tests.bench import corpus
from tests.bench.client import Client
from tests.bench.context import Bench
from tests.bench.report import percentiles
from tests.bench.running import Loci

KIND = "static"
MEMORIES = 100
WARM_UP = 20
SEED = 99
LIMIT = 1.3


def run(bench: Bench) -> None:
    """The same tenant on two installations: alone on one, among many of its size on the other."""
    options = bench.options
    bench.report.title(f"tenants: recall in a tenant of {MEMORIES} memories, embedder {KIND}; milliseconds")
    with bench.loci(embedder=KIND) as lonely, bench.loci(embedder=KIND) as crowded:
        keys = [running.tenants("small", memories=MEMORIES, seed=SEED)["small"] for running in (lonely, crowded)]
        _crowd(bench, crowded)
        for running in (lonely, crowded):
            running.vacuum()
        with lonely.client(keys[0]) as first, crowded.client(keys[1]) as second:
            alone, among = _measure(bench, first, second)
    labelled = (("alone", alone), (f"among {options.tenants} tenants", among))
    rows = [[label, *(f"{value:.1f}" for value in found)] for label, found in labelled]
    rows.append(["ratio", *(f"{after / before:.2f}" for after, before in zip(among, alone, strict=True))])
    bench.report.table(["", "p50", "p95"], rows)
    bench.report.target(f"small tenant's recall p50, among {options.tenants} / alone", among[0] / alone[0], LIMIT)


def _crowd(bench: Bench, running: Loci) -> None:
    """All the other tenants."""
    total = bench.options.tenants
    for start in range(1, total, 250):
        slugs = [f"other-{number}" for number in range(start, min(start + 250, total))]
        running.tenants(*slugs, memories=MEMORIES, seed=start)
        bench.report.progress(f"{start + len(slugs)} tenants")


def _measure(bench: Bench, first: Client, second: Client) -> tuple[tuple[float, float], tuple[float, float]]:
    """Both percentiles of both, asked the same questions in turns."""
    stored = corpus.texts(MEMORIES, 30, seed=SEED)
    took: tuple[list[float], list[float]] = ([], [])
    for at, query in enumerate(corpus.questions(bench.options.queries + WARM_UP, stored)):
        for side in (0, 1) if at % 2 else (1, 0):
            took[side].append((first, second)[side].timed_recall(query))
    return percentiles(took[0][WARM_UP:]), percentiles(took[1][WARM_UP:])
