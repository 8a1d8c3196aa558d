"""The tenant's vocabulary: which words its versions hold, and the terms that these are found by.

Writers hold a shared lock until they commit, and whoever takes words out an exclusive one: else a word could go while
another writer relies on it.
"""

from collections.abc import Collection, Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.backends.utils import CursorWrapper

from memory.engine.lexis import Near, best, edits_allowed, grams, probes
from memory.engine.text import Analysis
from memory.engine.values import after_prefix
from memory.stores.postgres.columns import column, joined
from memory.stores.postgres.visible import Params, in_reach, narrowed, tenant_clause
from tenants.scope import ALL, Scope

CANDIDATES = 300
"""Words within reach that a misspelt word is compared with, those with most trigrams in common."""
SHARING = 3000
"""Words of the tenant among which a narrowed scope's are looked for."""
MIDDLES = 32
"""Characters that may stand in a gap."""
LAST = "\U0010ffff"
PAGE = 1000
"""Words that are looked after at once when the vocabulary is swept."""
HELD = "pg_advisory_xact_lock{shared}(hashtextextended('loci.words.' || %(tenant)s::text, 0))"
FORMS = "CASE WHEN p.forms IS NULL THEN p.term = {word} ELSE {word} = ANY(p.forms) END"
"""That a posting stands for a word."""


class Known:
    """What a process knows to be in the vocabularies of tenants, lest each write ask for it again."""

    def __init__(self, most: int):
        self.most = most
        self._words: dict[UUID, tuple[int, set[tuple[str, str]]]] = {}

    def words(self, tenant: UUID, epoch: int) -> set[tuple[str, str]]:
        """The (word, term) that a tenant had at this epoch; none when it is another one than they were learnt at."""
        learnt, pairs = self._words.get(tenant, (epoch, set()))
        return pairs if learnt == epoch else set()

    def learn(self, tenant: UUID, epoch: int, pairs: Collection[tuple[str, str]]) -> None:
        """Note what is committed. All is forgotten when it becomes too much."""
        if sum(len(each) for _, each in self._words.values()) > self.most:
            self._words = {}
        known = self.words(tenant, epoch)
        known.update(pairs)
        self._words[tenant] = (epoch, known)


KNOWN = Known(200_000)
"""About 30 MB at most."""
# OFFSET 0 below: look each word up by key; a join would read the tenant's whole vocabulary


def add_words(cursor: CursorWrapper, scope: Scope, analyses: Iterable[Analysis]) -> None:
    """Add what the vocabulary does not have yet, in order, so that no two writers wait for each other."""
    pairs = {pair for analysis in analyses for pair in analysis.pairs()}
    if not pairs:
        return
    params = Params()
    clause = tenant_clause("c", scope, params)
    # by itself: what whoever held the lock has dropped must be seen by what follows
    cursor.execute(f"/* words.share */ SELECT {HELD.format(shared='_shared')}", params.values)
    cursor.execute(f"/* words.epoch */ SELECT c.words_dropped FROM memory_corpus c WHERE {clause}", params.values)
    epoch = row[0] if (row := cursor.fetchone()) else 0
    if unknown := sorted(pairs - KNOWN.words(scope.tenant, epoch)):
        _insert(cursor, scope, unknown)
    transaction.on_commit(lambda: KNOWN.learn(scope.tenant, epoch, pairs))


