"""Bodies and parameters in: strict JSON, then a pydantic model. Every fault is told with the path to it."""

from collections.abc import Iterator
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from django.conf import settings
from pydantic import BaseModel
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from loci.ground.errors import Fault, InvalidRequest, TooLarge
from memory.shapes.checks import shown, validated
from memory.shapes.strict import read_json

M = TypeVar("M", bound=BaseModel)


MAX_PARAMETERS = 100


class StrictJSONParser(BaseParser):
    """JSON in UTF-8 and nothing else: no NaN, no NUL, no lone surrogate, no key twice, no abysmal nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        raw = stream.read(settings.MAX_BODY_BYTES + 1)
        if len(raw) > settings.MAX_BODY_BYTES:
            raise TooLarge(f"The body is over the limit of {settings.MAX_BODY_BYTES // 2**20} MB.")
        return read_json(raw)


def body(request: Request, model: type[M]) -> M:
    """The request's body as `model`; `InvalidRequest` with every fault."""
    return validated(model, request.data, "body")


def query(request: Request, model: type[M]) -> M:
    """The request's query parameters as `model`; each may be given once."""
    given: dict[str, Any] = {}
    for name, value in _parameters(request):
        if name in given:
            raise InvalidRequest([Fault(("query", name), "is given more than once")])
        given[name] = value
    return validated(model, given, "query", strict=False)


def no_query(request: Request) -> None:
    """Refuses query parameters where none are taken."""
    if faults := [
        Fault(("query", name), "is no parameter here", "extra_forbidden") for name, _ in _parameters(request)
    ]:
        raise InvalidRequest(faults[:20])


def _parameters(request: Request) -> Iterator[tuple[str, str]]:
    """Names and values of the query string, read strictly: Django would replace what is not UTF-8."""
    raw = request.META.get("QUERY_STRING", "")
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, encoding="latin-1", max_num_fields=MAX_PARAMETERS)
    except ValueError:
        raise InvalidRequest([Fault(("query",), f"has more than {MAX_PARAMETERS} parameters")]) from None
    for name, value in pairs:
        said = shown(name)
        try:
            decoded = value.encode("latin-1").decode()
            name.encode("latin-1").decode()
        except UnicodeError:
            raise InvalidRequest([Fault(("query", said), "is not percent-encoded UTF-8", "string_unicode")]) from None
        if "\0" in name + value:
            raise InvalidRequest([Fault(("query", said), "holds a NUL character", "string_unicode")])
        yield said, decoded
