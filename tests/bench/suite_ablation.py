"""What each switch of a request is worth: LoCoMo and one's own sets with one thing changed, as a Markdown table.

A variant is a dict of fields of POST /recall. `--only` chooses among them by name.
"""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from memory.engine.stages import STAGES
from memory.engine.tuning import ARMS, DEFAULTS, FUSIONS
from tests.bench.context import Bench
from tests.bench.conversations import load
from tests.bench.datasets import of_conversation, thinned
from tests.bench.figures import SCORED, Metric, Outcome, difference, mean, of, outcomes, recall
from tests.bench.report import percentiles
from tests.bench.stored import Stored
from tests.bench.suite_sets import HEADLINE, dataset, headline

Fields = Mapping[str, Any]
SMOOTHINGS = (0.0, 0.25, 0.5, 0.75, 1.0)
FLOOR = 3


def variants() -> dict[str, Fields]:
    """Every switch flipped, each arm left out, each number moved; the first is the default."""
    found: dict[str, Fields] = {"default": {}, "without stages": {"full_pipeline": False}}
    for stage in STAGES:
        found[f"{'without' if stage.default else 'with'} {stage.name}"] = {"stages": {stage.name: not stage.default}}
    found |= {f"without {arm}": {"weights": {arm: 0}} for arm in ARMS}
    found |= {f"fusion {name}": {"fusion": name} for name in FUSIONS if name != DEFAULTS.fusion}
    found |= {f"smoothing {value:g}": {"smoothing": value} for value in SMOOTHINGS if value != DEFAULTS.smoothing}
    adaptive = "without" if DEFAULTS.adaptive else "with"
    found[f"{adaptive} adaptive weights"] = {"adaptive_weights": not DEFAULTS.adaptive}
    found[f"vector floor {FLOOR}"] = {"vector_floor": FLOOR}
    return found


def run(bench: Bench) -> None:
    """Stores everything once, then asks all questions once for each variant."""
    bench.report.title(f"ablation: one change at a time, seed {bench.options.seed}, embedder {bench.options.kind}")
    wanted = variants()
    if only := bench.options.only:
        if unknown := sorted(set(only) - set(wanted)):
            raise RuntimeError(f"there is no variant {', '.join(unknown)}: choose from {', '.join(wanted)}")
        wanted = {name: fields for name, fields in wanted.items() if name == "default" or name in only}
    with ExitStack() as stack:
        running = stack.enter_context(bench.loci(embedder=bench.options.embedder))
        every = _stored(bench, running, stack)
        found: dict[str, list[Outcome]] = {}
        paces: dict[str, float] = {}
        for name, fields in wanted.items():
            bench.report.progress(name)
            found[name] = [each for stored in every for each in _asked(stored, fields)]
            paces[name] = percentiles([took for stored in every for took in stored.took])[0]
    for line in markdown(found, paces):
        bench.report.line(line)


def _stored(bench: Bench, running: Any, stack: ExitStack) -> list[Stored]:
    """One tenant with the mixed whole, and one for each conversation of LOCOMO_FILE."""
    datasets = [dataset(bench)]
    if file := os.environ.get("LOCOMO_FILE"):
        datasets += [of_conversation(each) for each in load(Path(file))]
        datasets = [thinned(data) for data in datasets[:2]] if bench.options.quick else datasets
    else:
        bench.report.line("not set: LOCOMO_FILE")
    keys = running.tenants(*(data.name for data in datasets))
    stored = []
    for data in datasets:
        bench.report.progress(f"storing {data.name}: {len(data.memories)} memories")
        stored.append(Stored(stack.enter_context(running.client(keys[data.name])), data))
    return stored


def _asked(stored: Stored, fields: Fields) -> list[Outcome]:
    """What a variant makes of all questions that have an answer."""
    stored.took.clear()
    questions = stored.data.questions
    rows = [row for row, asked in enumerate(questions) if asked.category != "locomo 5"]
    return outcomes(stored.data, lambda row: stored.rank(row, **fields), rows)


def markdown(found: Mapping[str, Sequence[Outcome]], paces: Mapping[str, float] | None = None) -> list[str]:
    """A row for each variant: figures, and its difference from the default over LoCoMo and over one's own sets.

    `paces`: the median milliseconds of a recall.
    """
    default = found["default"]
    head = ["", *(f"LoCoMo R@{cut}" for cut in (1, 10, 25)), "− default, R@10 [95 %]"]
    head += [f"{name} {what}" for name, (what, _) in HEADLINE.items()]
    head += ["sets − default [95 %]", *(["p50 ms"] if paces else [])]
    lines = [_row(head), "|" + "---|" * len(head)]
    for name, every in found.items():
        cells = [name, *(_figure(of(every, *SCORED), recall(cut)) for cut in (1, 10, 25))]
        cells.append(_change(name, of(every, *SCORED), of(default, *SCORED), recall(10)))
        cells += [_figure(of(every, set_name), metric) for set_name, (_, metric) in HEADLINE.items()]
        cells.append(_change(name, of(every, *HEADLINE), of(default, *HEADLINE), headline))
        lines.append(_row([*cells, *([f"{paces[name]:.1f}"] if paces else [])]))
    return lines


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _figure(found: Sequence[Outcome], metric: Metric) -> str:
    return f"{mean(found, metric):.3f}".removeprefix("0") if found else "–"


def _change(name: str, theirs: Sequence[Outcome], default: Sequence[Outcome], metric: Metric) -> str:
    if name == "default" or not theirs:
        return ""
    change = difference(theirs, default, metric)
    return f"{change} {change.clear}".strip()
