"""Whether a question finds its sentence though they share few words."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.bench.client import Client, batches
from tests.bench.context import Bench

FILE = Path(__file__).parent / "paraphrases.json"
LIMIT = 100


def run(bench: Bench) -> None:
    """All sentences and distractors in one tenant, then every question."""
    kind = bench.options.embedder or "the default"
    bench.report.title(f"paraphrases: each question's one sentence, embedder {kind}")
    if not FILE.exists():
        bench.report.line("there is no paraphrases.json")
        return
    given = json.loads(FILE.read_text())
    pairs = given["pairs"][: 12 if bench.options.quick else None]
    stored = [pair["stored"] for pair in pairs] + given["distractors"]
    with bench.loci(embedder=bench.options.embedder) as running:
        (key,) = running.tenants("paraphrases").values()
        with running.client(key) as client:
            rank = np.array(ranks(client, stored, [pair["question"] for pair in pairs]))
    hits = "  ".join(f"hit@{cut} {(rank <= cut).mean():.3f}" for cut in (1, 3, 5, 10))
    bench.report.line(f"{len(pairs)} questions over {len(stored)} sentences: {hits}  MRR {(1 / rank).mean():.3f}")


def ranks(client: Client, stored: Sequence[str], questions: Sequence[str]) -> list[float]:
    """Where the sentence of the same place in `stored` comes for each question; infinite when it is not found."""
    ids = [one for batch in batches(stored) for one in client.remember([{"text": text} for text in batch])]
    places = []
    for question, wanted in zip(questions, ids, strict=False):
        found = [result["id"] for result in client.recall(question, limit=LIMIT)["results"]]
        places.append(found.index(wanted) + 1 if wanted in found else np.inf)
    return places
