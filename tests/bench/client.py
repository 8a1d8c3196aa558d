"""Loci as its clients see it: JSON over HTTP, kept-alive connections, one client a thread."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, Self, TypeVar

import httpx

BATCH = 64
T = TypeVar("T")


class Client:
    """One caller with a service key."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key
        self._http = httpx.Client(base_url=f"{url}/api/v1", headers={"X-API-Key": key}, timeout=120, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The answer to a POST. Raises RuntimeError with what Loci said when it is no success."""
        answer = self._http.post(path, json=body)
        if not answer.is_success:
            raise RuntimeError(f"POST {path}: {answer.status_code} {answer.text[:500]}")
        return answer.json()

    def remember(self, items: Sequence[dict[str, Any]]) -> list[str]:
        """Store up to 64 items; their ids. Raises RuntimeError unless each can be found at once."""
        answer = self.post("/memories", {"items": list(items)})
        if answer["failed"] or answer["notes"]:
            raise RuntimeError(f"not all of a batch is stored and searchable: {answer['notes']}")
        return [result["id"] for result in answer["results"]]

    def recall(self, query: str, **fields: Any) -> Any:
        """The answer to a recall. Raises RuntimeError when a part of it fell back."""
        answer = self.post("/recall", {"query": query, **fields})
        if answer["degraded"]:
            raise RuntimeError(f"degraded: {answer['degraded']}")
        return answer

    def timed_recall(self, query: str, **fields: Any) -> float:
        """Milliseconds from the request to the parsed answer."""
        began = time.perf_counter()
        self.recall(query, **fields)
        return (time.perf_counter() - began) * 1000


def batches(items: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Runs of `size` items."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def load(url: str, key: str, items: Iterable[dict[str, Any]], *, threads: int = 2) -> float:
    """Store all items from so many threads at once; the seconds that took."""
    runs = list(batches(items))

    def work(mine: list[list[dict[str, Any]]]) -> None:
        with Client(url, key) as client:
            for batch in mine:
                client.remember(batch)

    return timed_threads([lambda mine=runs[at::threads]: work(mine) for at in range(threads)])


def timed_threads(work: Sequence[Callable[[], object]]) -> float:
    """Run each in a thread of its own; the seconds until the last is done. Raises what any of them raised."""
    with ThreadPoolExecutor(len(work)) as pool:
        began = time.perf_counter()
        for done in [pool.submit(one) for one in work]:
            done.result()
        return time.perf_counter() - began
