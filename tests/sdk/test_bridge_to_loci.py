"""`loci mcp` between the official MCP client and a running Loci."""

import sys

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.cast import Caller
from tests.sdk.terminal import COMMAND, Terminal
from tests.servers.aside import aside

pytestmark = pytest.mark.committed


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_an_agent_remembers_and_finds_through_the_bridge(
    terminal: Terminal, base_url: str, alice: Caller, mode: str
) -> None:
    terminal.variables |= {"LOCI_URL": base_url, "LOCI_API_KEY": alice.key}
    command = StdioServerParameters(
        command=sys.executable, args=[*COMMAND[1:], "mcp"], env=terminal.environment, cwd=terminal.folder
    )

    async def talk() -> tuple[set[str], str]:
        async with Client(stdio_client(command), mode=mode) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            await client.call_tool("memory_remember", {"text": "The fax on ward 7 is broken."})
            found = await client.call_tool("memory_search", {"query": "fax"})
            return names, str(found.content)

    names, found = aside(talk)
    assert "memory_search" in names
    assert "The fax on ward 7 is broken." in found


def test_a_key_that_does_not_hold_is_said_in_the_answer(terminal: Terminal, base_url: str) -> None:
    terminal.variables |= {"LOCI_URL": base_url, "LOCI_API_KEY": "loci_sk_wrong"}
    said = terminal.loci("mcp", given='{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
    assert said.json["id"] == 1
    assert "key" in said.json["error"]["message"].lower()
