"""The console's pages in a tenant of many memories: processor time in the server, and weight on the wire."""

import gzip
import os
import re
import time
from statistics import median
from typing import Any
from urllib.parse import quote

import httpx

from tests.bench.context import Bench
from tests.bench.running import Loci

TIMES = 20
CPU, WEIGHT = 60.0, 120.0
EMAIL, PASSWORD = "mira@bench.example", "a quiet harbour"
TICK = os.sysconf("SC_CLK_TCK")
PAGES = ("", "search", "search?q={query}", "memories", "memories/new", "activity", "keys", "jobs", "connect/curl")
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_FILES = re.compile(r'(?:src|href)="(/static/[^"#]+)')


def measure(bench: Bench, running: Loci, slug: str, recall: Any, queries: list[str]) -> None:
    """Every page for an owner of `slug`; `recall(query)` is what a search costs without a page around it."""
    with httpx.Client(base_url=running.url, timeout=60, trust_env=False, follow_redirects=True) as browser:
        _sign_in(browser)
        base = _cpu(running, lambda at: recall(queries[at]))
        bench.report.line(f"processor time of a recall: {base:.1f} ms")
        rows, beyond, heaviest = [], 0.0, 0.0
        for page in PAGES:
            walls: list[float] = []
            address = f"/t/{slug}/{page}"
            spent = _cpu(running, lambda at, address=address, walls=walls: _visit(browser, address, queries[at], walls))
            weight, whole = _weight(browser, address.format(query=quote(queries[0])))
            beyond = max(beyond, spent - (base if "{query}" in page else 0))
            heaviest = max(heaviest, whole)
            rows.append([page or "overview", f"{spent:.1f}", f"{median(walls):.1f}", f"{weight:.1f}", f"{whole:.1f}"])
    bench.report.table(["page", "processor ms", "p50 ms", "page KB gz", "with files"], rows)
    bench.report.target("a page's processor time beyond recall, at most", beyond, CPU, "ms")
    bench.report.target("a page's weight with all its files, at most", heaviest, WEIGHT, "KB")


def _sign_in(browser: httpx.Client) -> None:
    token = _TOKEN.search(browser.get("/sign-in").text)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "email": EMAIL, "password": PASSWORD}
    answer = browser.post("/sign-in", data=form, headers={"Referer": str(browser.base_url)})
    if "sign-in" in str(answer.url):
        raise RuntimeError(f"signing in failed: {answer.status_code}")


def _visit(browser: httpx.Client, address: str, query: str, walls: list[float]) -> None:
    began = time.perf_counter()
    answer = browser.get(address.format(query=quote(query)))
    walls.append((time.perf_counter() - began) * 1000)
    if answer.status_code != 200:
        raise RuntimeError(f"{address}: {answer.status_code}")


def _cpu(running: Loci, work: Any) -> float:
    """Milliseconds of the web process's processor time for each of TIMES calls, after three to warm up."""
    for at in range(3):
        work(at)
    before = _ticks(running)
    for at in range(TIMES):
        work(at)
    return (_ticks(running) - before) * 1000 / TICK / TIMES


def _ticks(running: Loci) -> int:
    with open(f"/proc/{running.pids()[0]}/stat") as file:  # noqa: PTH123 — no file of ours
        fields = file.read().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def _weight(browser: httpx.Client, address: str) -> tuple[float, float]:
    """Kilobytes, compressed: of the page, and of it with every file that it names."""
    html = browser.get(address).content
    page = len(gzip.compress(html))
    files = sum(len(gzip.compress(browser.get(path).content)) for path in set(_FILES.findall(html.decode())))
    return page / 1000, (page + files) / 1000
