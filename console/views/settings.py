"""A tenant's settings: a form a section, each saved by itself; and a word from the language model."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.access import door, manager_scope
from console.settingforms import FORMS, SectionForm
from console.views.changes import FORM_METHODS
from loci.ground.errors import InvalidRequest, PreconditionFailed
from memory.services.models import try_language_model
from memory.services.settings import TenantSettings, change_settings, read_settings
from memory.shapes.checks import validated
from memory.shapes.settings import SettingsChange
from tenants.scope import Scope


@require_http_methods(FORM_METHODS)
@door
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of the tenant; a section of them is saved."""
    scope = manager_scope(request, slug, settings=True)
    found = read_settings(scope)
    section = request.POST.get("section", "") if request.method == "POST" else ""
    forms = {name: form(request.POST if name == section else None, found=found) for name, form in FORMS.items()}
    context: dict[str, Any] = {"section": "settings", "slug": slug, "found": found, **forms}
    if section not in forms:
        return render(request, "console/settings.html", context)
    form = forms[section]
    if form.is_valid() and _saved(scope, form):
        if request.POST.get("act") == "try":
            return _tried(request, scope, context)
        messages.success(request, _("Saved"))
        return redirect(f"{reverse('console:settings', args=[slug])}#{section}")
    form.focus_first_fault()
    return render(request, "console/settings.html", context, status=422)


def _saved(scope: Scope, form: SectionForm) -> TenantSettings | None:
    """The settings with what the form says; None when the form now says what is wrong."""
    try:
        change = validated(SettingsChange, form.patch(), "body").patch
        return change_settings(scope, change=change, expected_version=form.cleaned_data["version"])
    except InvalidRequest as error:
        form.blame(error.faults)
    except PreconditionFailed as error:
        form.overwrite(version=error.extra["current_version"])
        form.add_error(None, _("Not saved: the settings were changed while you were writing."))
    return None


def _tried(request: HttpRequest, scope: Scope, context: dict[str, Any]) -> HttpResponse:
    """The page with what came of asking the language model for a word."""
    found = read_settings(scope)
    forms = {name: form(found=found) for name, form in FORMS.items()}
    trial = try_language_model(scope)
    return render(request, "console/settings.html", {**context, **forms, "found": found, "tried": True, "trial": trial})
