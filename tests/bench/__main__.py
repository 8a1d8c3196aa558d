"""Quality and speed of Loci, measured over HTTP on a throwaway installation of its own.

    make bench                               all suites
    make bench ARGS="locomo latency"         some of them
    make bench ARGS="--quick"                small sizes, to see that everything works
    make bench ARGS="sets --seed 7"          a fresh draw of the sets of one's own
    make bench ARGS="ablation"               what each switch of recall is worth, as a Markdown table

`locomo` reads the file that the environment variable LOCOMO_FILE names. A missed target is reported, not a failure.
"""

import argparse
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace

import httpx
import psycopg

from loci.local.errors import CannotRun
from tests.bench import (
    suite_ablation,
    suite_dates,
    suite_ingest,
    suite_latency,
    suite_locomo,
    suite_mcp,
    suite_memory,
    suite_paraphrases,
    suite_sets,
    suite_tenants,
)
from tests.bench.context import Bench, Options
from tests.bench.report import Report, machine, revision
from tests.bench.running import throwaway_cluster
from tests.bench.sets import FROZEN

SUITES: dict[str, Callable[[Bench], None]] = {
    "locomo": suite_locomo.run,
    "sets": suite_sets.run,
    "languages": suite_sets.languages,
    "dates": suite_dates.run,
    "paraphrases": suite_paraphrases.run,
    "latency": suite_latency.run,
    "tenants": suite_tenants.run,
    "ingest": suite_ingest.run,
    "memory": suite_memory.run,
    "mcp": suite_mcp.run,
}
APART: dict[str, Callable[[Bench], None]] = {"ablation": suite_ablation.run}
"""Suites that run only when they are named."""
PACKAGED = ("minilm", "minilm-l3", "static", "multilingual")


def arguments(given: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser("make bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="suite", help=", ".join((*SUITES, *APART)))
    parser.add_argument("--embedder", choices=PACKAGED, help="for all that measure quality, ingest and memory")
    parser.add_argument("--quick", action="store_true", help="small sizes: the figures mean little")
    parser.add_argument("--namespaces", action="store_true", help="locomo: namespaces of one tenant, not tenants")
    parser.add_argument("--sizes", help="latency: memories, such as 1000,10000")
    parser.add_argument("--seed", type=int, default=FROZEN, help="sets, languages, ablation: another draw")
    parser.add_argument("--only", help="ablation: variants, such as 'fusion rrf,smoothing 0'")
    found = parser.parse_args(given)
    if unknown := sorted(set(found.suites) - set(SUITES | APART)):
        parser.error(f"there is no suite {', '.join(unknown)}: choose from {', '.join((*SUITES, *APART))}")
    return found


def options(found: argparse.Namespace) -> Options:
    """What the suites are told."""
    chosen = Options(
        embedder=found.embedder,
        quick=found.quick,
        namespaces=found.namespaces,
        seed=found.seed,
        only=tuple(found.only.split(",")) if found.only else (),
    )
    if found.quick:
        chosen = replace(chosen, sizes=(200, 1_000), queries=30, tenants=20)
    if found.sizes:
        chosen = replace(chosen, sizes=tuple(sorted(int(size) for size in found.sizes.split(","))))
    return chosen


def main(given: list[str]) -> int:
    """Run the suites; 0 also when a target is missed, 1 when a suite broke."""
    found = arguments(given)
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    report, failed = Report(), False
    print(f"Loci {revision()}; {machine()}", flush=True)
    try:
        with throwaway_cluster(report) as cluster:
            bench = Bench(options(found), report, cluster)
            for name in found.suites or SUITES:
                failed |= not attempt((SUITES | APART)[name], bench)
    except CannotRun as error:
        print(error, file=sys.stderr)
        return 1
    report.finish()
    return int(failed)


def attempt(suite: Callable[[Bench], None], bench: Bench) -> bool:
    """Run a suite; False, and a line in the report, when it broke."""
    try:
        suite(bench)
    except (RuntimeError, httpx.HTTPError, psycopg.Error) as error:
        bench.report.line(f"BROKEN: {type(error).__name__}: {error}")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
