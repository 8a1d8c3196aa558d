"""Draws docs/architecture.svg from the imports of the code: `python -m tests.docs.picture`.

An arrow says that something in one box imports something in the other; what follows from other arrows is left out.
"""

from collections.abc import Iterator, Mapping, Set

import grimp

Edges = Set[tuple[str, str]]
ROOTS = ("loci", "tenants", "billing", "memory", "console")
ROWS: tuple[tuple[str, ...], ...] = (
    ("loci.asgi", "loci.urls"),
    ("memory.management", "memory.mcp", "memory.api", "console"),
    ("memory.tools", "memory.tasks"),
    ("memory.shapes",),
    ("memory.services",),
    ("memory.retrievers", "memory.stores"),
    ("memory.models", "memory.engine"),
    ("billing",),
    ("tenants",),
    ("loci.ground",),
)
"""The boxes from top to bottom; arrows may only go down or sideways."""
SAYS = {
    "loci.asgi": "one process for all doors",
    "loci.urls": "every address",
    "console": "people, in the browser",
    "memory.mcp": "agents",
    "memory.api": "programs, over REST",
    "memory.management": "operators, by command",
    "memory.tools": "what agents can call",
    "memory.shapes": "what comes in and goes out",
    "memory.tasks": "the worker and the beat",
    "memory.services": "the use cases, a verb a file",
    "memory.retrievers": "an arm a file",
    "memory.stores": "PostgreSQL, embedders",
    "memory.models": "the system of record",
    "memory.engine": "pure Python: text, filters, fusion",
    "billing": "quotas, rates, usage",
    "tenants": "who is asking: Scope, keys, audit",
    "loci.ground": "errors, ids, logs, metrics, gateway",
}
WIDTH, HEIGHT, GAP_X, GAP_Y, MARGIN = 210, 46, 30, 34, 20
STYLE = (
    "rect{fill:#fff;stroke:#8a8a82}text{font:13px sans-serif;fill:#1b1b19}text.s{font-size:11px;fill:#66665f}"
    "line{stroke:#66665f;marker-end:url(#a)}path{fill:#66665f}"
    "@media(prefers-color-scheme:dark){rect{fill:#191918;stroke:#74746d}text{fill:#ececE8}text.s{fill:#96968e}"
    "line{stroke:#96968e}path{fill:#96968e}}"
)


def boxes() -> list[str]:
    """All boxes, from the top."""
    return [box for row in ROWS for box in row]


def imports() -> Edges:
    """Which box imports from which."""
    graph = grimp.build_graph(*ROOTS, cache_dir=None)
    found = set()
    for module in graph.modules:
        importer = _box(module)
        for imported in graph.find_modules_directly_imported_by(module):
            target = _box(imported)
            if importer and target and importer != target:
                found.add((importer, target))
    return found


def _box(module: str) -> str | None:
    return next((box for box in boxes() if module == box or module.startswith(f"{box}.")), None)


def telling(edges: Edges) -> Edges:
    """The edges that do not follow from others. Of a circle nothing follows, so it keeps all of its edges."""
    return {(one, other) for one, other in edges if not _reaches(edges - {(one, other)}, one, other)}


def _reaches(edges: Edges, start: str, end: str) -> bool:
    seen, left = {start}, [start]
    while left:
        here = left.pop()
        for one, other in edges:
            if one == here and other not in seen:
                seen.add(other)
                left.append(other)
    return end in seen


def svg(edges: Edges) -> str:
    """The picture."""
    places = _places()
    width = max(len(row) for row in ROWS) * (WIDTH + GAP_X) - GAP_X + 2 * MARGIN
    height = len(ROWS) * (HEIGHT + GAP_Y) - GAP_Y + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="The rooms of Loci and which imports which">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    ]
    parts += [_arrow(places[one], places[other]) for one, other in sorted(edges)]
    for box, (x, y) in places.items():
        parts.append(f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>')
        parts.append(f'<text x="{x + 10}" y="{y + 19}">{box}</text>')
        parts.append(f'<text class="s" x="{x + 10}" y="{y + 36}">{SAYS[box]}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _places() -> Mapping[str, tuple[int, int]]:
    widest = max(len(row) for row in ROWS) * (WIDTH + GAP_X) - GAP_X
    found = {}
    for at, row in enumerate(ROWS):
        left = MARGIN + (widest - (len(row) * (WIDTH + GAP_X) - GAP_X)) // 2
        for number, box in enumerate(row):
            found[box] = (left + number * (WIDTH + GAP_X), MARGIN + at * (HEIGHT + GAP_Y))
    return found


def _arrow(start: tuple[int, int], end: tuple[int, int]) -> str:
    (x1, y1), (x2, y2) = start, end
    if y1 == y2:
        ends = (x1 + WIDTH, y1 + HEIGHT // 2, x2, y2 + HEIGHT // 2)
        if x2 < x1:
            ends = (x1, ends[1], x2 + WIDTH, ends[3])
    else:
        ends = (x1 + WIDTH // 2, y1 + HEIGHT, x2 + WIDTH // 2, y2)
    return '<line x1="{}" y1="{}" x2="{}" y2="{}"/>'.format(*ends)


def rising(edges: Edges) -> Iterator[tuple[str, str]]:
    """Arrows that go up: a room that imports from one above it."""
    height = {box: at for at, row in enumerate(ROWS) for box in row}
    return (edge for edge in sorted(edges) if height[edge[0]] > height[edge[1]])


if __name__ == "__main__":
    from tests.docs.pages import DOCS

    found = imports()
    for one, other in rising(found):
        print(f"goes up: {one} → {other}")
    (DOCS / "architecture.svg").write_text(svg(telling(found)))
