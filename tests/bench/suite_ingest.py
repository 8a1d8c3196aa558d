"""Writing through REST until searchable, beside the bare embedder on the same texts."""

import json
import subprocess
import sys
from statistics import fmean

from loci.local.places import ROOT
from tests.bench import corpus
from tests.bench.client import BATCH, load
from tests.bench.context import Bench
from tests.bench.running import Loci

THREADS = 2
ROUNDS = 3
LENGTHS = {"as in chats": (25, 0.5), "about 100 tokens": (90, 0.1)}
"""Words and their relative deviation; with punctuation and special tokens about 30 and 100 tokens."""
TEXTS = {"minilm": (512, 256), "minilm-l3": (1024, 512), "static": (3200, 1600)}
"""Texts of each length in each round."""
FEW = (192, 128)
LIMITS = {"minilm": 0.9, "minilm-l3": 0.9, "static": 0.5}


def run(bench: Bench) -> None:
    """The default embedder, MiniLM and the static one; or the one that was asked for."""
    bench.report.title(f"ingest: POST /memories, batches of {BATCH}, {THREADS} clients, searchable when answered")
    rows = []
    for kind in dict.fromkeys([bench.options.embedder] if bench.options.embedder else TEXTS):
        with bench.loci(embedder=kind) as running:
            for number, length in enumerate(LENGTHS):
                rows.append(_measure(bench, running, kind, number, length))
    bench.report.table(["embedder, texts", "texts", "through REST /s", "bare embedder /s", "ratio"], rows)


def _measure(bench: Bench, running: Loci, kind: str, number: int, length: str) -> list[str]:
    """Bare and through REST in turns, new texts each time; the mean time of the rounds."""
    count = (FEW if bench.options.quick else TEXTS.get(kind, FEW))[number]
    words, spread = LENGTHS[length]
    rest, bare = [], []  # seconds
    (key,) = running.tenants(f"ingest-{number}").values()
    load(running.url, key, corpus.items(corpus.texts(2 * BATCH, words, seed=7)), threads=THREADS)
    for turn in range(1 if bench.options.quick else ROUNDS):
        texts = corpus.texts(count, words, seed=1000 * (number + 1) + turn, spread=spread)
        bare.append(_bare_seconds(running, kind, texts))
        rest.append(load(running.url, key, corpus.items(texts), threads=THREADS))
        bench.report.progress(f"{kind}, {length}: {count / rest[-1]:.0f}/s through REST, {count / bare[-1]:.0f}/s bare")
    ratio = fmean(bare) / fmean(rest)
    if kind in LIMITS:
        bench.report.target(f"ingest {kind}, {length}: REST / bare", ratio, LIMITS[kind], at_least=True)
    return [f"{kind}, {length}", str(count), f"{count / fmean(rest):.0f}", f"{count / fmean(bare):.0f}", f"{ratio:.2f}"]


def _bare_seconds(running: Loci, kind: str, texts: list[str]) -> float:
    given = json.dumps({"threads": THREADS, "batch": BATCH, "texts": texts})
    command = [sys.executable, "-m", "tests.bench.bare", kind]
    done = subprocess.run(command, cwd=ROOT, env=running.env, input=given, capture_output=True, text=True, check=True)
    return float(done.stdout)
