"""The forms of a tenant's settings: one a section. What goes together is checked by the service."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.forms import ConsoleForm
from loci.ground.errors import Fault
from memory.engine.chosen import value_at
from memory.engine.dates import LANGUAGES as DATE_LANGUAGES
from memory.engine.stages import STAGES
from memory.engine.tuning import FIELD_WEIGHTS, MOST_WEIGHT
from memory.services.settings import TenantSettings
from memory.shapes.render import tenant_settings
from memory.stores.llm import PROVIDERS

ARMS = {
    "dense": gettext_lazy("By meaning"),
    "lexical": gettext_lazy("By word"),
    "temporal": gettext_lazy("By date"),
    "graph": gettext_lazy("By relation"),
}
FIELDS = {
    "text": gettext_lazy("In the text"),
    "key": gettext_lazy("In the key"),
    "tags": gettext_lazy("In the tags"),
}
STAGE_NAMES = {
    "exact_token": gettext_lazy("Lift what holds the very identifier that was asked for"),
    "gravity": gettext_lazy("Sink what shares no word with the question"),
    "freshness": gettext_lazy("Lift what is newer"),
    "newest": gettext_lazy("Of what matches alike, lift the newest"),
    "question": gettext_lazy("Sink what only asks"),
    "source": gettext_lazy("Lift what stands among more of the answer"),
    "speaker": gettext_lazy("Lift what the person named has said"),
    "substance": gettext_lazy("Sink very short texts"),
    "access_bonus": gettext_lazy("Lift what was used before"),
    "inhibition_of_return": gettext_lazy("Sink what was shown again and again today"),
    "curiosity": gettext_lazy("Lift what is old and was hardly shown"),
    "q_learning": gettext_lazy("Lean towards searches that feedback has praised"),
}
LANGUAGES = {
    "en": gettext_lazy("English"),
    "de": gettext_lazy("German"),
    "fr": gettext_lazy("French"),
    "es": gettext_lazy("Spanish"),
    "ru": gettext_lazy("Russian"),
}
PROVIDER_NAMES = {
    "openai": gettext_lazy("OpenAI, or anything that speaks its API"),
    "ollama": "Ollama",
    "gemini": "Gemini",
}
FAULTS = {
    "address_invalid": gettext_lazy("Give an address such as https://models.example/v1."),
    "address_private": gettext_lazy("This address is not public. The operator of Loci can allow its network."),
    "key_invalid": gettext_lazy("A key has no spaces and no special characters."),
    "key_moved": gettext_lazy("Give the key again: the stored one was given for another address."),
    "model_missing": gettext_lazy("Name the model, as the provider calls it."),
    "provider_missing": gettext_lazy("Choose a provider."),
    "url_missing": gettext_lazy("Give the address of your Ollama."),
}
"""What the service finds at fault, by its type."""


def number(label: Any, least: float, most: float, help_text: Any = "", **more: Any) -> forms.FloatField:
    """A number that may be left out: then the default counts."""
    attributes = {"step": more.pop("step", "any"), "inputmode": "decimal"}
    return forms.FloatField(
        label=label,
        required=False,
        min_value=least,
        max_value=most,
        help_text=help_text,
        widget=forms.NumberInput(attrs=attributes),
        **more,
    )


def whole(label: Any, least: int, most: int, help_text: Any) -> forms.IntegerField:
    """A whole number that may be left out."""
    return forms.IntegerField(label=label, required=False, min_value=least, max_value=most, help_text=help_text)


def switch(label: Any, unset: Any, help_text: Any = "") -> forms.ChoiceField:
    """On, off, or as it is by default, which `unset` says."""
    choices = [("", unset), ("on", gettext_lazy("On")), ("off", gettext_lazy("Off"))]
    return forms.ChoiceField(label=label, required=False, choices=choices, help_text=help_text)


ON, OFF = gettext_lazy("Default: on"), gettext_lazy("Default: off")


class SectionForm(ConsoleForm):
    """One section: its fields' names are the dotted names of settings, with two underscores for the dot."""

    section = ""
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=0)

    def __init__(self, *args: Any, found: TenantSettings, **kwargs: Any):
        self.found = found
        self.told = tenant_settings(found)
        super().__init__(*args, **kwargs, auto_id=f"id_{self.section}_%s")
        self.fields |= self.more()
        self.fields["version"].initial = found.version
        for name, field in self.fields.items():
            if name != "version":
                field.initial = self._shown(name)
            if isinstance(field.widget, forms.CheckboxInput | forms.CheckboxSelectMultiple):
                field.widget.attrs.pop("class", None)
            elif name != "version":
                field.widget.attrs.setdefault("class", "input")

    def more(self) -> dict[str, forms.Field]:
        """Fields that are made from lists."""
        return {}

    def _shown(self, name: str) -> Any:
        """What the tenant has chosen; nothing where the default counts."""
        path = f"{self.section}.{name.replace('__', '.')}"
        if not any(one == path or one.startswith(f"{path}.") for one in self.found.chosen):
            return None
        value = value_at(self.told, path)
        return ("on" if value else "off") if isinstance(value, bool) else value

    def patch(self) -> dict[str, Any]:
        """The section as a merge patch: what was left out is the default again."""
        section: dict[str, Any] = {}
        for name in self.fields:
            if name not in ("version", *self.own):
                section = _put(section, name.split("__"), _value(self.cleaned_data[name]))
        return {self.section: section}

    own: tuple[str, ...] = ()
    """Fields that `patch` does not take as they are."""

    def blame(self, faults: list[Fault]) -> None:
        """Show what the service finds at fault beside the field."""
        for fault in faults:
            name = "__".join(str(part) for part in fault.loc[2:])
            told = FAULTS.get(fault.type)
            self.add_error(name if name in self.fields else None, str(told) if told else fault.msg)


