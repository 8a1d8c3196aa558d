"""What agents' door adds to a recall, and how long a start takes."""

import itertools
import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from statistics import median

import httpx

from tests.bench import corpus, pages
from tests.bench.client import load
from tests.bench.context import Bench
from tests.bench.report import percentiles
from tests.bench.running import Loci

KIND = "static"
MEMORIES = 10_000
PAGES_AT = 100_000
SECONDS = 4.0
LIMIT, COLD = 1.5, 8.0
MODERN = "2026-07-28"
_numbers = itertools.count(1)


class Agent:
    """An MCP client as thin as can be: one kept-alive connection, one message a call."""

    def __init__(self, url: str, key: str, era: str) -> None:
        headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
        headers["MCP-Protocol-Version"] = era
        if era == MODERN:
            headers |= {"Mcp-Method": "tools/call", "Mcp-Name": "memory_search"}
        self.meta = {
            "io.modelcontextprotocol/protocolVersion": era,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        self.modern = era == MODERN
        self.http = httpx.Client(base_url=url, headers=headers, timeout=120, trust_env=False)

    def search(self, query: str) -> None:
        """Raises RuntimeError unless the tool answers."""
        params = {"name": "memory_search", "arguments": {"query": query, "limit": 10, "token_budget": 100_000}}
        if self.modern:
            params["_meta"] = self.meta
        answer = self.http.post(
            "/mcp", json={"jsonrpc": "2.0", "id": next(_numbers), "method": "tools/call", "params": params}
        )
        if not answer.is_success or '"isError":true' in answer.text or "structuredContent" not in answer.text:
            raise RuntimeError(f"memory_search: {answer.status_code} {answer.text[:300]}")


class Rest:
    """The same over REST."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx.Client(base_url=url, headers={"X-API-Key": key}, timeout=120, trust_env=False)

    def search(self, query: str) -> None:
        """Raises RuntimeError unless recall answers."""
        answer = self.http.post("/api/v1/recall", json={"query": query, "limit": 10})
        if not answer.is_success:
            raise RuntimeError(f"recall: {answer.status_code} {answer.text[:300]}")
        json.loads(answer.content)


def run(bench: Bench) -> None:
    """Overhead, throughput, start."""
    size = 500 if bench.options.quick else MEMORIES
    bench.report.title(f"mcp: memory_search beside POST /recall, {size} memories, embedder {KIND}; milliseconds")
    with bench.loci(embedder=KIND) as running:
        key = running.tenants("agents")["agents"]
        stored = corpus.texts(size, 30, seed=1)
        load(running.url, key, corpus.items(stored))
        running.vacuum()
        _overhead(bench, running, key, stored)
        _throughput(bench, running, key, stored)
    _pages(bench)
    _start(bench)


def _pages(bench: Bench) -> None:
    """The console in a large tenant."""
    size = 500 if bench.options.quick else PAGES_AT
    bench.report.title(f"mcp: pages of the console, {size} memories, embedder {KIND}")
    with bench.loci(embedder=KIND) as running:
        key = running.tenants("agents", owner=True)["agents"]
        stored = corpus.texts(size, 30, seed=1)
        load(running.url, key, corpus.items(stored))
        running.vacuum()
        caller = Rest(running.url, key)
        queries = list(corpus.questions(pages.TIMES + 3, stored))
        pages.measure(bench, running, "agents", caller.search, queries)


def _doors(running: Loci, key: str) -> dict[str, Callable[[], Rest | Agent]]:
    return {
        "REST": lambda: Rest(running.url, key),
        "MCP 2025-11-25": lambda: Agent(running.url, key, "2025-11-25"),
        f"MCP {MODERN}": lambda: Agent(running.url, key, MODERN),
    }


def _overhead(bench: Bench, running: Loci, key: str, stored: list[str]) -> None:
    """Each query through each door, in turning order."""
    callers = {name: make() for name, make in _doors(running, key).items()}
    took: dict[str, list[float]] = {name: [] for name in callers}
    for at, query in enumerate(corpus.questions(bench.options.queries + 20, stored)):
        names = list(callers)
        for name in names[at % 3 :] + names[: at % 3]:
            began = time.perf_counter()
            callers[name].search(query)
            took[name].append((time.perf_counter() - began) * 1000)
    found = {name: percentiles(times[20:]) for name, times in took.items()}
    rest = found["REST"][0]
    rows = [[name, f"{p50:.1f}", f"{p95:.1f}", f"{p50 / rest:.2f}"] for name, (p50, p95) in found.items()]
    bench.report.table(["one client", "p50", "p95", "p50 / REST"], rows)
    for name, (p50, _) in found.items():
        if name != "REST":
            bench.report.target(f"{name} p50 / REST", p50 / rest, LIMIT)


def _throughput(bench: Bench, running: Loci, key: str, stored: list[str]) -> None:
    seconds = 1.0 if bench.options.quick else SECONDS
    queries = list(corpus.questions(200, stored))
    rows = []
    for name, make in _doors(running, key).items():
        row = [name]
        for clients in (1, 8, 32):
            row.append(f"{_calls(make, clients, seconds, queries) / seconds:.0f}")
        rows.append(row)
    bench.report.table(["calls a second, clients", "1", "8", "32"], rows)


def _calls(make: Callable[[], Rest | Agent], clients: int, seconds: float, queries: list[str]) -> int:
    end = time.perf_counter() + seconds

    def work(start: int) -> int:
        caller, done = make(), 0
        while time.perf_counter() < end:
            caller.search(queries[(start + done) % len(queries)])
            done += 1
        return done

    with ThreadPoolExecutor(clients) as pool:
        return sum(pool.map(work, range(0, clients * 7, 7)))


def _start(bench: Bench) -> None:
    """From the command to ready, the database being there."""
    times = []
    for _ in range(3):
        with bench.loci() as running:
            times.append(running.ready_seconds)
    bench.report.target("seconds from start to ready, default embedder", median(times), COLD, "s")
