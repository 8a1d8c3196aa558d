"""LoCoMo: how much of the evidence for a question is among the first results."""

import os
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.bench.client import Client, batches
from tests.bench.context import Bench
from tests.bench.conversations import CUTS, SCORED, Conversation, Turn, load, share_found
from tests.bench.report import percentiles
from tests.bench.running import Loci

LIMIT = 25
NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
TARGET = 0.74


def run(bench: Bench) -> None:
    """Needs LOCOMO_FILE; the conversations are tenants of their own, or namespaces of one."""
    bench.report.title("locomo: evidence recall at k, turn level")
    file = os.environ.get("LOCOMO_FILE")
    if not file:
        bench.report.line("not set: LOCOMO_FILE")
        return
    conversations = load(Path(file))[: 1 if bench.options.quick else None]
    found: dict[int, list[list[float]]] = defaultdict(list)
    took: list[float] = []
    with bench.loci(embedder=bench.options.embedder) as running:
        keys = _keys(bench, running, conversations)
        for conversation in conversations:
            with running.client(keys[conversation.name]) as client:
                _measure(bench, client, conversation, found, took)
    _report(bench, found, took)


def _keys(bench: Bench, running: Loci, conversations: Sequence[Conversation]) -> Mapping[str, str]:
    if bench.options.namespaces:
        (key,) = running.tenants("locomo").values()
        return {conversation.name: key for conversation in conversations}
    return running.tenants(*(conversation.name for conversation in conversations))


def _item(turn: Turn, namespace: str | None) -> dict[str, Any]:
    item = {"text": turn.text, "source": turn.session, "offset": turn.at, "timestamp": turn.moment.isoformat()}
    return item | ({"namespace": namespace} if namespace else {})


def _measure(
    bench: Bench, client: Client, conversation: Conversation, found: dict[int, list[list[float]]], took: list[float]
) -> None:
    """Store one conversation, then ask all its questions."""
    turns, questions = conversation.turns, conversation.questions
    bench.report.progress(f"{conversation.name}: {len(turns)} turns, {len(questions)} questions")
    namespace = conversation.name if bench.options.namespaces else None
    turn_of: dict[str, str] = {}
    for batch in batches(turns):
        ids = client.remember([_item(turn, namespace) for turn in batch])
        turn_of.update(zip(ids, (turn.key for turn in batch), strict=True))
    within = {"namespaces": [namespace]} if namespace else {}
    for question in questions:
        began = time.perf_counter()
        results = client.recall(question.text, limit=LIMIT, **within)["results"]
        took.append((time.perf_counter() - began) * 1000)
        ranked = [turn_of[result["id"]] for result in results]
        found[question.category].append([share_found(question.gold, ranked, cut) for cut in CUTS])


def _report(bench: Bench, found: Mapping[int, list[list[float]]], took: Sequence[float]) -> None:
    rows = []
    for label, categories in [
        ("categories 1–4", SCORED),
        *((f"{category} {NAMES[category]}", (category,)) for category in SCORED),
        ("5 adversarial (apart)", (5,)),
    ]:
        shares = [share for category in categories for share in found[category]]
        if shares:
            rows.append([label, len(shares), *(f"{value:.3f}" for value in np.mean(shares, axis=0))])
    bench.report.table(["", "questions", *(f"R@{cut}" for cut in CUTS)], rows)
    bench.report.line("over HTTP, limit 25: p50 {:.1f} ms, p95 {:.1f} ms".format(*percentiles(took)))
    scored = np.mean([share for category in SCORED for share in found[category]], axis=0)
    bench.report.target("locomo R@10, categories 1–4", float(scored[CUTS.index(10)]), TARGET, at_least=True)
