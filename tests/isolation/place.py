"""The reference of one tenant: what was written, by the rules, without a database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from tests.isolation.model import Fact, Look, _walk, holds, moment, reaches, shows
from tests.isolation.shapes import Shape

Content = tuple[str, str, int, str, tuple[object, ...]]


@dataclass
class Place:
    """`memories`: id → versions, oldest first; `contents`: what an id was made from, also after an erasure."""

    memories: dict[str, list[Fact]] = field(default_factory=dict)
    contents: dict[Content, str] = field(default_factory=dict)
    jobs: dict[str, str] = field(default_factory=dict)

    def newest(self, shape: Shape, memory: str) -> Fact | None:
        """What became of a memory, if the key reaches that; that it reaches what was before does not count."""
        versions = self.memories.get(memory)
        return versions[-1] if versions and reaches(shape, versions[-1]) else None

    def visible(self, shape: Shape, look: Look, query: Mapping[str, Any]) -> dict[str, Fact]:
        """What a recall that shows everything must return."""
        facts = (fact for versions in self.memories.values() for fact in versions)
        return {fact.id: fact for fact in facts if reaches(shape, fact) and shows(look, fact) and holds(query, fact)}

    def unknown_keys(self, shape: Shape, keys: Iterable[str]) -> list[str]:
        """Which metadata keys no memory within reach has; what it was before does not count."""
        known = {
            path
            for memory in self.memories
            if (fact := self.newest(shape, memory))
            for path, _ in _walk("", fact.metadata)
        }
        return sorted(set(keys) - known)

    def listed(self, shape: Shape, source: str) -> list[str]:
        """Ids of a source, in order."""
        found = self.visible(shape, Look(), {"source": source})
        return sorted(found, key=lambda memory: UUID(memory).int)

    def fitted(self, shape: Shape, item: Mapping[str, Any]) -> dict[str, Any] | None:
        """An item as the key may write it; None when it reaches beyond."""
        namespace = item.get("namespace", "default")
        if namespace == "default" and shape.namespaces and not {"*", "default"} & set(shape.namespaces):
            namespace = shape.namespaces[0]
        agent = item.get("agent")
        metadata = {**shape.filters, **item.get("metadata", {})}
        if (
            not ("*" in shape.namespaces or namespace in shape.namespaces)
            or (shape.agent != "*" and agent not in (None, shape.agent))
            or any(metadata[key] != value for key, value in shape.filters.items())
        ):
            return None
        return {**item, "namespace": namespace, "agent": agent if shape.agent == "*" else shape.agent,
                "metadata": metadata, "says_metadata": bool(item.get("metadata"))}  # fmt: skip

    def content(self, shape: Shape, item: Mapping[str, Any]) -> Content:
        """What the id is made from; a key that is bound to a filter or an agent has ids of its own."""
        bound = () if shape.agent == "*" and not shape.filters else (shape.agent, *sorted(shape.filters.items()))
        return (item["namespace"], item.get("source", ""), item.get("offset", 0), item["text"], bound)

    def strayed(self, shape: Shape, item: Mapping[str, Any]) -> bool:
        """Whether the memory of this content has left the key's reach since: see test_narrowed.py."""
        versions = self.memories.get(self.contents.get(self.content(shape, item), ""), [])
        return bool(versions) and not reaches(shape, versions[-1])

    def write(self, shape: Shape, item: Mapping[str, Any], memory: str) -> str:
        """Write a fitted item whose id turned out to be `memory`; the status that it should have."""
        content = self.content(shape, item)
        assert self.contents.setdefault(content, memory) == memory, "the same content has the same id"
        assert list(self.contents.values()).count(memory) == 1, "another content has another id"
        before = self.memories.get(memory, [])
        said = _said(item)
        if not before:
            self._add(Fact(memory, item["text"], item["namespace"], item.get("source", ""), item.get("offset", 0),
                           item["metadata"], [], None, None, item.get("timestamp")), said)  # fmt: skip
            return "stored"
        last = before[-1]
        if last.believed and (last.text != item["text"] or not _news(last, said)):
            return "duplicate"
        self._end(memory)
        kept = last if last.believed else replace(last, valid_to=_validity(last.metadata)["valid_to"])
        self._add(replace(kept, text=item["text"], believed=True, retracted=False), said)
        return "updated" if last.believed else "stored"

    def _add(self, fact: Fact, said: Mapping[str, Any]) -> None:
        self.memories.setdefault(fact.id, []).append(replace(fact, **said))

    def _end(self, memory: str) -> None:
        versions = self.memories[memory]
        versions[-1] = replace(versions[-1], believed=False, retracted=False)

    def correct(self, shape: Shape, memory: str, change: Mapping[str, Any]) -> int:
        """Correct a memory; the status of the answer."""
        if self.newest(shape, memory) is None:
            return 404
        last = self.memories[memory][-1]
        if not last.believed:
            return 409
        metadata = last.metadata
        if "metadata" in change:
            gone = {key for key, value in change["metadata"].items() if value is None}
            merged = {**metadata, **change["metadata"]}
            metadata = {**shape.filters, **{key: value for key, value in merged.items() if key not in gone}}
            if not shape.filters.items() <= metadata.items():
                return 403
        said = {name: change[name] for name in ("text", "tags") if name in change}
        self._end(memory)
        self._add(replace(last, **said, metadata=metadata), {})
        return 200

    def targets(self, shape: Shape, choice: Mapping[str, Any]) -> list[str]:
        """The memories that ids or a source name, of those that the key reaches."""
        return [
            memory
            for memory in self.memories
            if (fact := self.newest(shape, memory))
            and ("source" not in choice or fact.source == choice["source"])
            and ("ids" not in choice or memory in choice["ids"])
        ]

    def ends_too_early(self, shape: Shape, choice: Mapping[str, Any]) -> bool:
        """Whether a retraction would end a memory before it begins to hold."""
        end = moment(choice.get("valid_until"))
        starts = [moment(self.memories[one][-1].valid_from) for one in self.targets(shape, choice)
                  if self.memories[one][-1].believed]  # fmt: skip
        return end is not None and any(start is not None and start >= end for start in starts)

    def retract(self, shape: Shape, choice: Mapping[str, Any]) -> int:
        """Invalidate; how many."""
        found = [one for one in self.targets(shape, choice) if self.memories[one][-1].believed]
        for memory in found:
            last = self.memories[memory][-1]
            end = choice.get("valid_until") or last.valid_to
            self.memories[memory][-1] = replace(last, believed=False, retracted=True, valid_to=end)
        return len(found)

    def erase(self, shape: Shape, choice: Mapping[str, Any]) -> int:
        """Erase; how many."""
        found = self.targets(shape, choice)
        for memory in found:
            del self.memories[memory]
        return len(found)


def _validity(metadata: Mapping[str, Any]) -> dict[str, str | None]:
    end = metadata.get("valid_until")
    return {"valid_from": metadata.get("valid_from"), "valid_to": None if end == "current" else end}


def _said(item: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: item[name] for name in ("kind", "agent") if item.get(name) is not None}
    if item["says_metadata"]:
        said |= {"metadata": item["metadata"], **_validity(item["metadata"])}
    if item.get("tags"):
        said["tags"] = item["tags"]
    return said


def _news(last: Fact, said: Mapping[str, Any]) -> bool:
    return any(
        moment(value) != moment(getattr(last, name)) if name.startswith("valid_") else value != getattr(last, name)
        for name, value in said.items()
    )
