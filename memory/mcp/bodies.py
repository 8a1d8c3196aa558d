"""The bodies of requests at `/mcp`: read whole, within a limit and in time; and refusals before the SDK saw them."""

import json
from typing import Any

import anyio
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from loci.ground.errors import LociError, TooLarge

MAX_BODY = 1024 * 1024
"""Bytes of one message; what is larger goes through REST."""
SMALL_BODY = 64 * 1024
"""Bytes of a message that are read, and parsed in the event loop, only to name its id in a refusal."""
PATIENCE = 30.0
"""Seconds that a body may take to arrive."""
HASTE = 3.0
"""The same for the body of a request that is refused anyway."""
LONGEST_ID = 256


class Gone(Exception):
    """The client hung up before its request was whole."""


class Refused(Exception):
    """The HTTP request itself is refused: `error` says why, before the SDK has seen it."""

    def __init__(self, error: LociError):
        super().__init__(str(error))
        self.error = error


def refusal(status: int, code: str, message: str, **headers: str) -> Refused:
    """A refusal with a status of its own; underscores in the names of `headers` stand for hyphens."""
    error = LociError(message, code=code, headers={name.replace("_", "-"): value for name, value in headers.items()})
    error.status = status
    return Refused(error)


async def whole(receive: Receive, limit: int, headers: Headers) -> bytes:
    """The whole body; refused when it is over the limit or takes too long."""
    too_large = f"The message is over the limit of {limit // 2**20} MB: send it through REST, or in parts."
    said = headers.get("content-length", "")
    if said.isascii() and said.isdigit() and int(said) > limit:
        raise Refused(TooLarge(too_large))
    received = bytearray()
    with anyio.move_on_after(PATIENCE) as patience:
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            received += message.get("body", b"")
            if len(received) > limit:
                raise Refused(TooLarge(too_large))
            if not message.get("more_body"):
                break
    if patience.cancelled_caught:
        raise refusal(408, "timeout", f"The message did not arrive within {PATIENCE:g} s.", Connection="close")
    return bytes(received)


async def beginning(receive: Receive) -> bytes:
    """The body of a request that is refused anyway, as far as its id is worth: if it is short and comes soon."""
    received = bytearray()
    with anyio.move_on_after(HASTE):
        while len(received) <= SMALL_BODY:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise Gone
            received += message.get("body", b"")
            if not message.get("more_body"):
                return bytes(received)
    return b""


def replay(body: bytes, receive: Receive) -> Receive:
    """`receive` with the body in front that was read already."""
    given = False

    async def replayed() -> Message:
        nonlocal given
        if not given:
            given = True
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return replayed


def parsed(body: bytes) -> dict[str, Any]:
    """A body's JSON object; an empty one when it holds none."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def id_of(message: dict[str, Any]) -> str | int | None:
    """The id of a message if it can be said again."""
    number = message.get("id")
    if isinstance(number, int) and not isinstance(number, bool) and -(2**63) <= number < 2**63:
        return number
    if isinstance(number, str) and len(number) <= LONGEST_ID and number.isprintable():
        return number
    return None
