"""The tenant's vocabulary: which words its versions hold, and the terms that these are found by.

Writers hold a shared lock until they commit, and whoever takes words out an exclusive one: else a word could go while
another writer relies on it.
"""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db.backends.utils import CursorWrapper

from memory.engine.lexis import Near, best, common_grams, edits_allowed, grams
from memory.engine.text import Analysis
from memory.engine.values import after_prefix
from memory.stores.postgres.visible import Params, in_reach, narrowed, tenant_clause
from tenants.scope import ALL, Scope

CANDIDATES = 1000
"""Words of the vocabulary that a misspelt word is compared with, those with most trigrams in common."""
MIDDLES = 32
"""Characters that may stand in a gap."""
LAST = "\U0010ffff"
PAGE = 1000
"""Words that are looked after at once when the vocabulary is swept."""
HELD = "pg_advisory_xact_lock{shared}(hashtextextended('loci.words.' || %(tenant)s::text, 0))"
FORMS = "CASE WHEN p.forms IS NULL THEN p.term = {word} ELSE {word} = ANY(p.forms) END"
"""That a posting stands for a word."""


# OFFSET 0 below: look each word up by key; a join would read the tenant's whole vocabulary


def add_words(cursor: CursorWrapper, scope: Scope, analyses: Iterable[Analysis]) -> None:
    """Add what the vocabulary does not have yet, in order, so that no two writers wait for each other."""
    pairs = sorted({pair for analysis in analyses for pair in analysis.pairs()})
    if not pairs:
        return
    params = Params({"words": [word for word, _ in pairs], "terms": [term for _, term in pairs]})
    cursor.execute(
        f"""/* write.words */ WITH held AS MATERIALIZED (SELECT {HELD.format(shared="_shared")})
        INSERT INTO memory_word (tenant_id, word, term)
        SELECT %(tenant)s, r.word, r.term FROM held, unnest(%(words)s::text[], %(terms)s::text[]) AS r(word, term)
        WHERE NOT EXISTS (SELECT 1 FROM memory_word w
            WHERE {tenant_clause("w", scope, params)} AND w.word = r.word AND w.term = r.term OFFSET 0)
        ON CONFLICT DO NOTHING RETURNING word""",
        params.values,
    )
    new = sorted({(gram, word) for (word,) in cursor.fetchall() for gram in grams(word)})
    if new:
        cursor.execute(
            """/* write.grams */ INSERT INTO memory_gram (tenant_id, gram, word)
            SELECT %s, r.gram, r.word FROM unnest(%s::text[], %s::text[]) AS r(gram, word) ON CONFLICT DO NOTHING""",
            [scope.tenant, [gram for gram, _ in new], [word for _, word in new]],
        )


def words_of(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID]) -> list[tuple[str, str]]:
    """The (word, term) of versions."""
    params = Params({"versions": list(versions)})
    cursor.execute(
        f"""/* words.of */ SELECT DISTINCT w.word, p.term FROM memory_posting p
            CROSS JOIN LATERAL unnest(coalesce(p.forms, ARRAY[p.term::text])) AS w(word)
        WHERE {tenant_clause("p", scope, params)} AND p.version_id = ANY(%(versions)s::uuid[])""",
        params.values,
    )
    return cursor.fetchall()


def drop_unused(cursor: CursorWrapper, scope: Scope, pairs: Collection[tuple[str, str]]) -> None:
    """Take those of `pairs` out of the vocabulary that no posting stands for any more."""
    if not pairs:
        return
    params = Params({"words": sorted({word for word, _ in pairs})})
    clause = tenant_clause("w", scope, params)
    # by itself: what others committed while this waited must be seen by what follows
    cursor.execute(f"/* words.hold */ SELECT {HELD.format(shared='')}", params.values)
    cursor.execute(
        f"""/* words.drop */ DELETE FROM memory_word AS w
        WHERE {clause} AND w.word = ANY(%(words)s::text[])
            AND NOT EXISTS (SELECT 1 FROM memory_posting p WHERE {tenant_clause("p", scope, params)}
                AND p.term = w.term AND {FORMS.format(word="w.word")} OFFSET 0) RETURNING w.word""",
        params.values,
    )
    pieces = sorted((gram, word) for word in {word for (word,) in cursor.fetchall()} for gram in grams(word))
    params.values |= {"grams": [gram for gram, _ in pieces], "words": [word for _, word in pieces]}
    if pieces:
        cursor.execute(
            f"""/* words.drop_grams */ DELETE FROM memory_gram AS t
            WHERE {tenant_clause("t", scope, params)} AND t.ctid = ANY(ARRAY(
                SELECT g.at FROM unnest(%(grams)s::text[], %(words)s::text[]) AS r(gram, word)
                    CROSS JOIN LATERAL (SELECT g.ctid AS at FROM memory_gram g
                        WHERE {tenant_clause("g", scope, params)} AND g.gram = r.gram AND g.word = r.word
                            AND NOT EXISTS (SELECT 1 FROM memory_word w WHERE {clause} AND w.word = r.word OFFSET 0)
                        OFFSET 0) AS g))""",
            params.values,
        )


