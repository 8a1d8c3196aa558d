"""How the REST API describes itself: what drf-spectacular does not know by itself. Importing it is enough."""

from typing import Any

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from pydantic.json_schema import model_json_schema

from loci.ground.problems import CONTENT_TYPE
from memory.shapes.answers import Problem

_REF = "#/components/schemas/{model}"


class Schema(AutoSchema):
    """A DELETE may have a body here, as the seed's has."""

    def _get_request_body(self, direction: str = "request") -> Any:
        method = self.method
        if method == "DELETE" and self.get_request_serializer() is not None:
            self.method = "POST"
        try:
            return super()._get_request_body(direction)
        finally:
            self.method = method


class Shape(PydanticExtension):
    """A field with a default may be left out of a request, but is always there in an answer."""

    priority = 1

    def map_serializer(self, auto_schema: Any, direction: Any) -> Any:
        """The JSON schema of a pydantic model; the models within it become components."""
        schema = model_json_schema(
            self.target, ref_template=_REF, mode="validation" if direction == "request" else "serialization"
        )
        for name, inner in schema.pop("$defs", {}).items():
            component = ResolvedComponent(name=name, type=ResolvedComponent.SCHEMA, object=name, schema=inner)
            auto_schema.registry.register_on_missing(component)
        return schema


class ServiceKey(OpenApiAuthenticationExtension):
    """Either header will do."""

    target_class = "memory.api.authentication.ServiceKeyAuthentication"
    name = ["ApiKey", "Bearer"]

    def get_security_definition(self, auto_schema: Any) -> list[dict[str, str]]:
        """One for each name."""
        return [{"type": "apiKey", "in": "header", "name": "X-API-Key"}, {"type": "http", "scheme": "bearer"}]


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Give every operation the answer that says what went wrong, and say that either header alone is enough."""
    components = result.setdefault("components", {})
    schema = model_json_schema(Problem, ref_template=_REF, mode="serialization")
    components.setdefault("schemas", {})["Problem"] = schema
    components["responses"] = {
        "Problem": {
            "description": "What went wrong, as RFC 9457 has it.",
            "content": {CONTENT_TYPE: {"schema": {"$ref": _REF.format(model="Problem")}}},
        }
    }
    for operations in result["paths"].values():
        for operation in operations.values():
            operation["responses"]["default"] = {"$ref": "#/components/responses/Problem"}
            if "security" in operation:
                operation["security"] = [{name: []} for one in operation["security"] for name in one]
    return result
