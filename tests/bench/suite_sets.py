"""One's own sets, all asked of one tenant with memories of mixed kinds and languages, beside baselines of the same run.

`sets` measures all but the paraphrases in other languages, with the default embedder; `languages` measures those, with
the multilingual one.
"""

from collections.abc import Mapping, Sequence

from tests.bench.baselines import BASELINES
from tests.bench.context import Bench
from tests.bench.datasets import Dataset, mixed, thinned
from tests.bench.figures import (
    Metric,
    Outcome,
    above,
    difference,
    hit,
    mean,
    of,
    outcomes,
    reciprocal,
)
from tests.bench.report import percentiles
from tests.bench.stored import Stored
from tests.bench.suite_locomo import BEFORE, CLEARLY, PRODUCT, Systems, add_baselines

HEADLINE: Mapping[str, tuple[str, Metric]] = {
    "identifiers": ("hit@1", hit(1)),
    "paraphrases": ("hit@5", hit(5)),
    "keywords": ("hit@1", hit(1)),
    "updates": ("above", above),
    "as-of": ("hit@1", hit(1)),
    "languages": ("hit@5", hit(5)),
}
"""What counts in each set."""
CUTS = (1, 5, 10)
TARGETS = {"identifiers": 0.95, "paraphrases": 0.85, "keywords": 0.95}
HARD = 0.9
"""A set that a plain arm answers better than this is too easy."""
LANGUAGES = {"de": "German", "zh": "Chinese", "ja": "Japanese", "ko": "Korean"}


def headline(outcome: Outcome) -> float:
    """What counts in the outcome's own set."""
    return HEADLINE[outcome.category][1](outcome)


def run(bench: Bench) -> None:
    """All sets but `languages`."""
    bench.report.title(f"sets: one's own, seed {bench.options.seed}, embedder {bench.options.kind}")
    found = measure(bench, bench.options.kind, bench.options.embedder)
    for name in HEADLINE:
        if name != "languages":
            _table(bench, name, {system: of(every, name) for system, every in found.items()}, name)
    for name, target in TARGETS.items():
        what, metric = HEADLINE[name]
        bench.report.target(f"{name} {what}", mean(of(found[PRODUCT], name), metric), target, at_least=True)
    for name in ("identifiers", "paraphrases"):
        what, metric = HEADLINE[name]
        for plain in ("BM25", "dense"):
            bench.report.target(f"{name} {what} of plain {plain}", mean(of(found[plain], name), metric), HARD)
    ours, theirs = ([each for each in found[name] if each.category != "languages"] for name in (PRODUCT, BEFORE))
    ahead = difference(ours, theirs, headline)
    bench.report.line(f"product − {BEFORE} over all these sets: {ahead}")
    bench.report.target(f"sets over {BEFORE}, lower end of 95 %", ahead.low, CLEARLY, at_least=True)


def languages(bench: Bench) -> None:
    """Paraphrases in other languages, and the other sets with the same embedder for comparison."""
    kind = bench.options.embedder or "multilingual"
    bench.report.title(f"languages: one's own sets, seed {bench.options.seed}, embedder {kind}")
    found = measure(bench, kind, kind)
    for code, name in LANGUAGES.items():
        mine = {
            system: [each for each in of(every, "languages") if each.language == code]
            for system, every in found.items()
        }
        _table(bench, "languages", mine, name)
    for name in HEADLINE:
        _table(bench, name, {system: of(every, name) for system, every in found.items()}, name)


def dataset(bench: Bench) -> Dataset:
    """The mixed whole of the seed; a few questions of it with `--quick`."""
    data = mixed(bench.options.seed)
    return thinned(data) if bench.options.quick else data


def measure(bench: Bench, kind: str, embedder: str | None) -> Systems:
    """The product over HTTP, and the baselines on exact scores."""
    data = dataset(bench)
    bench.report.progress(f"{len(data.memories)} memories, {len(data.questions)} questions")
    found: Systems = {name: [] for name in (PRODUCT, *BASELINES)}
    with bench.loci(embedder=embedder) as running:
        (key,) = running.tenants("sets").values()
        with running.client(key) as client:
            stored = Stored(client, data)
            found[PRODUCT] = outcomes(data, stored.rank)
    add_baselines(found, data, kind)
    counts = f"{len(data.questions)} questions over {len(data.memories)} memories"
    bench.report.line(counts + ", over HTTP: p50 {:.1f} ms, p95 {:.1f} ms".format(*percentiles(stored.took)))
    return found


def _table(bench: Bench, name: str, found: Mapping[str, Sequence[Outcome]], title: str) -> None:
    what, metric = HEADLINE[name]
    columns: dict[str, Metric] = {**{f"hit@{cut}": hit(cut) for cut in CUTS}, "MRR": reciprocal}
    if what not in columns:
        columns = {what: metric, **columns}
    rows = []
    for system, theirs in found.items():
        ahead = "" if system == PRODUCT else str(difference(found[PRODUCT], theirs, metric))
        rows.append([system, len(theirs), *(f"{mean(theirs, column):.3f}" for column in columns.values()), ahead])
    bench.report.table([title, "questions", *columns, f"product − this, {what} [95 %]"], rows)
