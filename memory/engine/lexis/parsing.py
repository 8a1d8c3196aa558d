"""The raw query language.

    query   = any
    any     = all *( "OR" all )
    all     = not *( [ "AND" ] not )
    not     = *( "NOT" | "-" ) atom
    atom    = "(" any ")" | phrase | word [ "*" ]
    phrase  = '"' *( character | '\\"' | '\\\\' ) '"'

Operators are upper case; in lower case they are words. A `-` negates where a word, phrase or parenthesis follows it at
once. Words end at white space, quotes and parentheses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from memory.engine.lexis.syntax import (
    MAX_DEPTH,
    MAX_LEAVES,
    MAX_PARTS,
    MAX_PHRASE,
    MAX_PHRASE_ATOMS,
    MIN_PREFIX,
    All,
    Any,
    Leaf,
    Node,
    Not,
    Phrase,
    QuerySyntaxError,
    Word,
    holds,
)
from memory.engine.text.normalise import fold, normalise
from memory.engine.text.written import chunks

_TOKEN: Final = re.compile(r'\s*(?:(?P<sign>[()])|(?P<phrase>")|(?P<minus>-(?=[^\s)]))|(?P<word>[^\s()"]+))')
_PHRASE: Final = re.compile(r'((?:[^"\\]|\\.)*+)"', re.DOTALL)
_ESCAPED: Final = re.compile(r'\\(["\\])')
_OPERAND: Final = "a word, a phrase or '('"


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse(query: str) -> Node:
    """The tree of a raw query; `QuerySyntaxError` says where it cannot be read."""
    reader = _Reader(_tokens(query), len(query))
    node = reader.any(0)
    if (left := reader.next) is not None:
        raise QuerySyntaxError("unopened", "')' closes nothing", left.at, "'(' before it")
    if _holds(node):
        at = _negated(node)
        raise QuerySyntaxError("absent", "This asks only for what is absent", at, "a word that must occur beside it")
    return node


def _tokens(query: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while match := _TOKEN.match(query, at):
        kind = str(match.lastgroup)
        start, at = match.start(kind), match.end()
        if kind == "phrase":
            inside = _PHRASE.match(query, at)
            if inside is None:
                raise QuerySyntaxError(
                    "quote", "A quotation mark opens and nothing closes it", start, "another '\"' after it"
                )
            found.append(_Token(kind, _ESCAPED.sub(r"\1", inside[1]), start))
            at = inside.end()
            if query[at : at + 1] == "*":
                raise QuerySyntaxError("star", "'*' follows a phrase", at, "it to end a single word")
        else:
            found.append(_Token(kind, match[kind], start))
    return found


class _Reader:
    """Recursive descent over the tokens; its depth is bounded by MAX_DEPTH."""

    def __init__(self, tokens: list[_Token], end: int):
        self.tokens, self.end = tokens, end
        self.at = self.leaves = self.parts = 0

    @property
    def next(self) -> _Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def takes(self, kind: str, text: str) -> bool:
        """Whether the next token is this one; then it is read."""
        found = self.next is not None and (self.next.kind, self.next.text) == (kind, text)
        self.at += found
        return found

    def any(self, depth: int) -> Node:
        parts = [self.all(depth)]
        while self.takes("word", "OR"):
            parts.append(self.all(depth))
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def all(self, depth: int) -> Node:
        parts = [self.negation(depth)]
        while self.next is not None and (self.next.kind, self.next.text) not in (("sign", ")"), ("word", "OR")):
            self.takes("word", "AND")
            parts.append(self.negation(depth))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def negation(self, depth: int) -> Node:
        odd = False
        while self.takes("word", "NOT") or self.takes("minus", "-"):
            odd = not odd
        node = self.atom(depth)
        return Not(node) if odd else node

    def atom(self, depth: int) -> Node:
        token = self.next
        if token is None:
            raise QuerySyntaxError("early_end", "The query ends too early", self.end, _OPERAND)
        if (token.kind, token.text) in (("word", "AND"), ("word", "OR"), ("sign", ")")):
            raise QuerySyntaxError("operand", f"'{token.text}' has nothing before it", token.at, _OPERAND)
        self.at += 1
        if token.kind != "sign":
            return self.leaf(token)
        if depth == MAX_DEPTH:
            raise QuerySyntaxError("deep", "Parentheses are nested too deeply", token.at, f"at most {MAX_DEPTH} levels")
        node = self.any(depth + 1)
        if not self.takes("sign", ")"):
            raise QuerySyntaxError("unclosed", "'(' is not closed", token.at, "')' after it")
        return node

    def leaf(self, token: _Token) -> Leaf:
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            raise QuerySyntaxError(
                "many", "The query has too many words", token.at, f"at most {MAX_LEAVES} words and phrases"
            )
        text = token.text
        if token.kind == "phrase":
            if len(text) > MAX_PHRASE:
                raise QuerySyntaxError("long", "A phrase is too long", token.at, f"at most {MAX_PHRASE:,} characters")
            self.check(text, token.at)
            return Phrase(text, token.at)
        word = text.removesuffix("*")
        if (star := word.find("*")) >= 0:
            raise QuerySyntaxError(
                "star", "'*' stands inside a word", token.at + star, "it at the end of the word only"
            )
        self.check(word, token.at)
        if word == text:
            return Word(text, token.at)
        if len(fold(normalise(word))) < MIN_PREFIX:
            raise QuerySyntaxError(
                "short", f"'{text}' is too short", token.at, f"at least {MIN_PREFIX} characters before '*'"
            )
        return Word(word, token.at, prefix=True)

    def check(self, text: str, at: int) -> None:
        """There is something to search for, but with what came before not more than can be looked up."""
        parts = sum(min(len(chunk.atoms), MAX_PHRASE_ATOMS) for chunk in chunks(text, "en"))
        self.parts += parts
        if not parts:
            raise QuerySyntaxError(
                "empty",
                f"'{text[:40]}' has nothing to search for" if text.strip() else "There is nothing to search for",
                at,
                "letters, digits or emoji",
            )
        if self.parts > MAX_PARTS:
            raise QuerySyntaxError(
                "many", "The words of the query fall into too many parts", at, f"at most {MAX_PARTS} of them"
            )


def _holds(node: Node) -> bool:
    """What the query says of a text in which none of its words and phrases occurs."""
    return holds(node, lambda leaf: False)


def _negated(node: Node) -> int:
    """Where the first word stands whose absence is enough."""
    if isinstance(node, Not):
        return _negated(node.part)
    if isinstance(node, All | Any):
        return _negated(next((part for part in node.parts if _holds(part)), node.parts[0]))
    return node.at if isinstance(node, Word | Phrase) else 0
