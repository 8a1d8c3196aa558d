"""From a query and its mode to what the index is asked for: atoms, found by postings, and a condition over them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from memory.engine.lexis.parsing import parse
from memory.engine.lexis.spelling import Near
from memory.engine.lexis.syntax import (
    MAX_LEAVES,
    MAX_PHRASE_ATOMS,
    MIN_PREFIX,
    All,
    Any,
    Node,
    Not,
    Phrase,
    Required,
    Word,
    leaves,
)
from memory.engine.text.charsets import UNSPACED
from memory.engine.text.written import ELISIONS, Atom, Chunk, chunks, flat, is_unspaced

MAX_WEAK_ATOMS: Final = 3
"""The same for a phrase of stop words, whose postings are long."""
_SIGNS: Final = re.compile(f"(?:(?!')[\\W_]|[{UNSPACED}](?=[^{UNSPACED}]))+")
GAP_LIKENESS: Final = 2 / 3
"""How much three characters count of which the one in the middle is another."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One atom: postings of any of `words` (by the vocabulary) or `terms`, of words that begin with `prefix`, or of
    pairs that hold the single `character` of a script without spaces. `alike`: further
    terms, and how much each counts. `factor`: how much the atom counts."""

    words: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    prefix: str = ""
    character: str = ""
    alike: tuple[tuple[str, float], ...] = ()
    factor: float = 1.0


@dataclass(slots=True)
class Plan:
    """What to look for; `counting` are the atoms that add to the score, which those under a NOT do not."""

    tree: Node
    atoms: list[Wanted] = field(default_factory=list)
    numbers: dict[Wanted, int] = field(default_factory=dict)

    def number(self, wanted: Wanted) -> int:
        """The atom's number; the same for the same atom."""
        at = self.numbers.setdefault(wanted, len(self.atoms))
        if at == len(self.atoms):
            self.atoms.append(wanted)
        return at

    @property
    def counting(self) -> set[int]:
        """The atoms that add to the score."""
        return set(_counting(self.tree, True))

    @property
    def phrases(self) -> bool:
        """Whether texts have to be looked at."""
        return any(isinstance(leaf, Required) and leaf.phrase for leaf in leaves(self.tree))


def plan(mode: str, text: str, language: str) -> Plan | None:
    """The plan of a query in mode raw, exact or keyword; None when it has nothing to search for.

    `QuerySyntaxError` for a raw query that cannot be read.
    """
    made = Plan(Any(()))
    if mode == "raw":
        made.tree = _translated(made, parse(text), language)
    elif mode == "exact":
        found = list(chunks(text, language))
        if not found:
            return None
        made.tree = _required(made, found, flat(text))
    else:
        groups = _keywords(text, language)
        if not groups:
            return None
        made.tree = All(tuple(_group(made, text, group) for group in groups[:MAX_LEAVES]))
    return made


def _counting(node: Node, positive: bool) -> Iterator[int]:
    if isinstance(node, Not):
        yield from _counting(node.part, not positive)
    elif isinstance(node, All | Any):
        for part in node.parts:
            yield from _counting(part, positive)
    elif isinstance(node, Required) and positive:
        yield from node.atoms
        yield from node.bonus


def _translated(made: Plan, node: Node, language: str) -> Node:
    """The tree with what is to be looked up in place of words and phrases."""
    if isinstance(node, Not):
        return Not(_translated(made, node.part, language))
    if isinstance(node, All):
        return All(tuple(_translated(made, part, language) for part in node.parts))
    if isinstance(node, Any):
        return Any(tuple(_translated(made, part, language) for part in node.parts))
    if isinstance(node, Phrase):
        return _required(made, list(chunks(node.text, language)), flat(node.text))
    if isinstance(node, Word):
        found = list(chunks(node.text, language))
        groups = list(_adjacent(found, lambda chunk: False))
        parts = [_group(made, node.text, group, prefix=node.prefix and group is groups[-1]) for group in groups]
        return parts[0] if len(parts) == 1 else All(tuple(parts))
    return node


def _adjacent(found: Sequence[Chunk], parts: Callable[[Chunk], bool]) -> Iterator[list[Chunk]]:
    """Chunks in groups that belong together: those of scripts without spaces, where nothing stands between them.

    A chunk for which `parts` holds stands for itself.
    """
    group: list[Chunk] = []
    for chunk in found:
        joins = group and group[-1].end == chunk.start and (chunk.unspaced or group[-1].unspaced)
        if not joins or parts(chunk) or parts(group[-1]):
            if group:
                yield group
            group = []
        group.append(chunk)
    if group:
        yield group


def _keywords(text: str, language: str) -> list[list[Chunk]]:
    """The groups of a query that are not stop words; all of them if it has nothing else."""
    groups = list(_adjacent(list(chunks(text, language)), _is_stop))
    return [group for group in groups if not all(_is_stop(chunk) for chunk in group)] or groups


def _is_stop(chunk: Chunk) -> bool:
    return not chunk.whole and all(atom.stop for atom in chunk.atoms)