def page(cursor: CursorWrapper, scope: Scope, after: tuple[str, str]) -> list[tuple[str, str]]:
    """The next (word, term) of the vocabulary, in order."""
    params = Params({"word": after[0], "term": after[1]})
    cursor.execute(
        f"""/* words.page */ SELECT w.word, w.term FROM memory_word w WHERE {tenant_clause("w", scope, params)}
            AND w.word >= %(word)s AND (w.word > %(word)s OR w.term > %(term)s) ORDER BY w.word, w.term LIMIT {PAGE}""",
        params.values,
    )
    return cursor.fetchall()


def alike(cursor: CursorWrapper, scope: Scope, words: Sequence[str], count: int) -> dict[str, list[Near]]:
    """Up to `count` words within reach that each of `words` may have been meant to be, the most alike first."""
    asked = [word for word in dict.fromkeys(words) if edits_allowed(word) and grams(word)]
    terms: dict[str, tuple[str, ...]] = {}
    found: dict[str, list[str]] = {}
    for at, word, its in _sharing(cursor, scope, asked) if asked else ():
        terms[word] = tuple(its)
        found.setdefault(asked[at], []).append(word)
    near = {word: best(word, others) for word, others in found.items()}
    if is_narrow(scope):
        held = seen(cursor, scope, sorted({term for words in near.values() for each in words for term in terms[each]}))
        terms = {word: tuple(term for term in its if term in held) for word, its in terms.items()}
    told = {
        word: [Near(other, much, terms[other]) for other, much in others.items() if terms[other]][:count]
        for word, others in near.items()
    }
    return {word: others for word, others in told.items() if others}


def _sharing(cursor: CursorWrapper, scope: Scope, asked: Sequence[str]) -> list[tuple[int, str, list[str]]]:
    """(place in `asked`, word, its terms) of the words that share enough trigrams."""
    params = Params()
    pieces = [(at, gram) for at, word in enumerate(asked) for gram in sorted(grams(word))]
    params.values |= {
        "numbers": [at for at, _ in pieces],
        "grams": [gram for _, gram in pieces],
        "shortest": [len(word) - edits_allowed(word) for word in asked],
        "longest": [len(word) + edits_allowed(word) for word in asked],
        "least": [common_grams(word) for word in asked],
    }
    cursor.execute(
        f"""/* words.alike */ WITH asked AS MATERIALIZED (
            SELECT at - 1 AS at, shortest, longest, least
            FROM unnest(%(shortest)s::int[], %(longest)s::int[], %(least)s::int[])
                WITH ORDINALITY AS a(shortest, longest, least, at)),
        shared AS (
            SELECT a.at, g.word, count(*) AS n FROM unnest(%(numbers)s::int[], %(grams)s::text[]) AS q(at, gram)
                JOIN asked a ON a.at = q.at CROSS JOIN LATERAL (SELECT g.word FROM memory_gram g
                    WHERE {tenant_clause("g", scope, params)} AND g.gram = q.gram
                        AND char_length(g.word) BETWEEN a.shortest AND a.longest OFFSET 0) AS g
            GROUP BY a.at, g.word, a.least HAVING count(*) >= a.least),
        ranked AS (SELECT at, word, row_number() OVER (PARTITION BY at ORDER BY n DESC, word) AS place FROM shared)
        SELECT r.at, r.word, t.terms FROM ranked r CROSS JOIN LATERAL (
            SELECT array_agg(w.term::text) AS terms FROM memory_word w
            WHERE {tenant_clause("w", scope, params)} AND w.word = r.word) AS t
        WHERE r.place <= {CANDIDATES} AND t.terms IS NOT NULL""",
        params.values,
    )
    return cursor.fetchall()


def is_narrow(scope: Scope) -> bool:
    """Whether a scope reaches less than all that its tenant holds."""
    return not scope.every_namespace or bool(scope.filters) or scope.agent != ALL


