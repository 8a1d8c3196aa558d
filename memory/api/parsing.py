"""Bodies and parameters in: strict JSON, then a pydantic model. Every fault is told with the path to it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from django.conf import settings
from pydantic import BaseModel, ValidationError
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from loci.ground.errors import Fault, InvalidRequest, TooLarge

M = TypeVar("M", bound=BaseModel)
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89abAB])|\x00")
_SURROGATE = re.compile("[\ud800-\udfff]")


class StrictJSONParser(BaseParser):
    """JSON in UTF-8 and nothing else: no NaN, no NUL, no lone surrogate, no abysmal nesting."""

    media_type = "application/json"

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Any = None) -> Any:
        raw = stream.read(settings.MAX_BODY_BYTES + 1)
        if len(raw) > settings.MAX_BODY_BYTES:
            raise TooLarge(f"The body is over the limit of {settings.MAX_BODY_BYTES // 2**20} MB.")
        try:
            value = json.loads(raw.decode(), parse_constant=_no_constant)
        except UnicodeDecodeError as error:
            _refuse(f"is not UTF-8 at byte {error.start}", "json_invalid")
        except RecursionError:
            _refuse("is nested too deep", "json_invalid")
        except ValueError as error:
            _refuse(f"is not valid JSON: {error}", "json_invalid")
        if _SUSPECT.search(raw):
            faults = [
                Fault(("body", *path), "holds a NUL character or a lone surrogate", "string_unicode")
                for path in _bad_texts(value)
            ]
            if faults:
                raise InvalidRequest(faults[:20])
        return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _refuse(message: str, kind: str) -> NoReturn:
    raise InvalidRequest([Fault(("body",), message, kind)])


def _bad_texts(value: Any) -> Iterator[tuple[str | int, ...]]:
    """Paths to strings (or keys) that cannot be stored. Iterative, since nesting is the caller's."""
    stack: list[tuple[tuple[str | int, ...], Any]] = [((), value)]
    while stack:
        path, item = stack.pop()
        if isinstance(item, str) and ("\0" in item or _SURROGATE.search(item)):
            yield path
        elif isinstance(item, dict):
            for key, inner in item.items():
                shown = key.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")[:64]
                stack.append(((*path, shown), key if shown != key[:64] else inner))
        elif isinstance(item, list):
            stack.extend(((*path, at), inner) for at, inner in enumerate(item))


def body(request: Request, model: type[M]) -> M:
    """The request's body as `model`; `InvalidRequest` with every fault."""
    try:
        data = request.data
    except UnsupportedMediaType:
        raise
    return _validated(model, data, "body")


def query(request: Request, model: type[M]) -> M:
    """The request's query parameters as `model`; each may be given once."""
    given: dict[str, Any] = {}
    for name, values in request.query_params.lists():
        if len(values) > 1:
            raise InvalidRequest([Fault(("query", name), "is given more than once")])
        if "\0" in values[0]:
            raise InvalidRequest([Fault(("query", name), "holds a NUL character", "string_unicode")])
        given[name] = values[0]
    return _validated(model, given, "query", strict=False)


def _validated(model: type[M], data: Any, where: str, *, strict: bool = True) -> M:
    try:
        return model.model_validate(data, strict=strict)
    except ValidationError as error:
        raise InvalidRequest([_fault(where, fault) for fault in error.errors(include_url=False)[:50]]) from None


def _fault(where: str, fault: Mapping[str, Any]) -> Fault:
    message = str(fault["msg"]).removeprefix("Value error, ")
    return Fault((where, *fault["loc"]), message[:500], str(fault["type"]))
