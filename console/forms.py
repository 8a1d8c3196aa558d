"""The console's forms. They check shape; what a memory may be is checked by the services."""

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from pydantic import TypeAdapter, ValidationError

from console.kinds import kind_choices
from loci.ground.errors import InvalidRequest, RuleBroken
from memory.api.parsing import StrictJSONParser
from memory.engine.types import Record
from memory.services.prepare import MAX_PLAIN_TEXT, check_metadata_keys, same_json
from memory.shapes.requests import Metadata, Namespace
from tenants.scope import DEFAULT

MOST_TAGS = 32
LONGEST_TAG = 128
_METADATA_HELP = _('This %(why)s. Write it like {"ticket": 2041}.')
_NAMESPACE: TypeAdapter[str] = TypeAdapter(Namespace)
_METADATA: TypeAdapter[dict[str, Any]] = TypeAdapter(Metadata)


class ConsoleForm(forms.Form):
    """Fields in the console's look; the first one at fault gets the focus."""

    def __init__(self, *args: Any, **kwargs: Any):
        kwargs.setdefault("use_required_attribute", False)
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if not isinstance(field.widget, forms.HiddenInput):
                field.widget.attrs["class"] = f"input {field.widget.attrs.get('class', '')}".strip()

    def overwrite(self, **values: object) -> None:
        """Show other values than those that were sent."""
        self.data = {**self.data.dict(), **{name: str(value) for name, value in values.items()}}  # type: ignore[attr-defined]

    def focus_first_fault(self) -> None:
        """Put the focus where something is to be mended."""
        for name in self.fields:
            if name in self.errors:
                self.fields[name].widget.attrs["autofocus"] = True
                return


