"""What commands print: results on standard output, everything else on standard error."""

import dataclasses
import json
import re
import shutil
import sys
import textwrap
from datetime import datetime
from typing import Any

from loci_client.errors import LociError, Refused

_COMMANDING = re.compile(
    r"[\0-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed
    r"\u2028\u2029\u202a-\u202e\u2066-\u206f"  # what ends lines, and what turns the direction of text around
    r"\ud800-\udfff"  # halves of characters, which cannot be written
    r"\U000e0000-\U000e007f]"  # a second, invisible ASCII
)


def say(text: str = "") -> None:
    """A line for people."""
    print(harmless(text))


def tell(text: str, end: str = "\n") -> None:
    """A line about what goes on."""
    print(harmless(text), end=end, file=sys.stderr, flush=True)


def say_json(document: Any) -> None:
    """A document for programs, on one line."""
    print(json.dumps(document, default=_plain).replace("\x7f", "\\u007f"), flush=True)  # the rest is escaped already


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in dataclasses.fields(value) if item.name not in ("raw",)}
    return str(value)


def harmless(text: str) -> str:
    """A text as a terminal can show it: without characters that could do more than show."""
    return _COMMANDING.sub("�", text.replace("\r\n", "\n"))


def paragraph(text: str, indent: str) -> str:
    """A text wrapped to the terminal, every line but the first indented."""
    width = max(40, min(shutil.get_terminal_size((100, 24)).columns, 120))
    lines: list[str] = []
    for line in harmless(text.strip()).splitlines():
        lines += textwrap.wrap(line, width - len(indent), break_on_hyphens=False) or [""]
    return f"\n{indent}".join(lines)


def plural(count: int, noun: str, nouns: str = "") -> str:
    """`1 memory`, `2 memories`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def error_json(error: LociError) -> dict[str, Any]:
    """An error as a document."""
    if not isinstance(error, Refused):
        return {"error": {"code": type(error).__name__, "detail": str(error)}}
    return {
        "error": {
            "status": error.status,
            "code": error.code,
            "detail": error.detail,
            "request_id": error.request_id,
            "errors": list(error.errors),
        }
    }