def _value(given: Any) -> Any:
    if given in ("on", "off"):
        return given == "on"
    return None if given in ("", []) else given


def _put(section: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    """`section` with `value` at `path`, null included."""
    name, *rest = path
    return section | {name: _put(section.get(name, {}), rest, value) if rest else value}


class RecallForm(SectionForm):
    """How recall ranks."""

    section = "recall"
    fusion = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Results are put together"),
        choices=[
            ("", gettext_lazy("Default: by score")),
            ("score", gettext_lazy("By score")),
            ("rrf", gettext_lazy("By rank")),
        ],
        help_text=gettext_lazy("How the finds of several searches become one list."),
    )
    rerank = forms.ChoiceField(
        required=False,
        label=gettext_lazy("The best 20 are read by"),
        choices=[
            ("", gettext_lazy("Default: nobody")),
            ("off", gettext_lazy("Nobody")),
            ("relevant_only", gettext_lazy("The language model, which names what helps")),
            ("full_reorder", gettext_lazy("The language model, which orders all of them")),
            ("scores", gettext_lazy("The operator’s reranking service")),
        ],
        help_text=gettext_lazy("It takes a second or more. When it fails, the order stays and the answer says so."),
    )
    adaptive_weights = switch(
        gettext_lazy("Weights by question"),
        OFF,
        gettext_lazy("Trust words more for identifiers, dates more for “when”. Weights that you set go first."),
    )
    smoothing = number(
        gettext_lazy("Neighbours"),
        0,
        1,
        gettext_lazy("0 to 1, by default 0.75: how much of its neighbours’ score a passage of a longer text is lent."),
    )
    vector_floor = whole(
        gettext_lazy("Always from meaning"),
        0,
        100,
        gettext_lazy("That many of the nearest by meaning are always among the results. By default none."),
    )
    token_budget = whole(
        gettext_lazy("Tokens"),
        1,
        1_000_000,
        gettext_lazy("What the results may have together, if a request says nothing. By default no limit."),
    )
    half_life = number(
        gettext_lazy("Half-life in days"),
        0.01,
        36_500,
        gettext_lazy("After so many days a memory counts as half as fresh. By default 14."),
    )
    access_bonus = number(
        gettext_lazy("Bonus for use"),
        0,
        1,
        gettext_lazy("0 to 1, by default 0.25: by how much of its odds a much-used memory is lifted at most."),
    )
    record_access = switch(
        gettext_lazy("Count what is used"), OFF, gettext_lazy("Each result of a recall counts as used once more.")
    )
    record_exposures = switch(
        gettext_lazy("Count what is shown"), OFF, gettext_lazy("Each result counts as shown, for a day.")
    )

    def more(self) -> dict[str, forms.Field]:
        """Weights and stages."""
        weights = {f"weights__{arm}": number(label, 0, MOST_WEIGHT) for arm, label in ARMS.items()}
        found = {f"fields__{name}": number(label, 0, MOST_WEIGHT) for name, label in FIELDS.items()}
        for name, field in found.items():
            field.help_text = _("By default %(n)s") % {"n": f"{FIELD_WEIGHTS[name.removeprefix('fields__')]:g}"}
        stages = {
            f"stages__{stage.name}": switch(STAGE_NAMES.get(stage.name, stage.name), ON if stage.default else OFF)
            for stage in STAGES
        }
        return {**weights, **found, **stages}

    @property
    def weights(self) -> list[Any]:
        """The fields of the searches' weights."""
        return [self[name] for name in self.fields if name.startswith("weights__")]

    @property
    def places(self) -> list[Any]:
        """The fields of the weights of a memory's own fields."""
        return [self[name] for name in self.fields if name.startswith("fields__")]

    @property
    def stages(self) -> list[Any]:
        """The fields of the stages."""
        return [self[name] for name in self.fields if name.startswith("stages__")]


