"""LoCoMo: how much of the evidence for a question is among the first results, beside baselines from the same run."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.bench.arrays import score
from tests.bench.baselines import BASELINES
from tests.bench.context import Bench
from tests.bench.conversations import load
from tests.bench.datasets import Dataset, of_conversation
from tests.bench.figures import CUTS, SCORED, Outcome, difference, mean, of, outcomes, recall, reciprocal
from tests.bench.report import percentiles
from tests.bench.running import Loci
from tests.bench.stored import Stored

PRODUCT, BEFORE = "product", "z-score ±2"
NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
GROUPS: Mapping[str, tuple[str, ...]] = {
    "categories 1–4": SCORED,
    **{f"{number} {name}": (f"locomo {number}",) for number, name in NAMES.items()},
    "5 adversarial (apart)": ("locomo 5",),
}
TARGETS = {1: (0.41, 0.47), 10: (0.80, 0.84), 25: (0.87, 0.91)}
"""By cut, the target and the stretch."""
CLEARLY = 0.001
Systems = dict[str, list[Outcome]]


def run(bench: Bench) -> None:
    """Needs LOCOMO_FILE; the conversations are tenants of their own, or namespaces of one."""
    bench.report.title("locomo: evidence recall at k, turn level")
    file = os.environ.get("LOCOMO_FILE")
    if not file:
        bench.report.line("not set: LOCOMO_FILE")
        return
    conversations = [of_conversation(each) for each in load(Path(file))[: 1 if bench.options.quick else None]]
    found: Systems = {name: [] for name in (PRODUCT, *BASELINES)}
    took: list[float] = []
    with bench.loci(embedder=bench.options.embedder) as running:
        keys = _keys(bench, running, conversations)
        for data in conversations:
            bench.report.progress(f"{data.name}: {len(data.memories)} turns, {len(data.questions)} questions")
            with running.client(keys[data.name]) as client:
                stored = Stored(client, data, data.name if bench.options.namespaces else None)
                found[PRODUCT] += outcomes(data, stored.rank)
                took += stored.took
    for data in conversations:
        add_baselines(found, data, bench.options.kind)
    _report(bench, found)
    bench.report.line("over HTTP, limit 25: p50 {:.1f} ms, p95 {:.1f} ms".format(*percentiles(took)))


def add_baselines(found: Systems, data: Dataset, kind: str) -> None:
    """What each baseline makes of a dataset, from exact scores in this process."""
    scored = score(data, kind)
    for name, ranker in BASELINES.items():
        found[name] += outcomes(data, lambda row, ranker=ranker: ranker(scored, row))


def _keys(bench: Bench, running: Loci, conversations: Sequence[Dataset]) -> Mapping[str, str]:
    if bench.options.namespaces:
        (key,) = running.tenants("locomo").values()
        return {data.name: key for data in conversations}
    return running.tenants(*(data.name for data in conversations))


def _report(bench: Bench, found: Systems) -> None:
    head = ["", "questions", *(f"R@{cut}" for cut in CUTS), "MRR", "product − this, R@10 [95 %]"]
    for group, categories in GROUPS.items():
        ours = of(found[PRODUCT], *categories)
        if not ours:
            continue
        rows = []
        for name, every in found.items():
            theirs = of(every, *categories)
            figures = [*(mean(theirs, recall(cut)) for cut in CUTS), mean(theirs, reciprocal)]
            ahead = "" if name == PRODUCT else str(difference(ours, theirs, recall(10)))
            rows.append([name, len(theirs), *(f"{figure:.3f}" for figure in figures), ahead])
        bench.report.table([group, *head[1:]], rows)
    scored = {name: of(found[name], *SCORED) for name in (PRODUCT, BEFORE)}
    for cut, (target, stretch) in TARGETS.items():
        reached = mean(scored[PRODUCT], recall(cut))
        bench.report.target(f"locomo R@{cut}, categories 1–4", reached, target, at_least=True)
        bench.report.target(f"locomo R@{cut}, categories 1–4 (stretch)", reached, stretch, at_least=True)
    ahead = difference(scored[PRODUCT], scored[BEFORE], recall(10))
    bench.report.target(f"locomo R@10 over {BEFORE}, lower end of 95 %", ahead.low, CLEARLY, at_least=True)
