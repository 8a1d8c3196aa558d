"""A result of a search as the page shows it: its text with the words found, its score, and why it stands there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.figures import decimal, grouped, signed
from console.parts import ALWAYS, ARMS, STAGE_LOOK, STAGES, look_of, name_of
from memory.engine.text import highlight, query_terms
from memory.engine.types import Record
from memory.services.recall import Hit

LONGEST = 420
BEFORE = 120
GAP = 0.6
Piece = tuple[str, bool]
"""A stretch of text, and whether it is one of the words looked for."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the score bar, in percent of its width."""

    look: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class Reason:
    """One line of "why this rank"; `part` is None for an arm that had nothing to say."""

    name: str
    look: str
    detail: str
    part: float | None


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A result, ready for the page."""

    place: int
    record: Record
    pieces: Sequence[Piece]
    score: float
    total: float
    segments: Sequence[Segment]
    reasons: Sequence[Reason]
    arms: Sequence[str] = ()

    @property
    def spoken(self) -> str:
        """The score bar in words."""
        parts = ", ".join(f"{reason.name} {signed(reason.part)}" for reason in self.reasons if reason.part is not None)
        return _("Score %(score)s: %(parts)s.") % {"score": decimal(self.score), "parts": parts}


def shown(hit: Hit, place: int, query: str, missing: dict[str, str]) -> ShownHit:
    """`hit` for the page; `missing` maps an arm that did not take part to the reason."""
    record = hit.record
    language = record.payload["language"]
    spans = highlight(record.text, language, query_terms(query, language))
    words = list(dict.fromkeys(record.text[start:end].casefold() for start, end in spans))
    spans = joined(record.text, spans)
    told = [arm for arm in ARMS if arm in ALWAYS or arm in hit.parts or arm in missing]
    reasons = [_reason(hit, arm, words, missing) for arm in told]
    reasons += [
        Reason(name_of(part), STAGE_LOOK, str(STAGES[part][1]), hit.parts[part]) for part in STAGES if part in hit.parts
    ]
    return ShownHit(
        place, record, snippet(record.text, spans), hit.score, sum(hit.parts.values()), _segments(hit), reasons,
        list(hit.arms),
    )  # fmt: skip


def _reason(hit: Hit, arm: str, words: Sequence[str], missing: dict[str, str]) -> Reason:
    name, look, part = name_of(arm), look_of(arm), hit.parts.get(arm, 0.0)
    if arm in missing:
        return Reason(name, "off", missing[arm], None)
    if arm == "neighbours":
        return Reason(name, look, _("passages beside it in its source"), part)
    said = []
    if arm in hit.arms:
        said.append(_("rank %(rank)d") % {"rank": hit.arms[arm]})
    if arm == "dense" and arm in hit.raw:
        said.append(_("similarity %(value)s") % {"value": decimal(hit.raw[arm])})
    if arm == "lexical":
        said.append(", ".join(words[:5]) if words else _("no word in common"))
    return Reason(name, look, " · ".join(said) or _("not among the first of this arm"), part)


def _segments(hit: Hit) -> list[Segment]:
    """The score, shared out among the parts that spoke for it; a hit that none spoke for has one grey stretch."""
    lifting = {arm: part for arm, part in hit.parts.items() if part > 0}
    total = sum(lifting.values())
    shares = [(look_of(arm), part / total) for arm, part in lifting.items()] if total else [("rest", 1.0)]
    at, segments = 0.0, []
    for look, share in shares:
        width = share * hit.score * 100
        segments.append(Segment(look, f"{at:.1f}", f"{max(width - GAP, 0.4):.1f}"))
        at += width
    return segments


def joined(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Words that stand side by side as one stretch."""
    merged: list[tuple[int, int]] = []
    for start, end in spans:
        if merged and not text[merged[-1][1] : start].strip():
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def snippet(text: str, spans: Sequence[tuple[int, int]] = (), longest: int = LONGEST) -> list[Piece]:
    """At most `longest` characters of `text` around the first word found, in marked and unmarked pieces."""
    start = 0
    if len(text) > longest and spans and spans[0][0] > longest - BEFORE:
        start = text.rfind(" ", 0, max(1, spans[0][0] - BEFORE)) + 1
    end = len(text)
    if end > start + longest:
        end = max(text.rfind(" ", start, start + longest), start + longest // 2)
    pieces: list[Piece] = [("… ", False)] if start else []
    at = start
    for left, right in spans:
        left, right = max(left, at), min(right, end)
        if left >= right:
            continue
        pieces += [(text[at:left], False), (text[left:right], True)]
        at = right
    pieces.append((text[at:end] + (" …" if end < len(text) else ""), False))
    return [piece for piece in pieces if piece[0]]


def missing_arms(degraded: Sequence[str], notes: Sequence[str]) -> dict[str, str]:
    """Arms that took no part in an answer, and why."""
    said = {
        "timeout": _("no answer in time"),
        "failed": _("did not work this time"),
        "disabled": _("switched off"),
    }
    parts = [tag.split(":") for tag in (*degraded, *notes)]
    return {part[1]: said.get(part[2], part[2]) for part in parts if part[0] == "retriever" and len(part) == 3}


def fallbacks(degraded: Sequence[str]) -> list[str]:
    """What fell back, in sentences."""
    said = [
        (_("%(arm)s did not answer in time.") if why == "timeout" else _("%(arm)s did not work this time."))
        % {"arm": name_of(arm)}
        for tag in degraded
        for kind, _colon, rest in [tag.partition(":")]
        for arm, _colon2, why in [rest.partition(":")]
        if kind == "retriever"
    ]
    others = [tag for tag in degraded if not tag.startswith("retriever:")]
    return said + ([_("The order of the results is a rough one.")] if others else [])


def remarks(notes: Sequence[str]) -> list[str]:
    """What did not apply, in sentences."""
    said = []
    for tag in notes:
        if tag == "retriever:dense:disabled":
            said.append(_("Search by meaning is switched off here. These results go by words alone."))
        elif tag.startswith("filter:unknown_key:"):
            said.append(_("No memory has a field “%(key)s”.") % {"key": tag.split(":", 2)[2]})
        elif tag.startswith("filter:empty_range:"):
            said.append(_("The range of “%(key)s” ends before it begins.") % {"key": tag.split(":", 2)[2]})
    return said


def wordless(found: Sequence[Hit], missing: Mapping[str, str]) -> list[str]:
    """Says so where results come by meaning alone, although words were looked for."""
    if not found or "lexical" in missing or any("lexical" in hit.arms for hit in found):
        return []
    return [_("No memory has a word of this. These are the nearest by meaning, and may be far off.")]


def counted(number: int) -> str:
    """How many results there are."""
    return ngettext("%(n)s result", "%(n)s results", number) % {"n": grouped(number)}
