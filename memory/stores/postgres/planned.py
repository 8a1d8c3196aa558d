"""A planned lexical query as one statement: atoms to postings, their bits to a condition, phrases to the texts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.backends.utils import CursorWrapper

from memory.engine.lexis import All, Any, Node, Not, Plan, Required, holds
from memory.engine.ports import LexicalHits
from memory.engine.text.written import flat, stands_in
from memory.engine.types import Ranked, Search
from memory.engine.values import after_prefix
from memory.stores.postgres.bm25 import bm25, frequency
from memory.stores.postgres.corpus import Figures
from memory.stores.postgres.visible import Params, among, tenant_clause, visible
from tenants.scope import Scope

BITS = 62
"""Atoms to a bigint."""
BATCH = 500
"""Texts that are looked at before the clock is."""
SHARE = 0.45
"""Of the time that is left, what looking at texts may take."""
LAST = "\U0010ffff"
# what Python's str.split takes for white space in ASCII, and the sign that stands for another; then their likes
_FROM, _TO = "\\\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f", "/" + " " * 9


@dataclass(slots=True)
class Query:
    """What is asked, with the parameters of its statement."""

    scope: Scope
    search: Search
    plan: Plan
    figures: Figures
    fields: Mapping[str, float]
    params: Params = field(default_factory=Params)

    @property
    def columns(self) -> list[str]:
        """The names of the bit columns."""
        return [f"m{at}" for at in range(len(self.plan.atoms) // BITS + 1)]

    def tenant(self, alias: str) -> str:
        """The tenant clause of an alias."""
        return tenant_clause(alias, self.scope, self.params)


def run(cursor: CursorWrapper, query: Query, count: int) -> LexicalHits:
    """The best `count` versions that the plan holds for."""
    query.params.values |= {"count": count, "mean": query.figures.mean, "documents": max(1, query.figures.documents)}
    if query.plan.phrases:
        found, partial = _read(cursor, query, count)
    else:
        sql = _statement(query)
        cursor.execute(f"/* lexical.planned */ {sql} LIMIT %(count)s", query.params.values)
        found, partial = [Ranked(*row[:2]) for row in cursor.fetchall()], False
    return LexicalHits(found, {}, found[0].score if found else 0.0, partial=partial)


def _read(cursor: CursorWrapper, query: Query, count: int) -> tuple[list[Ranked], bool]:
    """Candidates in the order of their scores, their texts looked at until `count` are found or time runs out."""
    began = time.monotonic()
    ends = began + SHARE * (query.search.deadline - began)
    sql = _statement(query)
    cursor.execute(f"/* lexical.texts */ DECLARE loci_texts NO SCROLL CURSOR FOR {sql}", query.params.values)
    found: list[Ranked] = []
    late = False
    while not late and len(found) < count:
        cursor.execute(f"/* lexical.fetch */ FETCH FORWARD {BATCH} FROM loci_texts")
        rows = cursor.fetchall()
        found += [Ranked(*row[:2]) for row in rows if _fits(query, row[2:-2], [row[-2], *row[-1]])]
        if len(rows) < BATCH:
            break
        late = time.monotonic() > ends
    cursor.execute("/* lexical.close */ CLOSE loci_texts")
    return found[:count], late and len(found) < count


def _fits(query: Query, masks: Sequence[int], texts: Sequence[str]) -> bool:
    """Whether the plan holds for a version with these atoms and texts (its own, and its tags)."""
    compared = [flat(text) for text in texts]

    def leaf(node: object) -> bool:
        assert isinstance(node, Required)
        if node.phrase:
            return any(stands_in(node.phrase, text, open_end=node.open_end) for text in compared)
        return all(masks[at // BITS] >> at % BITS & 1 for at in node.atoms)

    return holds(query.plan.tree, leaf)


def _statement(query: Query) -> str:
    """Candidates, best first; with texts and tags where phrases ask for them."""
    params, plan = query.params, query.plan
    masks = ", ".join(query.columns)
    bits = ", ".join(
        f"coalesce(bit_or(1::bigint << (bit - {at * BITS})) FILTER (WHERE bit / {BITS} = {at}), 0) AS {name}"
        for at, name in enumerate(query.columns)
    )
    params.values["counting"] = sorted(plan.counting)
    seen = visible("v", query.scope, query.search.view, query.search.filters, params)
    texts = "v.text, v.tags" if plan.phrases else "1"
    told = ", seen.text, seen.tags" if plan.phrases else ""
    return f"""WITH wanted AS MATERIALIZED ({_wanted(query)}),
        hits AS MATERIALIZED ({_hits(query)}),
        weights AS MATERIALIZED (
            SELECT bit, CASE WHEN bit = ANY(%(counting)s::int[]) THEN
                ln(1 + (greatest(%(documents)s::bigint - n, 0) + 0.5) / (n + 0.5))::float8 ELSE 0 END AS weight
            FROM (SELECT bit, count(*) FILTER (WHERE live) AS n FROM hits GROUP BY bit) AS f),
        scored AS (
            SELECT version_id, sum(factor * weight * {bm25("frequency", "length")})::float8 AS score, {bits}
            FROM hits JOIN weights USING (bit) WHERE true{among(query.scope, query.search, params)} GROUP BY version_id)
        SELECT ranked.version_id, ranked.score, {masks}{told}
        FROM (SELECT * FROM scored WHERE {_condition(query, plan.tree, texts=False)}
            ORDER BY score DESC, version_id) AS ranked
        CROSS JOIN LATERAL (SELECT {texts} FROM memory_version v
            WHERE v.id = ranked.version_id AND {seen} OFFSET 0) AS seen
        WHERE {_condition(query, plan.tree, texts=True) if plan.phrases else "true"}
        ORDER BY ranked.score DESC, ranked.version_id"""


def _hits(query: Query) -> str:
    """(bit, version) with how often it occurs: all terms of an atom count as one."""
    found = frequency("p", query.fields, query.params)
    live = "p.live" if query.search.view.is_now else "true"
    written = (
        " AND (w.words IS NULL OR CASE WHEN p.forms IS NULL THEN p.term = ANY(w.words) ELSE p.forms && w.words END)"
        if any(atom.prefix for atom in query.plan.atoms)
        else ""
    )
    return f"""SELECT w.bit, p.version_id, max(w.factor) AS factor, sum(p.frequency) AS frequency,
            max(p.length) AS length, bool_or(p.live) AS live
        FROM wanted w CROSS JOIN LATERAL (SELECT p.version_id, {found} AS frequency, p.length, p.live
            FROM memory_posting p WHERE {query.tenant("p")} AND p.term = w.term AND ({live}){written} OFFSET 0) AS p
        WHERE p.frequency > 0 GROUP BY w.bit, p.version_id"""


def _wanted(query: Query) -> str:
    """(bit, term, words, factor): which terms each atom is found by, and by which of their words if not by all."""
    params = query.params
    given, looked, opened, single = (list(zip(*rows, strict=True)) for rows in _rows(query))
    parts = []
    if given:
        bits, terms, factors = (params.add(list(column)) for column in given)
        parts.append(
            "SELECT r.bit, r.term, null::text AS word, r.factor"
            f" FROM unnest({bits}::int[], {terms}::text[], {factors}::float8[]) AS r(bit, term, factor)"
        )
    if looked:
        bits, words, factors = (params.add(list(column)) for column in looked)
        parts.append(
            "SELECT r.bit, w.term::text, null::text, r.factor"
            f" FROM unnest({bits}::int[], {words}::text[], {factors}::float8[]) AS r(bit, word, factor)"
            f" CROSS JOIN LATERAL (SELECT w.term FROM memory_word w WHERE {query.tenant('w')} AND w.word = r.word"
            " OFFSET 0) AS w"
        )
    if opened:
        bits, lows, highs = (params.add(list(column)) for column in opened)
        parts.append(
            "SELECT r.bit, w.term::text, w.word::text, 1::float8"
            f" FROM unnest({bits}::int[], {lows}::text[], {highs}::text[]) AS r(bit, low, high)"
            f" CROSS JOIN LATERAL (SELECT w.term, w.word FROM memory_word w WHERE {query.tenant('w')}"
            " AND w.word >= r.low AND w.word < r.high OFFSET 0) AS w"
        )
    if single:
        bits, characters = (params.add(list(column)) for column in single)
        parts.append(
            "SELECT r.bit, g.word::text, null::text, 1::float8"
            f" FROM unnest({bits}::int[], {characters}::text[]) AS r(bit, character)"
            f" CROSS JOIN LATERAL (SELECT g.word FROM memory_gram g WHERE {query.tenant('g')}"
            " AND g.gram = r.character OFFSET 0) AS g"
        )
    return f"""SELECT bit, term, CASE WHEN bool_and(word IS NOT NULL) THEN array_agg(word) END AS words,
        max(factor) AS factor FROM ({" UNION ALL ".join(parts)}) AS each(bit, term, word, factor) GROUP BY bit, term"""


Rows = list[tuple[object, ...]]


def _rows(query: Query) -> tuple[Rows, Rows, Rows, Rows]:
    """Of all atoms: terms, words to look up, ranges of words, single characters; each with the atom's bit."""
    given: Rows = []
    looked: Rows = []
    opened: Rows = []
    single: Rows = []
    for bit, atom in enumerate(query.plan.atoms):
        given += [(bit, term, atom.factor) for term in atom.terms]
        given += [(bit, term, much) for term, much in atom.alike]
        looked += [(bit, word, atom.factor) for word in atom.words]
        begins = atom.prefix or atom.character
        if begins:
            opened.append((bit, begins, after_prefix(begins) or LAST))
        if atom.character:
            single.append((bit, atom.character))
    return given, looked, opened, single


