"""JSON out of a language model's text: lenient in form, strict in type.

In form: a byte order mark, a `<think>` block, a code fence, words before the value and after it. In type: the value is
JSON to the letter (no NaN, no key twice) and fits the schema. The value starts at the first `{`: nothing is looked for
further in, since a part of a spoilt answer must not pass for an answer.
"""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FENCE = re.compile(r"```[\w-]*[ \t]*\n(.*?)(?:\n\s*```|\Z)", re.DOTALL)


class NotTheSchema(ValueError):
    """The text is not a JSON value of the schema. The message quotes nothing of the text but names of the schema."""


def without_thinking(text: str) -> str:
    """`text` without a block of thoughts at its beginning, and without white space around it."""
    return _THINKING.sub("", text.removeprefix("\ufeff")).strip()


def json_of(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON object in `text`. Raises NotTheSchema, which says what is wrong and where."""
    text = without_thinking(text)
    fenced = _FENCE.search(text)
    if fenced and "{" not in text[: fenced.start()]:
        text = fenced.group(1)
    start = text.find("{")
    if start < 0:
        raise NotTheSchema("there is no JSON object in it")
    try:
        value, end = _decoder().raw_decode(text, start)
    except json.JSONDecodeError as error:
        cut = not text[error.pos :].strip() or error.msg.startswith("Unterminated string")
        raise NotTheSchema("its JSON is cut off" if cut else f"its JSON is broken: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        told = isinstance(error, NotTheSchema)
        raise NotTheSchema(str(error) if told else "its JSON is too large or too deep") from None
    if "{" in text[end:]:
        raise NotTheSchema("there is more than one JSON object in it")
    return _checked(value, schema)


def _checked(value: Any, schema: Mapping[str, Any]) -> Any:
    fault = best_match(Draft202012Validator(dict(schema)).iter_errors(value))
    if fault is not None:
        raise NotTheSchema(f"its JSON does not fit the schema: {fault.json_path[:80]} breaks {fault.validator!r}")
    return value


@lru_cache(maxsize=1)
def _decoder() -> json.JSONDecoder:
    return json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_no_constant)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotTheSchema("its JSON has a key twice")
    return found


def _no_constant(name: str) -> Any:
    raise NotTheSchema(f"its JSON has {name}, which is no JSON")
