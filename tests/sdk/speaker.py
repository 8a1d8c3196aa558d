"""Speaks through the SDK in either of its two ways, so that a story is told once."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from typing import Any

from loci_client import AsyncLoci, Loci, Retries
from tests.servers.aside import aside

QUICK = Retries(first_pause=0.001, longest_pause=2.0)


@dataclass(frozen=True)
class Speaker:
    """`blocking` or `awaiting`, to one server with one key."""

    manner: str
    url: str
    key: str
    retries: Retries = QUICK
    timeout: float = 20.0

    def say(self, operation: str, *args: Any, **kwargs: Any) -> Any:
        """The answer to one call; of an iterator, all that it gives."""
        if self.manner == "blocking":
            with Loci(self.url, self.key, retries=self.retries, timeout=self.timeout) as loci:
                answer = getattr(loci, operation)(*args, **kwargs)
                return list(answer) if hasattr(answer, "__next__") else answer
        return aside(lambda: self._awaited(operation, args, kwargs))

    async def _awaited(self, operation: str, args: Any, kwargs: Any) -> Any:
        async with AsyncLoci(self.url, self.key, retries=self.retries, timeout=self.timeout) as loci:
            answer = getattr(loci, operation)(*args, **kwargs)
            return [entry async for entry in answer] if isinstance(answer, AsyncIterator) else await answer

    def ingest(self, items: Iterable[Any], **options: Any) -> list[Any]:
        """The outcomes of an ingestion."""
        outcomes: list[Any] = self.say("ingest", items, **options)
        return outcomes