def _condition(query: Query, node: Node, *, texts: bool, positive: bool = True) -> str:
    """The tree over the bits, with `texts` also over the texts: never false where the plan may hold.

    A text in ASCII only is compared here as far as it goes; any other passes.
    """
    if isinstance(node, Not):
        return f"NOT {_condition(query, node.part, texts=texts, positive=not positive)}"
    if isinstance(node, All | Any):
        joint = " AND " if isinstance(node, All) else " OR "
        parts = [_condition(query, part, texts=texts, positive=positive) for part in node.parts]
        return f"({joint.join(parts) or 'false'})"
    assert isinstance(node, Required)
    if node.phrase and not positive:
        return "false"
    clauses = list(_bits(query, node))
    if node.phrase and texts:
        clauses.append(_perhaps(node.phrase, query.params))
    return f"({' AND '.join(clauses) or 'true'})"


def _bits(query: Query, node: Required) -> Iterator[str]:
    for at, name in enumerate(query.columns):
        mask = sum(1 << atom % BITS for atom in node.atoms if atom // BITS == at)
        if mask:
            yield f"{name} & {mask} = {mask}"


def _perhaps(phrase: str, params: Params) -> str:
    """Whether a phrase may stand in a text: surely not in one of ASCII without double spaces that does not hold it."""
    plain = f'translate(lower(seen.text COLLATE "C"), {params.add(_FROM)}, {params.add(_TO)})'
    return (
        "(octet_length(seen.text) > char_length(seen.text) OR cardinality(seen.tags) > 0"
        f" OR position({params.add(phrase)} IN {plain}) > 0 OR position('  ' IN {plain}) > 0)"
    )
