"""Four worker processes, two tenants, a hundred calls at once, and a worker that is replaced in the middle of them."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from billing.quotas import set_quota
from tenants.authentication import operator_scope
from tests.cast import Caller
from tests.local.running import wait_for
from tests.mcp.serving import Crowd, crowd_of
from tests.servers.aside import aside

pytestmark = pytest.mark.committed

WORKERS = 4
CALLS = 50
REPLACED_AFTER = 20
SECONDS = 120


@pytest.fixture
def crowd(db: None) -> Iterator[Crowd]:
    """A running Loci of four processes."""
    with crowd_of(WORKERS) as running:
        yield running


class Persistent(httpx2.AsyncHTTPTransport):
    """Sends a request once more whose connection broke before an answer came, as an agent's host does."""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        try:
            return await super().handle_async_request(request)
        except (httpx2.ReadError, httpx2.RemoteProtocolError, httpx2.ConnectError):
            # the worker that is replaced gives calls under way some seconds, and no more
            return await super().handle_async_request(request)


@dataclass
class Tally:
    """Counts answers, and does something once there are enough."""

    enough: int
    act: Callable[[], object]
    answers: list[str] = field(default_factory=list)

    def add(self, answer: str) -> None:
        self.answers.append(answer)
        if len(self.answers) == self.enough:
            self.act()


def sentence(tenant: str, number: int) -> str:
    return f"Locker {tenant}{number:02} of {tenant} holds the coat of visitor {number}."


async def note_and_look_up(client: Client, tenant: str, number: int, tally: Tally) -> None:
    """Store a sentence and search for it; what is found must be that one."""
    text = sentence(tenant, number)
    stored = await client.call_tool("memory_remember", {"text": text})
    assert stored.structured_content, stored
    # a call that was cut off and sent again may have been carried out the first time
    assert stored.structured_content["stored"] + stored.structured_content["duplicates"] == 1
    found = await client.call_tool("memory_search", {"query": f"{tenant}{number:02}", "limit": 1})
    assert found.structured_content, found
    (memory,) = found.structured_content["results"]
    assert memory["text"] == text
    tally.add(memory["id"])


async def one_tenant(url: str, key: str, tenant: str, tally: Tally) -> None:
    """Fifty at once through one client."""
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS, transport=Persistent()) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        await asyncio.gather(*(note_and_look_up(client, tenant, number, tally) for number in range(CALLS)))


async def both(url: str, alice: Caller, charlie: Caller, tally: Tally) -> None:
    async with asyncio.timeout(SECONDS):
        await asyncio.gather(one_tenant(url, alice.key, "acme", tally), one_tenant(url, charlie.key, "globex", tally))


def test_no_answer_is_lost_misrouted_or_anothers_while_a_worker_is_replaced(
    crowd: Crowd, alice: Caller, charlie: Caller
) -> None:
    for caller in (alice, charlie):
        set_quota(operator_scope(caller.tenant, "test"), {"rps": 10_000})
    busy: dict[int, int] = {}

    def replace_the_busiest() -> None:
        busy.update({worker: crowd.clients(worker) for worker in crowd.workers()})
        os.kill(max(busy, key=busy.__getitem__), signal.SIGTERM)

    tally = Tally(REPLACED_AFTER, replace_the_busiest)
    aside(lambda: both(crowd.url + "/mcp", alice, charlie, tally))
    assert len(set(tally.answers)) == 2 * CALLS
    victim = max(busy, key=busy.__getitem__)
    assert busy[victim], "nobody was speaking to the worker that was replaced"
    wait_for(lambda: victim not in crowd.workers() and len(crowd.workers()) == WORKERS)
    for caller, own in ((alice, "acme"), (charlie, "globex")):
        assert sorted(caller.found("locker coat visitor", limit=100)) == [sentence(own, n) for n in range(CALLS)]
