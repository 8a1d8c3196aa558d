"""What every suite is given."""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count

from loci.local.postgres import Cluster
from tests.bench.report import Report
from tests.bench.running import Loci, loci
from tests.bench.sets import FROZEN

DEFAULT_EMBEDDER = "minilm"
_numbers = count(1)


@dataclass(frozen=True, slots=True)
class Options:
    """The command line. `embedder` None is the default of Loci's settings."""

    embedder: str | None = None
    quick: bool = False
    namespaces: bool = False
    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    queries: int = 200
    tenants: int = 1_000
    seed: int = FROZEN
    only: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The embedder's name, for scores in this process."""
        return self.embedder or DEFAULT_EMBEDDER


@dataclass(frozen=True, slots=True)
class Bench:
    """A cluster to run Loci on, and where to report."""

    options: Options
    report: Report
    cluster: Cluster

    def loci(self, *, embedder: str | None = None, worker: bool = False) -> AbstractContextManager[Loci]:
        """A new Loci with an empty database, for a `with` block."""
        self.report.progress(f"starting Loci (embedder {embedder or 'default'})")
        return loci(self.cluster, f"bench{next(_numbers)}", embedder=embedder, worker=worker)