class DatesForm(SectionForm):
    """How dates in questions are read."""

    section = "dates"
    time_zone = forms.ChoiceField(
        required=False,
        label=gettext_lazy("Time zone"),
        help_text=gettext_lazy("For “yesterday”, and for days and times in the console."),
    )
    date_order = forms.ChoiceField(
        required=False,
        label=gettext_lazy("05/06/2026 is"),
        choices=[
            ("", gettext_lazy("Default: 5 June")),
            ("dmy", gettext_lazy("5 June: day, month, year")),
            ("mdy", gettext_lazy("6 May: month, day, year")),
            ("ymd", gettext_lazy("Year first, where it can be")),
        ],
        help_text=gettext_lazy("Where a date does not say it itself."),
    )
    languages = forms.MultipleChoiceField(
        required=False,
        label=gettext_lazy("Languages of dates"),
        choices=[(code, LANGUAGES[code]) for code in DATE_LANGUAGES],
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Questions are searched for dates in these; none is all of them."),
    )

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        zones = [("", _("Default: UTC")), *((zone, zone) for zone in sorted(available_timezones()))]
        self.fields["time_zone"].choices = zones  # type: ignore[attr-defined]


class LanguageModelForm(SectionForm):
    """The tenant's own language model."""

    section = "llm"
    own = ("api_key", "forget")
    provider = forms.ChoiceField(required=False, label=gettext_lazy("Provider"))
    url = forms.CharField(
        required=False,
        max_length=500,
        label=gettext_lazy("Address"),
        help_text=gettext_lazy("Up to what comes before /chat/completions. Empty: the provider’s own."),
        widget=forms.TextInput(
            attrs={"class": "mono", "inputmode": "url", "autocomplete": "off", "spellcheck": "false"}
        ),
    )
    model = forms.CharField(
        required=False,
        max_length=200,
        label=gettext_lazy("Model"),
        help_text=gettext_lazy("As the provider calls it, such as gpt-5-mini or qwen3:4b."),
        widget=forms.TextInput(attrs={"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )
    api_key = forms.CharField(
        required=False,
        max_length=1000,
        label=gettext_lazy("Key"),
        widget=forms.PasswordInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    forget = forms.BooleanField(required=False, label=gettext_lazy("Forget the stored key"))

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        model = self.found.model
        none = _("The operator’s") if model.source == "operator" else _("None of your own")
        named = [(name, PROVIDER_NAMES[name]) for name in PROVIDERS]
        self.fields["provider"].choices = [("", none), *named]  # type: ignore[attr-defined]
        self.fields["forget"].initial = False
        if not model.key_set:
            del self.fields["forget"]
            said = _("It is encrypted, and never shown again. A local server needs none.")
        elif model.key_last4:
            said = _("One that ends in %(tail)s is stored. Empty: it stays.") % {"tail": model.key_last4}
        else:
            said = _("One is stored. Empty: it stays.")
        self.fields["api_key"].help_text = said

    def patch(self) -> dict[str, Any]:
        """The section as a merge patch; an empty key is the stored one."""
        if not self.cleaned_data["provider"] and not any(self.cleaned_data[name] for name in ("url", "model")):
            return {"llm": None}
        patch = super().patch()
        if self.cleaned_data["api_key"]:
            patch["llm"]["api_key"] = self.cleaned_data["api_key"]
        elif self.cleaned_data.get("forget"):
            patch["llm"]["api_key"] = None
        return patch


FORMS: dict[str, type[SectionForm]] = {form.section: form for form in (RecallForm, DatesForm, LanguageModelForm)}
