"""The bare embedder's speed, in a process of its own.

    python -m tests.bench.bare KIND < {"threads": 2, "batch": 64, "texts": ["…", …]}

Prints the seconds for all texts, embedded as documents from so many threads at once.
"""

import json
import sys

from memory.stores.embedders.registry import EmbedderConfig, get_embedder
from tests.bench.client import timed_threads


def main(kind: str) -> None:
    """From stdin to stdout."""
    given = json.load(sys.stdin)
    embedder = get_embedder(EmbedderConfig(kind))
    embedder.embed_documents(given["texts"][:8])
    size, threads = given["batch"], given["threads"]
    runs = [given["texts"][at : at + size] for at in range(0, len(given["texts"]), size)]

    def work(mine: list[list[str]]) -> None:
        for batch in mine:
            embedder.embed_documents(batch)

    print(timed_threads([lambda mine=runs[at::threads]: work(mine) for at in range(threads)]))


if __name__ == "__main__":
    main(sys.argv[1])
