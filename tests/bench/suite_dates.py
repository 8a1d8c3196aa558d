"""Questions that only their date answers, through REST, beside the product without its temporal arm and baselines."""

from functools import partial

from tests.bench.baselines import BASELINES
from tests.bench.context import Bench
from tests.bench.diary import diary
from tests.bench.figures import difference, hit, mean, of, outcomes, recall, reciprocal
from tests.bench.report import percentiles
from tests.bench.stored import Stored
from tests.bench.suite_locomo import PRODUCT, Systems, add_baselines

WITHOUT = "without the arm"
TARGETS = {"dates": 0.95, "dates alone": 0.95}


def run(bench: Bench) -> None:
    """A diary as one tenant; `--seed` draws another."""
    bench.report.title(f"dates: a diary, seed {bench.options.seed}, embedder {bench.options.kind}")
    data = diary(bench.options.seed, 20 if bench.options.quick else 120)
    found: Systems = {}
    with bench.loci(embedder=bench.options.embedder) as running:
        (key,) = running.tenants("diary").values()
        with running.client(key) as client:
            stored = Stored(client, data)
            found[PRODUCT] = outcomes(data, stored.rank)
            pace = percentiles(stored.took)
            found[WITHOUT] = outcomes(data, partial(stored.rank, weights={"temporal": 0}))
    found |= {name: [] for name in BASELINES}
    add_baselines(found, data, bench.options.kind)
    for group in TARGETS:
        _table(bench, group, found)
    bench.report.line("over HTTP: p50 {:.1f} ms, p95 {:.1f} ms".format(*pace))


def _table(bench: Bench, group: str, found: Systems) -> None:
    metric = hit(1) if group == "dates" else recall(10)
    ours = of(found[PRODUCT], group)
    rows = []
    for name, every in found.items():
        theirs = of(every, group)
        figures = [mean(theirs, one) for one in (hit(1), hit(5), recall(10), reciprocal)]
        ahead = "" if name == PRODUCT else str(difference(ours, theirs, metric))
        rows.append([name, len(theirs), *(f"{figure:.3f}" for figure in figures), ahead])
    bench.report.table([group, "questions", "hit@1", "hit@5", "R@10", "MRR", "product − this [95 %]"], rows)
    bench.report.target(group, mean(ours, metric), TARGETS[group], at_least=True)
