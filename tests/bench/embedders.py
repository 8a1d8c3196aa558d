"""Compare the packaged embedders: paraphrase quality, speed, memory. Not a test; run it on an idle machine.

python -m tests.bench.embedders quality|speed|memory [kind …]
"""

import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from memory.engine.embedding import Embedder
from memory.stores.embedders.registry import EmbedderConfig, forget_embedders, get_embedder

KINDS = ["minilm", "minilm-l3", "static", "multilingual"]
SENTENCE = (
    "the deployment of our billing service was moved to Thursday because Anna wanted the migration script "
    "reviewed by the platform team first and nobody had time before the holiday in Lisbon"
)
SHORT, LONG, LONGEST = 26, 96, 400  # words: about 30, 104 and 430 word pieces


def texts(count: int, words: int) -> list[str]:
    """`count` reproducible texts of so many `words`."""
    chance = random.Random(7)
    return [" ".join(chance.choices(SENTENCE.split(), k=words)) for _ in range(count)]


def quality(kind: str) -> str:
    """hit@1, hit@5 and MRR of each question over all stored sentences and distractors."""
    bench = json.loads((Path(__file__).parent / "paraphrases.json").read_text())
    stored = [pair["stored"] for pair in bench["pairs"]] + bench["distractors"]
    embedder = get_embedder(EmbedderConfig(kind))
    documents = embedder.embed_documents(stored)
    ranks = []
    for at, pair in enumerate(bench["pairs"]):
        scores = documents @ embedder.embed_query(pair["question"])
        ranks.append(1 + int((scores > scores[at]).sum()))
    found = np.asarray(ranks)
    hits = "  ".join(f"hit@{k} {(found <= k).mean():.3f}" for k in (1, 3, 5, 10))
    return f"{kind:13} {hits}  MRR {(1 / found).mean():.3f}"


def cost(action: Callable[[], object], times: int) -> tuple[float, float]:
    """Seconds by the clock and seconds of CPU, of the cheapest of `times` runs each."""
    clock, cpu = [], []
    for _ in range(times):
        begun, used = time.perf_counter(), time.process_time()
        action()
        clock.append(time.perf_counter() - begun)
        cpu.append(time.process_time() - used)
    return min(clock), min(cpu)


def rate(embedder: Embedder, count: int, words: int) -> str:
    """Texts a second by the clock, and milliseconds of CPU a text."""
    batch = texts(count, words)
    clock, cpu = cost(lambda: embedder.embed_documents(batch), 5)
    return f"{count / clock:7.1f}/s {1000 * cpu / count:6.2f} ms CPU"


def speed(kind: str) -> str:
    """Texts a second by threads and batch size, and a question's milliseconds."""
    lines = []
    for threads, size in ((1, 32), (2, 1), (2, 8), (2, 32)):
        embedder = get_embedder(EmbedderConfig(kind, batch_size=size, threads=threads))
        embedder.embed_documents(texts(4, SHORT))
        question = texts(1, 9)[0]
        single, _ = cost(partial(embedder.embed_query, question), 40)
        count = 16 if kind == "multilingual" else 64
        lines.append(
            f"{kind:13} threads {threads} batch {size:2}  30 tokens {rate(embedder, count, SHORT)}  "
            f"104 tokens {rate(embedder, count // 2, LONG)}  question {single * 1000:.1f} ms"
        )
        forget_embedders()
    return "\n".join(lines)


def memory(kind: str) -> str:
    """Megabytes added by loading and by 64 long texts, and the peak; in a process of its own."""
    code = f"from tests.bench.embedders import measure_memory; measure_memory({kind!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def status(field: str) -> float:
    """A memory figure of this process from /proc, in MB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) / 1000


def measure_memory(kind: str) -> None:
    """Print the figures of `memory`; numpy and the adapter's modules are already loaded."""
    embedder = get_embedder(EmbedderConfig(kind))
    before = status("VmRSS")
    begun = time.perf_counter()
    embedder.embed_query("hello")
    load = time.perf_counter() - begun
    loaded = status("VmRSS") - before
    embedder.embed_documents(texts(64, LONGEST))
    after = status("VmRSS") - before
    print(
        f"{kind:13} load {load:.2f} s  +{loaded:.0f} MB loaded  +{after:.0f} MB after 64 long texts  "
        f"+{status('VmHWM') - before:.0f} MB peak  (base {before:.0f} MB)"
    )


if __name__ == "__main__":
    for chosen in sys.argv[2:] or KINDS:
        print({"quality": quality, "speed": speed, "memory": memory}[sys.argv[1]](chosen), flush=True)