def _group(made: Plan, text: str, group: Sequence[Chunk], *, prefix: bool = False) -> Required:
    """What a word of the query must be found by: its text too, where its atoms do not say all of it."""
    simple = len(group) == 1 and len(group[0].atoms) == 1 and not group[0].whole
    written = flat(text[group[0].start : group[-1].end])
    opened = _last_word(written) if prefix else ""
    # one character of a script without spaces is a term only where it stands alone
    lone = simple and group[0].unspaced and len(written) == 1
    return _required(made, group, "" if simple and not lone and opened in ("", written) else written, opened)


def _required(made: Plan, found: Sequence[Chunk], phrase: str, opened: str = "") -> Required:
    """The atoms of a run of chunks, and the phrase that they make up; its last word may go on from `opened`."""
    wanted: list[Wanted] = []
    weak: list[Wanted] = []
    for atom, edge in _placed(_elided(found) if phrase else found):
        if atom.unspaced and len(atom.words[0]) == 1 and edge:
            weak.append(Wanted(character=atom.words[0]))
        else:
            (weak if atom.stop else wanted).append(Wanted(() if atom.unspaced else atom.words, atom.terms))
    if opened:
        # what the open word is so far is a word of its own only by chance
        (weak if found[-1].atoms[-1].stop else wanted).pop()
        if len(opened) >= MIN_PREFIX or not (wanted or weak):
            wanted.append(Wanted(prefix=opened))
    chosen = sorted(wanted, key=_size, reverse=True)[:MAX_PHRASE_ATOMS]
    chosen = chosen or sorted(weak, key=_size, reverse=True)[:MAX_WEAK_ATOMS]
    whole = found[0].whole if len(found) == 1 and not opened else ""
    bonus = (made.number(Wanted(terms=(whole,))),) if whole else ()
    # a word that a phrase repeats is one atom
    return Required(tuple(dict.fromkeys(made.number(each) for each in chosen)), phrase, bool(opened), bonus)


def _elided(found: Sequence[Chunk]) -> list[Chunk]:
    """Chunks whose first word may also have been written into one with what was elided before it: l'homme."""
    first = found[0].atoms[0]
    if first.unspaced or not first.words[0][:1].isalpha():
        return list(found)
    joined = (f"{elision}{word}" for word in first.words for elision in ELISIONS)
    atom = replace(first, words=(*first.words, *joined))
    return [replace(found[0], atoms=(atom, *found[0].atoms[1:])), *found[1:]]


def _placed(found: Sequence[Chunk]) -> Iterator[tuple[Atom, bool]]:
    """Every atom, and whether its chunk is at either end of what is looked for."""
    for at, chunk in enumerate(found):
        for atom in chunk.atoms:
            yield atom, at in (0, len(found) - 1)


def _last_word(written: str) -> str:
    """The word that a prefix leaves open: what follows the last sign, or "" where a script without spaces ends it."""
    last = _SIGNS.split(written)[-1]
    return "" if not last or is_unspaced(last[-1]) else max(last.split("'"), key=len)


def _size(wanted: Wanted) -> int:
    return len(wanted.prefix or wanted.character or (wanted.words or wanted.terms)[0])


@dataclass(frozen=True, slots=True)
class Misspelt:
    """What a fuzzy query asks the vocabulary for: words like `words`, and what may stand between the `gaps`."""

    words: tuple[str, ...]
    gaps: tuple[tuple[str, str], ...]
    atoms: tuple[Atom, ...]


def misspelt(text: str, language: str) -> Misspelt:
    """The words of a query, any of which may be misspelt; at most MAX_LEAVES atoms."""
    found = list(chunks(text, language))
    found = [chunk for chunk in found if not _is_stop(chunk)] or found
    atoms = list(dict.fromkeys(atom for chunk in found for atom in chunk.atoms))[:MAX_LEAVES]
    words = [word for atom in atoms if not atom.unspaced for word in atom.words]
    gaps = [
        (one.words[0][0], other.words[0][-1])
        for chunk in found
        if chunk.unspaced and len(chunk.atoms) == 2
        for one, other in pairwise(chunk.atoms)
    ]
    return Misspelt(tuple(dict.fromkeys(words)), tuple(dict.fromkeys(gaps)), tuple(atoms))


def fuzzy_plan(
    asked: Misspelt, alike: Mapping[str, Sequence[Near]], between: Mapping[tuple[str, str], Sequence[str]]
) -> Plan | None:
    """Any of the query's words or of those like them; None when it has no words."""
    if not asked.atoms:
        return None
    made = Plan(Any(()))
    parts: list[Node] = []
    for atom in asked.atoms:
        near: dict[str, float] = {}
        for each in (each for word in atom.words for each in alike.get(word, ())):
            near |= {term: max(each.likeness, near.get(term, 0.0)) for term in each.terms}
        words = () if atom.unspaced else atom.words
        parts.append(Required((made.number(Wanted(words, atom.terms, alike=tuple(near.items()))),)))
    for (first, last), middles in between.items():
        for middle in middles:
            pair = [Wanted(terms=(term,), factor=GAP_LIKENESS) for term in (first + middle, middle + last)]
            parts.append(Required(tuple(made.number(each) for each in pair), first + middle + last))
    made.tree = Any(tuple(parts))
    return made
