"""Everything that talks to Loci is written once, as a flow: a generator that yields what is to be done (a `Call`, an
`Exchange`, a `Pause`) and is sent what came of it. `transport.py` has the two that drive flows, blocking and not."""

import json
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from loci_client.errors import UnexpectedAnswer, refusal

T = TypeVar("T")


@dataclass(frozen=True)
class Reply:
    """What a server answered; header names are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class Exchange:
    """One HTTP request, sent once."""

    method: str
    path: str
    params: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes | None


@dataclass(frozen=True)
class Pause:
    """Time to let pass."""

    seconds: float


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request to the API and what its answer is made into.

    `repeatable`: carrying it out twice does no harm, so that it can be sent again when no answer came.
    """

    method: str
    path: str
    parse: Callable[[Any], T]
    body: Any = None
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = True

    def exchange(self) -> Exchange:
        """The request as it goes over the wire."""
        headers = {"Accept": "application/json", **self.headers}
        if self.body is None:
            return Exchange(self.method, self.path, self.params, headers, None)
        headers["Content-Type"] = "application/json"
        return Exchange(self.method, self.path, self.params, headers, json.dumps(self.body).encode())


Step = Call[Any] | Exchange | Pause
Flow = Generator[Step, Any, T]


def new_idempotency_key() -> str:
    """A key for one write, however often it is sent."""
    return str(uuid.uuid4())


def perform(call: Call[T]) -> Flow[T]:
    """The flow of a single call."""
    answer: T = yield call
    return answer


def read(call: Call[T], reply: Reply) -> T:
    """What the reply to `call` means; raises what it refuses."""
    document = _document(reply)
    if 200 <= reply.status < 300:
        if document is None:
            raise UnexpectedAnswer(f"{call.method} {call.path}: the answer is no JSON. Is this the address of Loci?")
        return call.parse(document)
    if 300 <= reply.status < 400:
        where = reply.headers.get("location", "another address")
        raise UnexpectedAnswer(f"The server sends on to {where}: use that address, the key is not sent there unasked.")
    raise refusal(
        reply.status,
        document if isinstance(document, dict) else {},
        request_id=reply.headers.get("x-request-id", ""),
        retry_after=retry_after(reply),
    )


def _document(reply: Reply) -> Any:
    try:
        return json.loads(reply.content)
    except ValueError:
        return None


def retry_after(reply: Reply) -> float | None:
    """The seconds that the server asks to wait, if it does."""
    try:
        return max(0.0, float(reply.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
