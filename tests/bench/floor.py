"""The floor: a query embedded and `floor.sql`'s two statements, as fast as they go on this database."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from loci.local.postgres import APP
from memory.engine.embedding import Embedder
from memory.engine.text import detect_language, query_terms
from memory.stores.embedders.registry import EmbedderConfig, get_embedder
from tests.bench.running import Loci

NAMED = re.compile(r"^-- name: (\w+)\n(.*?);$", re.MULTILINE | re.DOTALL)


def statements() -> dict[str, str]:
    """The statements of floor.sql by name, without comments."""
    found = NAMED.findall((Path(__file__).parent / "floor.sql").read_text())
    return {name: re.sub(r"^--.*\n", "", text, flags=re.MULTILINE) for name, text in found}


@dataclass(slots=True)
class Floor:
    """A connection as the application's role, reading one tenant."""

    connection: "psycopg.Connection[Any]"
    tenant: str
    embedder: Embedder
    sql: dict[str, str]

    def timed(self, query: str) -> float:
        """Milliseconds for one query; opening the transaction and setting the tenant are not counted."""
        with self.connection.transaction(), self.connection.cursor() as cursor:
            cursor.execute("SELECT set_config('loci.tenant', %s, true)", [self.tenant])
            began = time.perf_counter()
            vector = self.embedder.embed_query(query)
            literal = "[" + ",".join(f"{value:.7g}" for value in vector.tolist()) + "]"
            terms = query_terms(query, detect_language(query))
            cursor.execute(self.sql["dense"], {"tenant": self.tenant, "query": literal})
            cursor.fetchall()
            cursor.execute(self.sql["lexical"], {"tenant": self.tenant, "terms": terms})
            cursor.fetchall()
            return (time.perf_counter() - began) * 1000


@contextmanager
def floor(running: Loci, slug: str, kind: str) -> Iterator[Floor]:
    """The floor of one tenant with this embedder; plans are made anew for each query."""
    with running.cluster.connect(APP, running.database) as connection:
        connection.read_only = True
        connection.prepare_threshold = None
        row = connection.execute("SELECT loci_tenant_by_slug(%s)", [slug]).fetchone()
        assert row is not None
        yield Floor(connection, str(row[0]), get_embedder(EmbedderConfig(kind)), statements())
