"""Figures as people read them, in the language of the page."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _


def grouped(number: float | int) -> str:
    """A count with its thousands apart: 48,210."""
    return number_format(number, decimal_pos=0, force_grouping=True)


def decimal(number: float, places: int = 2) -> str:
    """A number with so many decimal places."""
    return number_format(number, decimal_pos=places)


def signed(value: float) -> str:
    """A contribution to a score, always with its sign."""
    sign = "\N{MINUS SIGN}" if value < 0 else "+"
    return sign + decimal(abs(value))


def lasting(seconds: float) -> str:
    """A stretch of time, in its largest unit."""
    if seconds < 1:
        return _("under 1 s")
    if seconds < 120:
        return _("%(n)d s") % {"n": seconds}
    return _("%(n)d min") % {"n": seconds // 60} if seconds < 7200 else _("%(n)s h") % {"n": grouped(seconds // 3600)}


def percent(part: float, whole: float) -> int:
    """The share, from 0 to 100."""
    return 100 if whole <= 0 else max(0, min(100, round(100 * part / whole)))
