"""A fault to provoke: an embedder that stands still while a file is there."""

import os
import time
from pathlib import Path
from typing import Any

from memory.stores.embedders.adapter import PROBE, Adapter, EmbedderConfig
from tests.servers.scripted import pseudo_embedding


class Gated(Adapter):
    """Embeds documents only while the file named by GATE does not exist; says in GATE.reached that it waits."""

    def __init__(self, config: EmbedderConfig) -> None:
        super().__init__(config, "dotted", "gated")

    def _vectors(self, texts: list[str], *, query: bool) -> list[Any]:
        gate = Path(os.environ["GATE"])
        while not query and gate.exists() and texts != [PROBE]:
            gate.with_suffix(".reached").write_text(str(os.getpid()))
            time.sleep(0.05)
        return [pseudo_embedding(text) for text in texts]
