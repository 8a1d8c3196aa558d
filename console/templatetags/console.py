"""What the console's templates need beside Django's own tags."""

from datetime import datetime

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from console.clocks import local, moment_of, said
from console.figures import grouped, signed
from console.kinds import kind_name, role_name

register = template.Library()
ICONS = "console/lucide-1.62.0.svg"
MARK = "console/mark-1.svg"
register.filter("kind_name", kind_name)
register.filter("role_name", role_name)
register.filter("signed", signed)
register.filter("grouped", grouped)


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """An icon beside words; it says nothing of its own."""
    look = f"i {size}".strip()
    return format_html('<svg class="{}" aria-hidden="true"><use href="{}#{}"/></svg>', look, static(ICONS), name)


@register.simple_tag
def mark() -> SafeString:
    """The sign of Loci."""
    return format_html('<svg viewBox="0 0 20 20" aria-hidden="true"><use href="{}#m"/></svg>', static(MARK))


def ago(seconds: float) -> str:
    """An age under a day."""
    if seconds < 60:
        return _("just now")
    minutes = int(seconds // 60)
    return _("%(n)d min ago") % {"n": minutes} if minutes < 60 else _("%(n)d h ago") % {"n": minutes // 60}


@register.simple_tag
def moment(given: datetime | str | None, recent: bool = False) -> SafeString:
    """An instant for people, exact in its title; `recent` says how long ago it was while that is under a day."""
    at = moment_of(given) if isinstance(given, str) else given
    if at is None:
        return SafeString("")
    age = (timezone.now() - at).total_seconds()
    shown = said(at)
    if recent and 0 <= age < 86_400:
        shown = ago(age)
    exact = local(at).isoformat(sep=" ", timespec="seconds")
    return format_html('<time datetime="{}" title="{}">{}</time>', at.isoformat(), exact, shown)


@register.filter
def coded(text: str) -> SafeString:
    """A sentence whose parts in backticks are code."""
    parts = str(text).split("`")
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", p) if at % 2 else p,) for at, p in enumerate(parts))
    )


@register.filter
def plain(text: str) -> str:
    """The same sentence without backticks, for what is read aloud."""
    return str(text).replace("`", "")


@register.filter
def initials(name: str) -> str:
    """Two letters that stand for a name."""
    words = name.replace("@", " ").replace(".", " ").replace("-", " ").split()
    letters = "".join(word[0] for word in words[:2]) if len(words) > 1 else name[:2]
    return letters.upper()
