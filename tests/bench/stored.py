"""A dataset stored and asked through REST."""

import time
from typing import Any

from tests.bench.baselines import LIMIT
from tests.bench.client import Client, batches
from tests.bench.datasets import Dataset


class Stored:
    """What `client`'s tenant (or a namespace of it) holds of a dataset. `took` gathers the recalls' milliseconds."""

    def __init__(self, client: Client, data: Dataset, namespace: str | None = None) -> None:
        self.client, self.data = client, data
        self.within: dict[str, Any] = {"namespaces": [namespace]} if namespace else {}
        self.took: list[float] = []
        self.number: dict[str, int] = {}
        placed = {"namespace": namespace} if namespace else {}
        for batch in batches(enumerate(data.memories)):
            ids = client.remember([memory.item() | placed for _, memory in batch])
            self.number.update(zip(ids, (at for at, _ in batch), strict=True))

    def rank(self, row: int, **fields: Any) -> list[int]:
        """The memories' numbers that a recall of question `row` finds, best first; `fields` go into the request."""
        asked = self.data.questions[row]
        moment = {"as_of": asked.as_of.isoformat()} if asked.as_of else {}
        began = time.perf_counter()
        answer = self.client.recall(asked.text, limit=LIMIT, **self.within, **moment, **fields)
        self.took.append((time.perf_counter() - began) * 1000)
        return [self.number[result["id"]] for result in answer["results"]]
