"""`loci mcp` between the official MCP client, which starts it, and an official MCP server over HTTP."""

import asyncio
import contextlib
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.server.mcpserver import Context, MCPServer

from tests.sdk.terminal import COMMAND, Terminal
from tests.servers.aside import aside


def fixture_server() -> MCPServer:
    """A server with one of everything."""
    server = MCPServer("fixture")

    @server.tool()
    async def shout(text: str, ctx: Context) -> str:  # type: ignore[type-arg]
        """Answers louder, after it has told how far it is."""
        for step in (1, 2):
            await ctx.report_progress(step, 2)
        return text.upper()

    @server.tool()
    async def fail() -> str:
        """Fails."""
        raise ValueError("on purpose")

    @server.prompt()
    def greet(name: str) -> str:
        """Greets."""
        return f"Greet {name}."

    @server.resource("memory://{key}")
    def memory(key: str) -> str:
        return f"what is kept under {key}"

    return server


@contextlib.contextmanager
def served(app: Any) -> Iterator[str]:
    """The app on a port of its own; its address."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on", ws="none"))
        started = threading.Event()
        startup = server.startup

        async def startup_and_tell(sockets: Any = None) -> None:
            await startup(sockets=sockets)
            started.set()

        server.startup = startup_and_tell
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert started.wait(30)
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("json_response", [False, True], ids=["stream", "json"])
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_the_official_client_talks_through_the_bridge(terminal: Terminal, mode: str, json_response: bool) -> None:
    progress: list[float] = []

    async def on_progress(done: float, total: float | None, message: str | None) -> None:
        progress.append(done)

    async def talk(url: str) -> None:
        terminal.variables |= {"LOCI_URL": url, "LOCI_API_KEY": "k"}
        command = StdioServerParameters(
            command=sys.executable, args=[*COMMAND[1:], "mcp"], env=terminal.environment, cwd=terminal.folder
        )
        async with Client(stdio_client(command), mode=mode) as client:  # type: ignore[arg-type]
            assert {tool.name for tool in (await client.list_tools()).tools} == {"shout", "fail"}
            answers = await asyncio.gather(
                *(client.call_tool("shout", {"text": f"é{n}"}, progress_callback=on_progress) for n in range(20))
            )
            assert [answer.content[0].text for answer in answers] == [f"É{n}" for n in range(20)]  # type: ignore[union-attr]
            assert (await client.call_tool("fail", {})).is_error
            prompt = await client.get_prompt("greet", {"name": "Dana"})
            assert prompt.messages[0].content.text == "Greet Dana."  # type: ignore[union-attr]
            read = await client.read_resource("memory://attic")
            assert read.contents[0].text == "what is kept under attic"  # type: ignore[union-attr]

    app = fixture_server().streamable_http_app(stateless_http=True, json_response=json_response)
    with served(app) as url:
        aside(lambda: talk(url))
    assert json_response or progress
