"""The forms that create service keys. What a key may be is checked by the services."""

import json
import re
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from console.forms import ConsoleForm, namespace_in, plain_text
from console.grants import Grant
from loci.ground.texts import storable
from tenants.scope import ALL, DEFAULT, Right, Scope

LONGEST_NAME = 100
MOST_NAMESPACES = 64
SCOPES = {
    Right.READ: (_("Read"), _("Recall, search, lists, one memory, its own jobs.")),
    Right.WRITE: (_("Write"), _("Remember, correct, retract, and erase by id or source.")),
    Right.ERASE: (_("Erase"), _("Erase by person, filter or namespace. Only for tools that answer such requests.")),
    Right.ADMIN: (_("Admin"), _("Read and write, and the jobs of other keys. Few programs need it.")),
}
PERIODS = {"30": _("After 30 days"), "90": _("After 90 days"), "365": _("After a year")}
NEVER = ("never", _("Never"))
ON_A_DATE = ("date", _("After a date"))
YEARS = 10
END_OF_DAY = time(23, 59, 59)


def namespaces_in(given: str) -> tuple[str, ...]:
    """The namespaces in a text with commas, each once; `ValidationError` says what is wrong with one."""
    names = tuple(dict.fromkeys(part.strip() for part in re.split(r"[,\n]", given) if part.strip()))
    if not names:
        raise forms.ValidationError(_("Name at least one namespace, or * for all of them."))
    if ALL in names and len(names) > 1:
        raise forms.ValidationError(_("* is every namespace already. Give it alone, or give names."))
    if len(names) > MOST_NAMESPACES:
        raise forms.ValidationError(_("Give at most %(n)d namespaces."), params={"n": MOST_NAMESPACES})
    return names if names == (ALL,) else tuple(map(namespace_in, names))


def filters_in(given: str) -> dict[str, Any]:
    """Bound filters, one `key = value` a line; a value that is a JSON number or boolean is taken as such."""
    found: dict[str, Any] = {}
    for line in filter(None, map(str.strip, plain_text(given).split("\n"))):
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or not key or not value:
            raise forms.ValidationError(_("“%(line)s”: write it like ward = 7."), params={"line": line[:60]})
        if key in found:
            raise forms.ValidationError(_("“%(key)s” stands here twice."), params={"key": key[:60]})
        found[key] = _value(value)
        if isinstance(found[key], str) and not storable(found[key]):
            raise forms.ValidationError(
                _("The value of “%(key)s” holds a NUL character or half a character."), params={"key": key[:60]}
            )
    return found


def _value(given: str) -> str | int | float | bool:
    try:
        parsed = json.loads(given, parse_constant=str)
    except (ValueError, RecursionError):
        return given
    return parsed if isinstance(parsed, str | int | float | bool) else given


class HandoverForm(ConsoleForm):
    """A form whose answer shows a new key."""

    ticket = forms.CharField(max_length=512, widget=forms.HiddenInput)
    namespaces = forms.CharField(
        label=_("Namespaces"),
        initial=DEFAULT,
        max_length=MOST_NAMESPACES * 130,
        error_messages={"required": _("Name at least one namespace, or * for all of them.")},
        help_text=_(
            "Leave default unless you keep memories apart, as for each project. Separate several with commas: the first"
            " is where it stores. A new name makes a new namespace; * is all of them."
        ),
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )
    expiry = forms.ChoiceField(label=_("Expires"), choices=[*PERIODS.items(), NEVER], initial="90")

    def clean_namespaces(self) -> tuple[str, ...]:
        """An explicit `*`, or names."""
        return namespaces_in(self.cleaned_data["namespaces"])

    def expires_at(self) -> datetime | None:
        """The instant at which the key ends."""
        chosen = self.cleaned_data["expiry"]
        return timezone.now() + timedelta(days=int(chosen)) if chosen in PERIODS else None


class ConnectForm(HandoverForm):
    """A key for one client, in one press."""

    def grant(self) -> Grant:
        """Read and write, where it was said."""
        return Grant((Right.READ, Right.WRITE), self.cleaned_data["namespaces"], expires_at=self.expires_at())


class KeyForm(HandoverForm):
    """A key with everything that can be said about one."""

    field_order = ["name", "scopes", "namespaces", "expiry", "until", "filters", "agent"]
    name = forms.CharField(
        label=_("Name"),
        max_length=LONGEST_NAME,
        error_messages={
            "required": _("Give it a name: by it you know later what it is for."),
            "max_length": _("The name has %(show_value)d characters. %(limit_value)d are the most."),
        },
        help_text=_("What uses it, such as care-desk or nightly import"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    scopes = forms.MultipleChoiceField(
        label=_("It may"),
        initial=[Right.READ, Right.WRITE],
        error_messages={"required": _("Choose at least one thing that it may do.")},
        widget=forms.CheckboxSelectMultiple,
    )
    until = forms.DateField(
        label=_("The date"),
        required=False,
        error_messages={"invalid": _("Give a date such as 2027-02-28.")},
        help_text=_("It holds until the end of that day."),
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    filters = forms.CharField(
        label=_("Bound filters"),
        required=False,
        max_length=20_000,
        help_text=_("One a line, such as ward = 7. Forced into every read, stamped on every write."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )
    agent = forms.CharField(
        label=_("Agent"),
        required=False,
        max_length=128,
        help_text=_("The only agent that it may act as. Empty: any."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, scope: Scope, **kwargs: Any):
        super().__init__(*args, **kwargs)
        held = [(right.value, said[0]) for right, said in SCOPES.items() if scope.may(right)]
        self.fields["scopes"].choices = held  # type: ignore[attr-defined]
        self.fields["scopes"].widget.attrs.pop("class")
        self.fields["expiry"].choices = [*PERIODS.items(), ON_A_DATE, NEVER]  # type: ignore[attr-defined]

    @property
    def scope_boxes(self) -> list[tuple[Any, Any]]:
        """The boxes for what it may do, each with a sentence."""
        return [(box, SCOPES[Right(box.data["value"])][1]) for box in self["scopes"].subwidgets]

    @property
    def narrowed(self) -> bool:
        """Whether to show what narrows a key further."""
        return any(self[name].value() or self[name].errors for name in ("filters", "agent"))

    def clean_filters(self) -> dict[str, Any]:
        """Metadata key → scalar."""
        return filters_in(self.cleaned_data["filters"])

    def clean(self) -> dict[str, Any]:
        """A date where one is asked for, and not one that is over."""
        said: dict[str, Any] = super().clean() or self.cleaned_data
        until: date | None = said.get("until")
        if said.get("expiry") != "date" or "until" in self.errors:
            return said
        today = timezone.localdate()
        if until is None:
            self.add_error("until", _("Give the date after which it ends."))
        elif until < today:
            self.add_error("until", _("This date is over. Give a later one."))
        elif until > today + timedelta(days=366 * YEARS):
            self.add_error("until", _("Give a date within ten years, or choose Never."))
        return said

    def expires_at(self) -> datetime | None:
        """The instant at which the key ends: on a date, the end of that day in the tenant's time zone."""
        until: date | None = self.cleaned_data.get("until")
        if self.cleaned_data["expiry"] != "date" or until is None:
            return super().expires_at()
        return timezone.make_aware(datetime.combine(until, END_OF_DAY))

    def grant(self) -> Grant:
        """What the form says the key is to be."""
        said = self.cleaned_data
        return Grant(said["scopes"], said["namespaces"], said["filters"], said["agent"] or ALL, self.expires_at())