class SignInForm(ConsoleForm):
    """E-mail address and password."""

    email = forms.EmailField(
        label=_("E-mail"),
        error_messages={
            "required": _("Give your e-mail address."),
            "invalid": _("Give an address such as mira@example.org."),
        },
        widget=forms.EmailInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        max_length=1024,
        error_messages={"required": _("Give your password.")},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


def plain_text(given: str) -> str:
    """Text of a form: browsers send CRLF for a line's end."""
    return given.replace("\r\n", "\n").replace("\r", "\n")


def text_field() -> forms.CharField:
    """The text of a memory."""
    return forms.CharField(
        label=_("Text"),
        strip=False,
        max_length=MAX_PLAIN_TEXT,
        error_messages={
            "required": _("Write what is to be remembered."),
            "max_length": _("The text has %(show_value)d characters. %(limit_value)d are the most for one memory."),
        },
        widget=forms.Textarea(attrs={"rows": 5}),
    )


def tags_field() -> forms.CharField:
    """Tags, with commas between them."""
    return forms.CharField(
        label=_("Tags"),
        required=False,
        max_length=MOST_TAGS * (LONGEST_TAG + 2),
        help_text=_("Separate with commas: contact, discharge"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


def metadata_field() -> forms.CharField:
    """Metadata as a JSON object."""
    return forms.CharField(
        label=_("Metadata"),
        required=False,
        max_length=20_000,
        help_text=_('A JSON object, such as {"ticket": 2041, "confirmed": true}'),
        widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false", "autocomplete": "off"}),
    )


class Moment(forms.DateTimeField):
    """A date and time in the tenant's time zone, as an instant in UTC."""

    default_error_messages = {
        "invalid": _("Give a date and time such as 2026-11-12 14:02."),
        "beyond": _("Give a date between the years 1 and 9999."),
    }

    def __init__(self, **kwargs: Any):
        super().__init__(
            input_formats=["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d"],
            widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
            **kwargs,
        )

    def to_python(self, value: Any) -> datetime | None:
        """The instant; a time zone may put the first and the last day of the calendar beyond it."""
        found = super().to_python(value)
        try:
            return None if found is None else found.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError(self.error_messages["beyond"], code="beyond") from None


def parse_tags(given: str) -> tuple[str, ...]:
    """The tags in a text with commas, each once."""
    tags = (part.strip().lstrip("#").strip() for part in re.split(r"[,\n]", given))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def namespace_in(given: str) -> str:
    """`given` when it can name a namespace; `ValidationError` says what is wrong."""
    try:
        return _NAMESPACE.validate_python(given)
    except ValidationError:
        raise forms.ValidationError(
            _("“%(name)s” is no namespace: 1 to 128 characters, without * and |."), params={"name": given[:40]}
        ) from None


class MemoryForm(ConsoleForm):
    """What can be said about a memory whether it is new or not."""

    def clean_text(self) -> str:
        """Not blank."""
        text = plain_text(self.cleaned_data["text"])
        if not text.strip():
            raise forms.ValidationError(_("Write what is to be remembered."))
        return text

    def clean_tags(self) -> tuple[str, ...]:
        """At most 32 of 128 characters each."""
        tags = parse_tags(self.cleaned_data["tags"])
        if len(tags) > MOST_TAGS:
            raise forms.ValidationError(_("These are %(n)d tags. Give at most 32."), params={"n": len(tags)})
        if long := [tag for tag in tags if len(tag) > LONGEST_TAG]:
            raise forms.ValidationError(_("“%(tag)s…” is too long for a tag."), params={"tag": long[0][:24]})
        return tags

    def clean_metadata(self) -> dict[str, Any]:
        """An object within the limits of the API."""
        given = self.cleaned_data["metadata"].strip()
        try:
            raw = StrictJSONParser().parse(io.BytesIO(given.encode())) if given else {}
            found = _METADATA.validate_python(raw)
            check_metadata_keys(None, found)
        except ValidationError as error:
            raise forms.ValidationError(_("Metadata %(why)s."), params={"why": _why(error)}) from None
        except RuleBroken as error:
            raise forms.ValidationError(str(error)) from None
        except InvalidRequest as error:
            raise forms.ValidationError(_METADATA_HELP, params={"why": error.faults[0].msg}) from None
        return found


def _why(error: ValidationError) -> str:
    found = error.errors()[0]
    return str(found.get("ctx", {}).get("error") or _("must be an object"))


class AddForm(MemoryForm):
    """A new memory."""

    text = text_field()
    kind = forms.ChoiceField(label=_("Kind"), required=False, choices=[("", _("None"))])
    tags = tags_field()
    source = forms.CharField(
        label=_("Source"),
        required=False,
        max_length=1024,
        help_text=_("Where it comes from: a file, a call, a chat"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    namespace = forms.CharField(
        label=_("Namespace"),
        required=False,
        max_length=128,
        initial=DEFAULT,
        help_text=_("Where your agents' keys reach; leave default if you keep nothing apart"),
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    happened = Moment(label=_("When it happened"), required=False)
    subject = forms.CharField(
        label=_("About"),
        required=False,
        max_length=256,
        help_text=_("The person it is about"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    metadata = metadata_field()

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["kind"].choices = [("", _("None")), *kind_choices()]  # type: ignore[attr-defined]

    def clean_namespace(self) -> str:
        """A namespace; `default` where none is given."""
        return namespace_in(self.cleaned_data["namespace"].strip() or DEFAULT)


class CorrectForm(MemoryForm):
    """What may be changed about a memory."""

    text = text_field()
    tags = tags_field()
    metadata = metadata_field()
    version = forms.UUIDField(widget=forms.HiddenInput)

    def changes(self, record: Record) -> dict[str, Any]:
        """What the form says differently from `record`, as `correct` takes it."""
        said = self.cleaned_data
        unchanged = said["tags"] == parse_tags(", ".join(record.payload["tags"]))
        tags = record.payload["tags"] if unchanged else said["tags"]
        text = record.text if said["text"] == plain_text(record.text) else said["text"]
        return differences(record, text, tags, said["metadata"])

    def proposed(self, record: Record) -> Record:
        """`record` as it would be with what the form says."""
        said = self.cleaned_data
        payload = {**record.payload, "tags": list(said["tags"]), "metadata": said["metadata"]}
        return replace(record, text=said["text"], payload=payload)


def differences(record: Record, text: str, tags: Sequence[str], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """What would have to be changed about `record`, as `correct` takes it."""
    changed: dict[str, Any] = {} if text == record.text else {"text": text}
    if list(tags) != list(record.payload["tags"]):
        changed["tags"] = list(tags)
    patch = merge_diff(record.payload["metadata"], metadata)
    return changed | ({"metadata": patch} if patch else {})


def merge_diff(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch (RFC 7396) that makes `after` of `before`."""
    patch: dict[str, Any] = {key: None for key in before if key not in after}
    for key, value in after.items():
        old = before.get(key)
        if isinstance(old, Mapping) and isinstance(value, Mapping):
            if inner := merge_diff(old, value):
                patch[key] = inner
        elif key not in before or not same_json(old, value):
            patch[key] = value
    return patch


def initial_of(record: Record) -> dict[str, Any]:
    """What the form for correcting `record` starts with."""
    metadata = record.payload["metadata"]
    return {
        "text": record.text,
        "tags": ", ".join(record.payload["tags"]),
        "metadata": json.dumps(metadata, ensure_ascii=False, indent=2) if metadata else "",
        "version": record.version,
    }


class EraseForm(ConsoleForm):
    """The last step before a memory is gone: the words have to be typed."""

    version = forms.UUIDField(widget=forms.HiddenInput)
    confirm = forms.CharField(
        required=False, widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"})
    )

    def __init__(self, *args: Any, phrase: str, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.phrase = phrase

    def clean_confirm(self) -> str:
        """Exactly the phrase, whatever its capitals and spaces."""
        given = " ".join(self.cleaned_data["confirm"].split()).casefold()
        if given != self.phrase.casefold():
            raise forms.ValidationError(
                _("Nothing was erased. Type %(phrase)s to confirm."), params={"phrase": self.phrase}
            )
        return given
