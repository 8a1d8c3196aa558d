"""The units that every language's table numbers."""

from typing import Final

UNITS: Final = ("minute", "hour", "day", "week", "fortnight", "weekend", "month", "quarter", "year")
