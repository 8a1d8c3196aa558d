"""`mcp`: the bridge, on this process's standard input and output."""

import argparse
import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx

from loci_client.bridging.bridge import Bridge
from loci_client.cli.arguments import command, with_address
from loci_client.cli.output import tell
from loci_client.settings import resolve
from loci_client.version import VERSION

CONNECT_SECONDS = 10.0


def add(commands: Any) -> None:
    """Add the command."""
    parser = with_address(
        command(
            commands,
            "mcp",
            mcp,
            "be an MCP server on standard input and output",
            "Relay MCP between standard input and output and Loci's own endpoint, for programs that start their\n"
            "servers themselves. `loci connect` writes the configuration for that.",
        )
    )
    parser.add_argument(
        "--timeout", type=float, default=120.0, metavar="SECONDS", help="how long Loci may be silent (120)"
    )
    parser.add_argument("--tools", metavar="NAMES", help="which tools to offer; as the endpoint's ?tools=")


def mcp(args: argparse.Namespace) -> int:
    """Carry out `loci mcp`. What it prints is MCP, with --json or without."""
    settings = resolve(args.url, None)
    url = httpx.URL(f"{settings.url}/mcp", params={"tools": args.tools} if args.tools else {})
    asyncio.run(_serve(str(url), settings.api_key, args.timeout))
    return 0


async def _serve(url: str, key: str, timeout: float) -> None:
    limits = httpx.Limits(max_connections=None)
    headers = {"User-Agent": f"loci-client/{VERSION}"}
    async with httpx.AsyncClient(
        timeout=httpx.Timeout(timeout, connect=CONNECT_SECONDS), limits=limits, headers=headers
    ) as http:
        try:
            await Bridge(http, url, key, _write, lambda text: tell(f"loci mcp: {text}")).run(lines_of())
        except ExceptionGroup as failures:
            if failures.subgroup(BrokenPipeError):
                raise BrokenPipeError from None  # nobody reads the answers any more: the end, and no fault
            raise


def _write(line: bytes) -> None:
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


async def lines_of() -> AsyncIterator[bytes]:
    """The lines of standard input, read by a thread: no event loop can wait for every kind of file. The next is read
    when the one before was taken."""
    # a reader of its own: Python, when it ends, wants the lock of `sys.stdin`, which a waiting thread would hold
    stream = os.fdopen(sys.stdin.fileno(), "rb", closefd=False)
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[bytes] = asyncio.Queue(maxsize=1)

    def read() -> None:
        while True:
            line = stream.readline()
            try:
                asyncio.run_coroutine_threadsafe(queue.put(line), loop).result()
            except Exception:  # the loop has ended, and nobody waits for more
                return
            if not line:
                return

    threading.Thread(target=read, daemon=True).start()
    while line := await queue.get():
        yield line
