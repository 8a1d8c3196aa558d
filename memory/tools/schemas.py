"""JSON Schemas of arguments and results, plain enough for every provider: no `$ref`, no titles, no null types."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from loci.ground.errors import InvalidRequest
from memory.shapes.strict import read_json

NOISE = frozenset({"title", "default"})


class Arguments(BaseModel):
    """A tool's arguments, as models send them: a null is an argument not given, and what should be a list or an
    object may come as its JSON text. Unknown ones are faults."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def as_meant(cls, given: Any) -> Any:
        """Drop nulls, and read JSON where a list or an object is wanted."""
        if not isinstance(given, Mapping):
            return given
        structured = _structured_fields(cls)
        return {
            name: _decoded(value) if name in structured else value for name, value in given.items() if value is not None
        }


class Result(BaseModel):
    """A tool's result."""


@cache
def _structured_fields(model: type[BaseModel]) -> frozenset[str]:
    properties = model.model_json_schema().get("properties", {})
    return frozenset(name for name, schema in properties.items() if _structured(schema))


def _structured(schema: Mapping[str, Any]) -> bool:
    kinds = [schema, *schema.get("anyOf", ())]
    return not any(kind.get("type") == "string" for kind in kinds) and any(
        kind.get("type") in ("array", "object") for kind in kinds
    )


def _decoded(value: Any) -> Any:
    """A list or object that came as its JSON text; as strict as JSON in a body. What is no JSON stays as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        raw = value.encode()
    except UnicodeEncodeError:
        return value
    try:
        return read_json(raw)
    except InvalidRequest as refused:
        raise ValueError(f"given as JSON text, {refused.faults[0].msg}") from None


def closed_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of arguments: references resolved, `null` left out (an argument that may be left out may be)."""
    schema = model.model_json_schema(mode="validation")
    found: dict[str, Any] = _plain(schema, schema.get("$defs", {}), nullable=False)
    properties = found.setdefault("properties", {})
    needed = found.get("required", [])
    found["properties"] = {
        name: properties[name] for name in (*needed, *(name for name in properties if name not in needed))
    }
    return found


def open_schema(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a result: references resolved, further properties allowed."""
    schema = model.model_json_schema(mode="serialization")
    found: dict[str, Any] = _plain(schema, schema.get("$defs", {}), nullable=True)
    return found


def _plain(node: Any, definitions: Mapping[str, Any], *, nullable: bool, named: bool = False) -> Any:
    """`node` without references and noise. `named`: its keys are names of properties, not of the schema language."""
    if isinstance(node, list):
        return [_plain(item, definitions, nullable=nullable) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = definitions[node["$ref"].rpartition("/")[2]]
        node = {**target, **{key: value for key, value in node.items() if key != "$ref"}}
    if not named and not nullable and "anyOf" in node:
        node = _without_null(node)
    return {
        key: _plain(value, definitions, nullable=nullable, named=not named and key == "properties")
        for key, value in node.items()
        if named or (key != "$defs" and not (key in NOISE and (key != "default" or value in (None, [], {}))))
    }


def _without_null(node: dict[str, Any]) -> dict[str, Any]:
    choices = [choice for choice in node["anyOf"] if choice.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key != "anyOf"}
    return {**choices[0], **rest} if len(choices) == 1 else {**rest, "anyOf": choices}
