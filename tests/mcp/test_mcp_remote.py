"""mcp-remote: the bridge through which clients that only start programs reach a server on the network."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from tests.cast import Caller
from tests.mcp.conftest import Way
from tests.mcp.node_packages import NODE, Packages
from tests.servers.aside import aside

pytestmark = pytest.mark.committed

SECONDS = 60
TEXT = "Dana wants her letters by post."


def through_the_bridge(
    packages: Packages, way: Way, home: Path, act: Callable[[Client], Awaitable[Any]], mode: str = "auto"
) -> Any:
    """What `act` returns, given a client that talks to the bridge over its standard input and output."""
    _, *arguments = packages.command(
        "mcp-remote/dist/proxy.js", way.url, "--transport", "http-only", "--header", "Authorization:${AUTH}"
    )
    bridge = StdioServerParameters(
        command=str(NODE), args=arguments, cwd=home, env=packages.environment(home, AUTH=f"Bearer {way.key}")
    )

    async def talk(log: TextIO) -> Any:
        async with asyncio.timeout(SECONDS), Client(stdio_client(bridge, errlog=log), mode=mode) as client:
            return await act(client)

    with (home / "bridge.log").open("w") as log:
        return aside(lambda: talk(log))


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_that_only_starts_programs_remembers_and_finds(
    packages: Packages, way: Way, home: Path, alice: Caller, mode: str
) -> None:
    async def act(client: Client) -> tuple[set[str], Any, Any]:
        tools = {tool.name for tool in (await client.list_tools()).tools}
        remembered = await client.call_tool("memory_remember", {"text": TEXT})
        return tools, remembered, await client.call_tool("memory_search", {"query": "Dana's letters"})

    tools, remembered, found = through_the_bridge(packages, way, home, act, mode)
    assert {"memory_search", "memory_remember"} <= tools
    assert remembered.structured_content["stored"] == 1
    assert [memory["text"] for memory in found.structured_content["results"]] == [TEXT]
    assert alice.found("letters") == [TEXT]


def test_with_a_wrong_key_the_bridge_ends_instead_of_waiting(packages: Packages, way: Way, home: Path) -> None:
    async def act(client: Client) -> Any:
        return await client.list_tools()

    with pytest.raises((Exception, ExceptionGroup)):
        through_the_bridge(packages, replace(way, key="loci_sk_wrong"), home, act)
    assert "Fatal error" in (home / "bridge.log").read_text()
