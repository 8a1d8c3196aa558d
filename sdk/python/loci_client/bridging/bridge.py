"""The bridge: a line in is a POST, every message of the answer is a line out."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx

from loci_client.bridging.events import Events
from loci_client.bridging.messages import INVALID_REQUEST, NOT_RELAYED, PARSE_ERROR, Id, Message, answers, error, line

AT_ONCE = 16
"""Requests under way; more wait."""
WAITING = 256
"""Messages taken from the program and not yet done; more are not read before some are."""
LONG_LIVED = frozenset({"subscriptions/listen"})
"""Requests that stay open on purpose: they take no place from others."""

Write = Callable[[bytes], None]
Log = Callable[[str], None]


class NotRelayed(Exception):
    """The message had no proper answer; `data` is for programs."""

    def __init__(self, message: str, **data: Any) -> None:
        super().__init__(message)
        self.data = data


class Bridge:
    """Relays messages to one MCP endpoint. `write` takes whole lines, `log` sentences for people."""

    def __init__(self, http: httpx.AsyncClient, url: str, key: str, write: Write, log: Log) -> None:
        self._http = http
        self._url = url
        self._key = key
        self._write = write
        self._log = log
        self._version: str | None = None
        self._session: str | None = None
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._room = asyncio.Semaphore(WAITING)
        self._under_way: dict[tuple[type, Id], asyncio.Task[None]] = {}

    async def run(self, lines: AsyncIterator[bytes]) -> None:
        """Relay until the lines end and all is answered."""
        async with asyncio.TaskGroup() as tasks:
            async for raw in lines:
                if not raw.strip():
                    continue
                message = self._parsed(raw)
                if message is None or self._call_off(message):
                    continue
                await self._room.acquire()
                self._follow(message, tasks.create_task(self._relay(message)))

    def _follow(self, message: Message, task: asyncio.Task[None]) -> None:
        """Know the task by the ids that wait for it, until it ends."""
        names = [(type(request_id), request_id) for request_id in message.ids]

        def ended(task: asyncio.Task[None]) -> None:
            # not at the end of the task itself: one that is cancelled before it began never comes there
            self._room.release()
            for name in names:
                if self._under_way.get(name) is task:
                    del self._under_way[name]

        self._under_way.update(dict.fromkeys(names, task))
        task.add_done_callback(ended)

    def _parsed(self, raw: bytes) -> Message | None:
        try:
            content = json.loads(raw)
        except (ValueError, RecursionError):
            self._write(line(error(None, PARSE_ERROR, "The line is no JSON.")))
            return None
        if not isinstance(content, dict | list) or not content:
            self._write(line(error(None, INVALID_REQUEST, "The line is no JSON-RPC message.")))
            return None
        return Message(content)

    def _call_off(self, message: Message) -> bool:
        """Break off the request that a cancellation names; True when the server need not be told beside that."""
        if message.cancels is None:
            return False
        task = self._under_way.get((type(message.cancels), message.cancels))
        if task:
            task.cancel()
        # since 2026-07-28 the end of the connection is the cancellation
        return message.version is not None

    async def _relay(self, message: Message) -> None:
        left = list(message.ids)
        try:
            if message.method in LONG_LIVED:
                await self._exchange(message, left)
            else:
                async with self._slots:
                    await self._exchange(message, left)
        except asyncio.CancelledError:
            return  # whoever called it off waits for no answer
        except NotRelayed as failure:
            self._tell(left, failure)
        except httpx.TimeoutException:
            self._tell(left, NotRelayed(f"Loci at {self._url} did not answer in time."))
        except httpx.HTTPError as failure:
            reason = str(failure) or type(failure).__name__
            self._tell(left, NotRelayed(f"Loci at {self._url} cannot be reached: {reason}"))

    def _tell(self, ids: list[Id], failure: NotRelayed) -> None:
        for request_id in ids:
            self._write(line(error(request_id, NOT_RELAYED, str(failure), failure.data)))
        if not ids:
            self._log(str(failure))

    async def _exchange(self, message: Message, left: list[Id]) -> None:
        """Send a message and pass on what comes back; `left` loses the ids that are answered."""
        headers = {
            "Authorization": f"Bearer {self._key}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
            **message.headers(self._version),
            **({"Mcp-Session-Id": self._session} if self._session else {}),
        }
        body = json.dumps(message.content).encode()
        async with self._http.stream("POST", self._url, content=body, headers=headers) as response:
            kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
            if response.is_success and kind == "text/event-stream":
                await self._pass_stream(message, response, left)
            else:
                await self._pass_document(message, response, left)
        if left:
            raise NotRelayed("Loci ended its answer before it was complete.")

    async def _pass_stream(self, message: Message, response: httpx.Response, left: list[Id]) -> None:
        events = Events()
        async for chunk in response.aiter_bytes():
            for data in events.feed(chunk):
                self._pass(message, response, _json(data), left)
        for data in events.end():
            self._pass(message, response, _json(data), left)

    async def _pass_document(self, message: Message, response: httpx.Response, left: list[Id]) -> None:
        content = await response.aread()
        if response.is_success and not content.strip():
            return
        try:
            document = json.loads(content)
        except (ValueError, RecursionError):
            document = None
        if response.is_success and document is not None:
            return self._pass(message, response, document, left)
        if isinstance(document, dict) and "jsonrpc" in document and isinstance(document.get("error"), dict):
            # the server may not have come as far as reading whose request it refuses
            for request_id in list(left):
                self._pass(message, response, {**document, "id": request_id}, left)
            if message.ids:
                return
        raise _refusal(response, document if isinstance(document, dict) else {})

    def _pass(self, message: Message, response: httpx.Response, document: Any, left: list[Id]) -> None:
        if message.method == "initialize" and isinstance(document, dict) and isinstance(document.get("result"), dict):
            version = document["result"].get("protocolVersion")
            self._version = version if isinstance(version, str) else self._version
            self._session = response.headers.get("mcp-session-id", self._session)
        for request_id in answers(document, left):
            left.remove(request_id)
        self._write(line(document))


def _json(data: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise NotRelayed("Loci sent something that is no JSON.") from None


def _refusal(response: httpx.Response, document: dict[str, Any]) -> NotRelayed:
    detail = document.get("detail") or document.get("error_description") or document.get("error")
    if not isinstance(detail, str):
        detail = response.reason_phrase or "no reason given"
    hint = " Run `loci login`, or set LOCI_API_KEY." if response.status_code == 401 else ""
    if wait := response.headers.get("retry-after"):
        hint += f" Try again in {wait} s."
    known = {name: document[name] for name in ("code", "request_id") if name in document}
    sentence = f"Loci answers {response.status_code}: {detail.rstrip('.')}.{hint}"
    return NotRelayed(sentence, status=response.status_code, **known)
