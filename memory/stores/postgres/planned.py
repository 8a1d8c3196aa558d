"""A planned lexical query as one statement: atoms to postings, their bits to a condition, phrases to the texts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.backends.utils import CursorWrapper

from memory.engine.lexis import All, Any, Node, Not, Plan, Required, Wanted, holds
from memory.engine.ports import LexicalHits
from memory.engine.text.written import flat, stands_in
from memory.engine.types import Ranked, Search
from memory.stores.postgres import words
from memory.stores.postgres.bm25 import bm25, frequency
from memory.stores.postgres.corpus import Figures
from memory.stores.postgres.visible import Params, among, tenant_clause, visible
from tenants.scope import Scope

BITS = 62
"""Atoms to a bigint."""
BATCH = 100
"""Versions that are fetched at a time."""
OPEN_WORDS = 1000
"""Words that one prefix, or one character of a script without spaces, stands for at most, the first in order."""
ALL_OPEN_WORDS = 5000
"""The same for all of a query's together."""
SHARE = 0.45
"""Of the time that is left, what looking at texts may take."""
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
    partial: bool = False

    @property
    def columns(self) -> list[str]:
        """The names of the bit columns."""
        return [f"m{at}" for at in range(len(self.plan.atoms) // BITS + 1)]

    def tenant(self, alias: str) -> str:
        """The tenant clause of an alias."""
        return tenant_clause(alias, self.scope, self.params)


def run(cursor: CursorWrapper, query: Query, count: int) -> LexicalHits:
    """The best `count` versions that the plan holds for.

    Candidates come in the order of their scores. Where texts decide, they are looked at until `count` are found or time
    runs out: the clock is looked at before each phrase.
    """
    began = time.monotonic()
    ends = began + SHARE * (query.search.deadline - began)
    _open(cursor, query, None if query.plan.phrases else count)
    found: list[Ranked] = []
    late = False
    while not late and len(found) < count:
        cursor.execute(f"/* lexical.fetch */ FETCH FORWARD {BATCH} FROM loci_found")
        rows = cursor.fetchall()
        try:
            for version, score, *masks, text, tags in rows:
                if _fits(query, masks, text, tags, ends):
                    found.append(Ranked(version, score))
        except TimeoutError:
            late = True
        if len(rows) < BATCH:
            break
    cursor.execute("/* lexical.close */ CLOSE loci_found")
    found = found[:count]
    partial = query.partial or (late and len(found) < count)
    return LexicalHits(found, {}, found[0].score if found else 0.0, partial=partial)


def _fits(query: Query, masks: Sequence[int], text: str, tags: Sequence[str], ends: float) -> bool:
    """Whether the plan holds for a version with these atoms, this text and these tags. TimeoutError after `ends`."""
    if not query.plan.phrases:
        return True
    compared = [flat(each) for each in (text, *tags)]

    def leaf(node: object) -> bool:
        assert isinstance(node, Required)
        if node.phrase:
            if time.monotonic() > ends:
                raise TimeoutError
            return any(stands_in(node.phrase, text, open_end=node.open_end) for text in compared)
        return all(masks[at // BITS] >> at % BITS & 1 for at in node.atoms)

    return holds(query.plan.tree, leaf)


def _open(cursor: CursorWrapper, query: Query, most: int | None) -> None:
    """Open a cursor on the candidates, best first: id, score, bits, text and tags."""
    params, plan = query.params, query.plan
    bits = ", ".join(
        f"coalesce(bit_or(1::bigint << (bit - {at * BITS})) FILTER (WHERE bit / {BITS} = {at}), 0) AS {name}"
        for at, name in enumerate(query.columns)
    )
    texts = _texts(params) if plan.phrases else "'' AS text, null AS tags"
    seen = visible("v", query.scope, query.search.view, query.search.filters, params)
    found = frequency("p", query.fields, params)
    live = "p.live" if query.search.view.is_now else "true"
    params.values |= {
        "most": most, "mean": query.figures.mean, "documents": max(1, query.figures.documents),
        "counting": sorted(plan.counting), **_wanted(cursor, query),
    }  # fmt: skip
    cursor.execute(
        f"""/* lexical.planned */ DECLARE loci_found NO SCROLL CURSOR FOR
        WITH wanted AS MATERIALIZED (
            SELECT r.bit, r.term, r.factor, CASE WHEN bool_and(r.word <> '') THEN array_agg(r.word) END AS words
            FROM unnest(%(bits)s::int[], %(terms)s::text[], %(factors)s::float8[], %(words)s::text[])
                AS r(bit, term, factor, word) GROUP BY r.bit, r.term, r.factor),
        hits AS MATERIALIZED (
            -- all terms of an atom count as one
            SELECT w.bit, p.version_id, max(w.factor) AS factor, sum(p.frequency) AS frequency,
                max(p.length) AS length, bool_or(p.live) AS live
            FROM wanted w CROSS JOIN LATERAL (SELECT p.version_id, {found} AS frequency, p.length, p.live
                FROM memory_posting p WHERE {query.tenant("p")} AND p.term = w.term AND ({live}){_written(query)}
                OFFSET 0) AS p
            WHERE p.frequency > 0 GROUP BY w.bit, p.version_id),
        weights AS MATERIALIZED (
            SELECT bit, CASE WHEN bit = ANY(%(counting)s::int[]) THEN
                ln(1 + (greatest(%(documents)s::bigint - n, 0) + 0.5) / (n + 0.5))::float8 ELSE 0 END AS weight
            FROM (SELECT bit, count(*) FILTER (WHERE live) AS n FROM hits GROUP BY bit) AS f),
        scored AS (
            SELECT version_id, sum(factor * weight * {bm25("frequency", "length")})::float8 AS score, {bits}
            FROM hits JOIN weights USING (bit) WHERE true{among(query.scope, query.search, params)}
            GROUP BY version_id)
        SELECT ranked.version_id, ranked.score, {", ".join(query.columns)}, seen.text, seen.tags
        FROM (SELECT * FROM scored WHERE {_condition(query, plan.tree, texts=False)}
            ORDER BY score DESC, version_id) AS ranked
        CROSS JOIN LATERAL (SELECT {texts} FROM memory_version v
            WHERE v.id = ranked.version_id AND {seen} OFFSET 0) AS seen
        WHERE {_condition(query, plan.tree, texts=True) if plan.phrases else "true"}
        ORDER BY ranked.score DESC, ranked.version_id LIMIT %(most)s""",
        params.values,
    )


def _written(query: Query) -> str:
    """That a posting stands for one of the words wanted; nothing where any will do, since the index then suffices."""
    if not any(atom.prefix for atom in query.plan.atoms):
        return ""
    return " AND (w.words IS NULL OR CASE WHEN p.forms IS NULL THEN p.term = ANY(w.words) ELSE p.forms && w.words END)"


def _wanted(cursor: CursorWrapper, query: Query) -> dict[str, list[object]]:
    """Of all atoms in parallel: its bit, a term, how much that counts, and for which word; "" for any."""
    atoms = list(enumerate(query.plan.atoms))
    rows: list[tuple[object, ...]] = []
    for bit, atom in atoms:
        rows += [(bit, term, atom.factor, "") for term in atom.terms]
        rows += [(bit, term, much, "") for term, much in atom.alike]
    known = words.terms_of(cursor, query.scope, [word for _, atom in atoms for word in atom.words])
    rows += [(bit, term, atom.factor, "") for bit, atom in atoms for word in atom.words for term in known.get(word, ())]
    for bit, found in _opened(cursor, query):
        rows += [(bit, term, 1.0, word) for word, term in found]
    columns = zip(*dict.fromkeys(rows), strict=True) if rows else ((), (), (), ())
    return dict(zip(("bits", "terms", "factors", "words"), map(list, columns), strict=True))


def _opened(cursor: CursorWrapper, query: Query) -> Iterator[tuple[int, list[tuple[str, str]]]]:
    """The (word, term) that each prefix or character stands for; the query is answered in part where there are more.

    What begins with a longer prefix is taken from what was read for a shorter one.
    """
    atoms = [(bit, atom) for bit, atom in enumerate(query.plan.atoms) if atom.prefix or atom.character]
    atoms.sort(key=lambda item: item[1].prefix or item[1].character)
    left, shorter, known = ALL_OPEN_WORDS, "", list[tuple[str, str]]()
    for at, (bit, atom) in enumerate(atoms):
        most = min(OPEN_WORDS, left // (len(atoms) - at))
        if shorter and atom.prefix.startswith(shorter):
            found = [pair for pair in known if pair[0].startswith(atom.prefix)]
        else:
            found = _read(cursor, query.scope, atom, most + 1)
            shorter, known = (atom.prefix, found) if len(found) <= most else ("", [])
        query.partial |= len(found) > most
        left -= len(found[:most])
        yield bit, found[:most]


def _read(cursor: CursorWrapper, scope: Scope, atom: Wanted, most: int) -> list[tuple[str, str]]:
    """The first (word, term) that a prefix or character stands for."""
    found = words.beginning(cursor, scope, atom.prefix or atom.character, most)
    if atom.character and len(found) < most:
        found += [(word, word) for word in words.ending(cursor, scope, atom.character, most - len(found))]
    return found


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


def _texts(params: Params) -> str:
    """Text and tags of a version; and the text as phrases are compared, which is null where SQL cannot tell."""
    plain = f'translate(lower(v.text COLLATE "C"), {params.add(_FROM)}, {params.add(_TO)})'
    ascii_only = "octet_length(v.text) = char_length(v.text) AND cardinality(v.tags) = 0"
    return f"v.text, v.tags, CASE WHEN {ascii_only} THEN {plain} END AS plain"


def _perhaps(phrase: str, params: Params) -> str:
    """Whether a phrase may stand in a text: surely not in one of ASCII without double spaces that does not hold it."""
    return (
        f"(seen.plain IS NULL OR position({params.add(phrase)} IN seen.plain) > 0 OR position('  ' IN seen.plain) > 0)"
    )