def seen(cursor: CursorWrapper, scope: Scope, terms: Sequence[str]) -> set[str]:
    """Those of `terms` that stand in a version within reach, whatever its time."""
    params = Params({"terms": list(terms)})
    reached = in_reach("v", scope, params)
    if rest := narrowed("v", scope, None, params):
        reached += f" AND {rest}"
    cursor.execute(
        f"""/* words.seen */ SELECT r.term FROM unnest(%(terms)s::text[]) AS r(term)
            CROSS JOIN LATERAL (SELECT 1 FROM memory_posting p
                CROSS JOIN LATERAL (SELECT 1 FROM memory_version v
                    WHERE v.id = p.version_id AND {reached} OFFSET 0) AS s
                WHERE {tenant_clause("p", scope, params)} AND p.term = r.term LIMIT 1) AS p""",
        params.values,
    )
    return {term for (term,) in cursor.fetchall()}


def terms_of(cursor: CursorWrapper, scope: Scope, words: Sequence[str]) -> dict[str, list[str]]:
    """The terms by which words are found, whatever the language of the text that they stand in."""
    if not words:
        return {}
    params = Params({"words": sorted({*words})})
    cursor.execute(
        f"/* words.terms */ SELECT w.word, array_agg(w.term::text) FROM memory_word w"
        f" WHERE {tenant_clause('w', scope, params)} AND w.word = ANY(%(words)s::text[]) GROUP BY w.word",
        params.values,
    )
    return dict(cursor.fetchall())


def beginning(cursor: CursorWrapper, scope: Scope, prefix: str) -> list[tuple[str, str]]:
    """(word, term) of the words that begin with `prefix`."""
    params = Params({"low": prefix, "high": after_prefix(prefix) or LAST})
    cursor.execute(
        f"/* words.beginning */ SELECT w.word, w.term FROM memory_word w"
        f" WHERE {tenant_clause('w', scope, params)} AND w.word >= %(low)s AND w.word < %(high)s",
        params.values,
    )
    return cursor.fetchall()


def ending(cursor: CursorWrapper, scope: Scope, character: str) -> list[str]:
    """The pairs of characters of a script without spaces that end with `character`."""
    params = Params({"character": character})
    cursor.execute(
        f"/* words.ending */ SELECT g.word FROM memory_gram g WHERE {tenant_clause('g', scope, params)}"
        " AND g.gram = %(character)s",
        params.values,
    )
    return [word for (word,) in cursor.fetchall()]


def standing(cursor: CursorWrapper, scope: Scope, versions: Sequence[UUID], near: Sequence[Near]) -> set[str]:
    """Those of the words `near` that stand in any of `versions`."""
    pairs = [(each.word, term) for each in near for term in each.terms]
    params = Params({"versions": list(versions), "words": [one for one, _ in pairs], "terms": [it for _, it in pairs]})
    cursor.execute(
        f"""/* words.standing */ SELECT DISTINCT r.word
        FROM unnest(%(words)s::text[], %(terms)s::text[]) AS r(word, term)
            CROSS JOIN LATERAL (SELECT 1 FROM memory_posting p WHERE {tenant_clause("p", scope, params)}
                AND p.term = r.term AND p.version_id = ANY(%(versions)s::uuid[])
                AND {FORMS.format(word="r.word")} LIMIT 1) AS p""",
        params.values,
    )
    return {word for (word,) in cursor.fetchall()}


def between(cursor: CursorWrapper, scope: Scope, gaps: Sequence[tuple[str, str]]) -> dict[tuple[str, str], list[str]]:
    """What may stand between two characters of a script without spaces, going by the pairs that the tenant has."""
    params = Params({"firsts": [first for first, _ in gaps], "lasts": [last for _, last in gaps]})
    cursor.execute(
        f"""/* words.between */ SELECT r.first, r.last, w.middle
        FROM unnest(%(firsts)s::text[], %(lasts)s::text[]) AS r(first, last)
            CROSS JOIN LATERAL (SELECT substr(g.word, 1, 1) AS middle FROM memory_gram g
                WHERE {tenant_clause("g", scope, params)} AND g.gram = r.last
                    AND EXISTS (SELECT 1 FROM memory_word w WHERE {tenant_clause("w", scope, params)}
                        AND w.word = r.first || substr(g.word, 1, 1) OFFSET 0)
                ORDER BY g.word LIMIT {MIDDLES}) AS w""",
        params.values,
    )
    found: dict[tuple[str, str], list[str]] = {}
    for first, last, middle in cursor.fetchall():
        found.setdefault((first, last), []).append(middle)
    return found
