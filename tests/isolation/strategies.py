"""What hypothesis draws from: few texts, sources and values, so that two tenants hold the same ones."""

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

TEXTS = (
    "Dana prefers tea in the morning.",
    "The backup server runs Debian.",
    "Invoices are due on the last Friday.",
    "The harbour of Lisbon was sunny.",
    "Deploys are frozen in December.",
)
SOURCES = ("", "chat-1", "chat-2", "docs/guide")
NAMESPACES = ("default", "red", "blue")
PROJECTS = ("apollo", "zeus")
AGENTS = ("ada", "bert")
KINDS = ("fact", "todo")
MOMENTS = ("1990-01-01", "2010-06-01T10:00:00Z", "2100-01-01")
METADATA_KEYS = frozenset(["project", "amount", "done", "owner", "when", "labels", "place.city", "ghost"])
TAGS = ("home", "work", "travel")
BOUNDS = {"number": (0, 2, 2.5, 40), "instant": ("2000-01-01", "2015-01-01T00:00:00Z", "2110-01-01")}

_texts = st.sampled_from(TEXTS)
_tags = st.lists(st.sampled_from(TAGS), unique=True, max_size=2)


def _some(**optional: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=optional)


metadata = _some(
    project=st.sampled_from(PROJECTS),
    amount=st.sampled_from([1, 2.5, 30]),
    done=st.booleans(),
    owner=st.sampled_from([None, "Dana"]),
    when=st.sampled_from(MOMENTS),
    labels=st.lists(st.sampled_from(["x", "y"]), max_size=2),
    place=st.sampled_from([{"city": "Lisbon"}, {"city": "Porto"}]),
    valid_from=st.sampled_from(["1980-01-01", "2090-01-01"]),
    valid_until=st.sampled_from(["2005-01-01", "2200-01-01", "current"]),
).filter(lambda drawn: not drawn.get("valid_from", "") > drawn.get("valid_until", "9999"))
items = st.builds(
    lambda always, optional: {**always, **optional},
    st.fixed_dictionaries({"text": _texts, "source": st.sampled_from(SOURCES)}),
    _some(
        offset=st.integers(0, 2),
        namespace=st.sampled_from(NAMESPACES),
        metadata=metadata,
        tags=_tags,
        agent=st.sampled_from(AGENTS),
        kind=st.sampled_from(KINDS),
        timestamp=st.sampled_from(MOMENTS),
    ),
)
changes = _some(
    text=_texts, tags=_tags, metadata=_some(amount=st.sampled_from([1, 7, None]), project=st.sampled_from(PROJECTS))
).filter(bool)


def _ranges(kind: str) -> st.SearchStrategy[dict[str, Any]]:
    bound = st.sampled_from(BOUNDS[kind])
    return _some(gte=bound, gt=bound, lte=bound, lt=bound).filter(bool)


def _among(values: tuple[str, ...]) -> st.SearchStrategy[Any]:
    several = st.lists(st.sampled_from(values), max_size=2)
    return st.one_of(
        st.sampled_from(values),
        several.map(lambda drawn: {"any": drawn}),
        several.map(lambda drawn: {"none": drawn}),
        st.sampled_from(values).map(lambda drawn: {"ne": drawn}),
        st.booleans().map(lambda drawn: {"exists": drawn}),
        st.sampled_from(values).map(lambda drawn: {"prefix": drawn[:2]} if drawn else {"eq": drawn}),
    )


def _leaf(ids: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    fields: Mapping[str, st.SearchStrategy[Any]] = {
        "project": _among(PROJECTS),
        "metadata.amount": _ranges("number") | st.sampled_from([1, 2.5, 30]),
        "done": st.booleans() | st.none(),
        "owner": st.none() | st.just("Dana") | st.booleans().map(lambda drawn: {"exists": drawn}),
        "when": _ranges("instant"),
        "labels": _among(("x", "y")),
        "place.city": st.sampled_from(["Lisbon", "Porto"]),
        "ghost": st.just(1) | st.booleans().map(lambda drawn: {"exists": drawn}),
        "tags": _among(TAGS),
        "source": _among(SOURCES),
        "namespace": _among(NAMESPACES),
        "agent": _among(AGENTS),
        "kind": _among(KINDS),
        "offset": _ranges("number") | st.integers(0, 2),
        "timestamp": _ranges("instant"),
        "id": st.sampled_from(ids),
    }
    return st.one_of(*(value.map(lambda drawn, name=name: {name: drawn}) for name, value in fields.items()))


def filters(ids: tuple[str, ...]) -> st.SearchStrategy[dict[str, Any]]:
    """Filters of up to three levels; `ids` are own and foreign ones."""
    leaf = _leaf(ids)
    several = st.lists(leaf, min_size=1, max_size=2)
    return st.one_of(
        st.just({}),
        leaf,
        several.map(lambda drawn: {"and": drawn}),
        several.map(lambda drawn: {"or": drawn}),
        leaf.map(lambda drawn: {"not": drawn}),
        several.map(lambda drawn: {"not": {"or": drawn}}),
    )


def metadata_keys(query: Mapping[str, Any]) -> set[str]:
    """The metadata keys that a filter mentions."""
    found: set[str] = set()
    for name, value in query.items():
        if name in ("and", "or"):
            found |= {key for part in value for key in metadata_keys(part)}
        elif name == "not":
            found |= metadata_keys(value)
        elif (key := name.removeprefix("metadata.")) in METADATA_KEYS:
            found.add(key)
    return found


def empty_ranges(query: Mapping[str, Any]) -> set[str]:
    """The full names of the fields whose range ends before it begins."""
    found: set[str] = set()
    for name, value in query.items():
        if name in ("and", "or"):
            found |= {field for part in value for field in empty_ranges(part)}
        elif name == "not":
            found |= empty_ranges(value)
        elif isinstance(value, dict) and _empty(value):
            found.add(name if name.startswith("metadata.") or name not in METADATA_KEYS else f"metadata.{name}")
    return found


def _empty(bounds: Mapping[str, Any]) -> bool:
    """Whether no value is left; the bounds that are drawn sort as texts as they do as instants."""
    return any(
        bounds[low] > bounds[high] or (bounds[low] == bounds[high] and {low, high} != {"gte", "lte"})
        for low in ("gte", "gt")
        for high in ("lte", "lt")
        if low in bounds and high in bounds
    )