def _insert(cursor: CursorWrapper, scope: Scope, pairs: Sequence[tuple[str, str]]) -> None:
    params = Params({"words": joined(word for word, _ in pairs), "terms": joined(term for _, term in pairs)})
    cursor.execute(
        f"""/* write.words */ INSERT INTO memory_word (tenant_id, word, term)
        SELECT %(tenant)s, r.word, r.term
        FROM unnest({column("%(words)s", "text")}, {column("%(terms)s", "text")}) AS r(word, term)
        WHERE NOT EXISTS (SELECT 1 FROM memory_word w
            WHERE {tenant_clause("w", scope, params)} AND w.word = r.word AND w.term = r.term OFFSET 0)
        ON CONFLICT DO NOTHING RETURNING word""",
        params.values,
    )
    new = sorted({(gram, word) for (word,) in cursor.fetchall() for gram in grams(word)})
    if new:
        cursor.execute(
            f"""/* write.grams */ INSERT INTO memory_gram (tenant_id, gram, word)
            SELECT %s, r.gram, r.word FROM unnest({column("%s", "text")}, {column("%s", "text")}) AS r(gram, word)
            ON CONFLICT DO NOTHING""",
            [scope.tenant, joined(gram for gram, _ in new), joined(word for _, word in new)],
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


def drop_unused(cursor: CursorWrapper, scope: Scope, pairs: Collection[tuple[str, str]]) -> int:
    """Take those of `pairs` out of the vocabulary that no posting stands for any more; how many.

    The number has to reach `settle` in the same transaction, so that no process goes on knowing them.
    """
    if not pairs:
        return 0
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
    dropped = [word for (word,) in cursor.fetchall()]
    pieces = sorted((gram, word) for word in {*dropped} for gram in grams(word))
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
    return len(dropped)


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
    asked = [word for word in dict.fromkeys(words) if edits_allowed(word) and probes(word)]
    terms: dict[str, tuple[str, ...]] = {}
    found: dict[str, list[str]] = {}
    for at, word, its in _sharing(cursor, scope, asked) if asked else ():
        terms[word] = tuple(its)
        found.setdefault(asked[at], []).append(word)
    near = {word: best(word, others[:CANDIDATES]) for word, others in found.items()}
    return {
        word: [Near(other, much, terms[other]) for other, much in others.items()][:count]
        for word, others in near.items()
        if others
    }


def _sharing(cursor: CursorWrapper, scope: Scope, asked: Sequence[str]) -> list[tuple[int, str, list[str]]]:
    """(place in `asked`, word, its terms) of the words within reach that share most trigrams, these first."""
    params = Params()
    pieces = [(at, gram) for at, word in enumerate(asked) for gram in sorted(probes(word))]
    params.values |= {
        "numbers": [at for at, _ in pieces],
        "grams": [gram for _, gram in pieces],
        "shortest": [len(word) - edits_allowed(word) for word in asked],
        "longest": [len(word) + edits_allowed(word) for word in asked],
    }
    cursor.execute(
        f"""/* words.alike */ WITH asked AS MATERIALIZED (
            SELECT at - 1 AS at, shortest, longest
            FROM unnest(%(shortest)s::int[], %(longest)s::int[]) WITH ORDINALITY AS a(shortest, longest, at)),
        shared AS (
            SELECT a.at, g.word, count(*) AS n FROM unnest(%(numbers)s::int[], %(grams)s::text[]) AS q(at, gram)
                JOIN asked a ON a.at = q.at CROSS JOIN LATERAL (SELECT g.word FROM memory_gram g
                    WHERE {tenant_clause("g", scope, params)} AND g.gram = q.gram
                        AND char_length(g.word) BETWEEN a.shortest AND a.longest OFFSET 0) AS g
            GROUP BY a.at, g.word),
        ranked AS (SELECT at, word, row_number() OVER (PARTITION BY at ORDER BY n DESC, word) AS place FROM shared)
        SELECT r.at, r.word, t.terms FROM ranked r CROSS JOIN LATERAL (
            SELECT array_agg(w.term::text) AS terms FROM memory_word w
            WHERE {tenant_clause("w", scope, params)} AND w.word = r.word
                {_held("w.word", "w.term", scope, params)}) AS t
        WHERE r.place <= {SHARING if is_narrow(scope) else CANDIDATES} AND t.terms IS NOT NULL
        ORDER BY r.at, r.place""",
        params.values,
    )
    return cursor.fetchall()


def is_narrow(scope: Scope) -> bool:
    """Whether a scope reaches less than all that its tenant holds."""
    return not scope.every_namespace or bool(scope.filters) or scope.agent != ALL


def _held(word: str, term: str, scope: Scope, params: Params) -> str:
    """A further condition, where the scope is narrow: that a word of the vocabulary stands in a version within reach.

    Else how rare a prefix is would tell how words of others go on. A limit must come after it: how many words others
    have would show in what a limit cuts off.
    """
    if not is_narrow(scope):
        return ""
    return (
        f" AND EXISTS (SELECT 1 FROM memory_posting p CROSS JOIN LATERAL (SELECT 1 FROM memory_version v"
        f" WHERE v.id = p.version_id AND {_reached('v', scope, params)} OFFSET 0) AS s"
        f" WHERE {tenant_clause('p', scope, params)} AND p.term = {term}"
        f" AND {FORMS.format(word=word)} OFFSET 0)"
    )


def _reached(alias: str, scope: Scope, params: Params) -> str:
    """A version is within reach, whatever its time."""
    reached = in_reach(alias, scope, params)
    rest = narrowed(alias, scope, None, params)
    return f"{reached} AND {rest}" if rest else reached


def seen(cursor: CursorWrapper, scope: Scope, terms: Sequence[str]) -> set[str]:
    """Those of `terms` that stand in a version within reach, whatever its time."""
    params = Params({"terms": list(terms)})
    reached = _reached("v", scope, params)
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


def beginning(cursor: CursorWrapper, scope: Scope, prefix: str, most: int) -> list[tuple[str, str]]:
    """(word, term) of the first `most` words within reach that begin with `prefix`, in order."""
    params = Params({"low": prefix, "high": after_prefix(prefix) or LAST, "most": most})
    cursor.execute(
        f"/* words.beginning */ SELECT w.word, w.term FROM memory_word w"
        f" WHERE {tenant_clause('w', scope, params)} AND w.word >= %(low)s AND w.word < %(high)s"
        f"{_held('w.word', 'w.term', scope, params)} ORDER BY w.word, w.term LIMIT %(most)s",
        params.values,
    )
    return cursor.fetchall()


def ending(cursor: CursorWrapper, scope: Scope, character: str, most: int) -> list[str]:
    """The first `most` pairs within reach of characters of a script without spaces that end with `character`."""
    params = Params({"character": character, "most": most})
    cursor.execute(
        f"/* words.ending */ SELECT g.word FROM memory_gram g WHERE {tenant_clause('g', scope, params)}"
        f" AND g.gram = %(character)s{_held('g.word', 'g.word', scope, params)} ORDER BY g.word LIMIT %(most)s",
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
    """What may stand between two characters of a script without spaces, going by the pairs within reach."""
    params = Params({"firsts": [first for first, _ in gaps], "lasts": [last for _, last in gaps]})
    cursor.execute(
        f"""/* words.between */ SELECT r.first, r.last, w.middle
        FROM unnest(%(firsts)s::text[], %(lasts)s::text[]) AS r(first, last)
            CROSS JOIN LATERAL (SELECT substr(g.word, 1, 1) AS middle FROM memory_gram g
                WHERE {tenant_clause("g", scope, params)} AND g.gram = r.last
                    AND EXISTS (SELECT 1 FROM memory_word w WHERE {tenant_clause("w", scope, params)}
                        AND w.word = r.first || substr(g.word, 1, 1){_held("w.word", "w.term", scope, params)} OFFSET 0)
                    {_held("g.word", "g.word", scope, params)}
                ORDER BY g.word LIMIT {MIDDLES}) AS w""",
        params.values,
    )
    found: dict[tuple[str, str], list[str]] = {}
    for first, last, middle in cursor.fetchall():
        found.setdefault((first, last), []).append(middle)
    return found
