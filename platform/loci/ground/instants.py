"""Instants: ISO 8601 in, UTC out. A bare date is midnight UTC."""

import re
from datetime import UTC, date, datetime

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MAYBE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?")


class BadInstant(ValueError):
    """The text is no instant; the message gives an example."""


def parse_instant(text: str, *, naive_is_utc: bool) -> datetime:
    """The instant that `text` names, in UTC.

    A date-time without an offset is UTC where `naive_is_utc` (the seeds' own fields), else an error.
    """
    given = text.strip()
    try:
        if _DATE.fullmatch(given):
            return datetime.combine(date.fromisoformat(given), datetime.min.time(), UTC)
        parsed = datetime.fromisoformat(given)
    except ValueError:
        raise BadInstant(f"'{text[:64]}' is no ISO 8601 instant, such as 2026-03-20 or 2026-03-20T14:30:00Z") from None
    if parsed.tzinfo is None:
        if not naive_is_utc:
            raise BadInstant(f"'{text[:64]}' has no offset: write 2026-03-20T14:30:00Z or 2026-03-20T14:30:00+01:00")
        parsed = parsed.replace(tzinfo=UTC)
    try:
        return parsed.astimezone(UTC)
    except OverflowError:
        raise BadInstant(f"'{text[:64]}' lies outside the years 1 to 9999") from None


def maybe_instant(text: str) -> datetime | None:
    """The instant that `text` names if it looks like one, else None: for values of metadata."""
    if not _MAYBE.fullmatch(text.strip()[:40]):
        return None
    try:
        return parse_instant(text, naive_is_utc=True)
    except BadInstant:
        return None


def to_text(moment: datetime | None) -> str | None:
    """RFC 3339 in UTC with a `Z`, as every answer writes an instant."""
    return None if moment is None else moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
