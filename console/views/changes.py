"""What a member does to memories: add, correct, retract, restore, erase."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.access import door, member_scope
from console.diff import compare
from console.dossier import dossier_of
from console.forms import AddForm, ConsoleForm, CorrectForm, EraseForm, differences, initial_of
from console.refusals import message_of
from loci.ground.errors import Conflict, LociError, PreconditionFailed
from memory.engine.items import Item, Outcome
from memory.services.correct import correct, restore
from memory.services.forget import erase, invalidate
from memory.services.lookup import get_memory, list_versions
from memory.services.remember import remember
from memory.services.survey import rows_of
from tenants.authentication import require
from tenants.scope import Right

FORM_METHODS = ["GET", "HEAD", "POST"]


def _show(
    request: HttpRequest, page: str, form: ConsoleForm, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A form's page; the focus is where something is to be mended."""
    if form.is_bound:
        form.focus_first_fault()
    return render(request, page, {**context, "form": form}, status=422 if form.is_bound and status == 200 else status)


def _to_memory(slug: str, memory: UUID) -> HttpResponse:
    return redirect("console:memory", slug=slug, memory=memory)


@require_http_methods(FORM_METHODS)
@door
def add(request: HttpRequest, slug: str) -> HttpResponse:
    """A new memory."""
    scope = member_scope(request, slug)
    require(scope, Right.WRITE)
    form = AddForm(request.POST or None)
    context = {"section": "add", "slug": slug, "time_zone": scope.time_zone}
    if request.method != "POST" or not form.is_valid():
        return _show(request, "console/add.html", form, context)
    try:
        outcome = remember(scope, items=[_item(form.cleaned_data)])[0]
    except LociError as error:
        form.add_error(None, _plain(error))
        return _show(request, "console/add.html", form, context, error.status)
    messages.success(request, _said(outcome))
    if outcome.id is None:
        return redirect("console:memories", slug=slug)
    return _to_memory(slug, outcome.id)


def _item(said: dict[str, Any]) -> Item:
    return Item(
        index=0,
        text=said["text"],
        source=said["source"],
        event_at=said["happened"],
        tags=said["tags"],
        metadata=said["metadata"],
        kind=said["kind"] or None,
        subject=said["subject"] or None,
        says_metadata=bool(said["metadata"]),
        namespace=said["namespace"],
    )


def _said(outcome: Outcome) -> str:
    """What became of a new memory, in the past tense."""
    if outcome.status == "duplicate":
        return _("Nothing added: this memory was here already")
    if outcome.status == "updated":
        return _("This memory was here already; its details were updated")
    return _("Stored") if outcome.searchable else _("Stored; search finds it in a moment")


def _plain(error: LociError) -> str:
    """A service's message without the place in a request, of which a form has only one."""
    return message_of(error).removeprefix("items[0]: ")


@require_http_methods(FORM_METHODS)
@door
def correct_memory(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """A new version in the place of the one that is believed."""
    scope = member_scope(request, slug)
    require(scope, Right.WRITE)
    record = get_memory(scope, memory)
    form = CorrectForm(request.POST or None, initial=initial_of(record))
    context = {"section": "memories", "slug": slug, "dossier": dossier_of(scope, [record])}
    if request.method != "POST" or not form.is_valid():
        return _show(request, "console/correct.html", form, context)
    changes = form.changes(record)
    if request.POST.get("act") == "preview":
        context["comparison"] = compare(record, form.proposed(record))
        return render(request, "console/correct.html", {**context, "form": form, "previewed": True})
    try:
        if changes:
            record = correct(scope, memory, **changes, expected_version=form.cleaned_data["version"])
    except PreconditionFailed as error:
        # saving again then replaces the version that the notice speaks of
        form.overwrite(version=error.extra["current_version"])
        return _show(request, "console/correct.html", form, {**context, "overtaken": True}, error.status)
    except LociError as error:
        form.add_error(None, _plain(error))
        return _show(request, "console/correct.html", form, context, error.status)
    if changes:
        undo = f"{reverse('console:undo', args=[slug, memory])}?{urlencode({'version': str(record.version)})}"
        messages.success(request, _("Corrected"), extra_tags=undo)
    else:
        messages.success(request, _("Nothing was different, so nothing was changed"))
    return _to_memory(slug, memory)


@require_POST
@door
def undo_correction(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """The version before takes its place again, as a new one; only while the one to undo is still the last."""
    scope = member_scope(request, slug)
    require(scope, Right.WRITE)
    versions = list_versions(scope, memory)
    last = versions[0]
    if len(versions) == 1 or str(last.version) != request.GET.get("version"):
        raise Conflict(_("It was changed again since. Its page shows every version."))
    changes = differences(last, versions[1].text, versions[1].payload["tags"], versions[1].payload["metadata"])
    correct(scope, memory, **changes, expected_version=last.version)
    messages.success(request, _("Undone: it is as it was before"))
    return _to_memory(slug, memory)


@require_POST
@door
def retract(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """No longer recalled; can be taken back."""
    scope = member_scope(request, slug)
    get_memory(scope, memory)  # tells of a memory that is not there
    invalidate(scope, ids=[memory])
    # the toast's button posts to the address in the message's tags
    undo = reverse("console:restore", args=[slug, memory])
    messages.success(request, _("Retracted: no longer recalled"), extra_tags=undo)
    return _to_memory(slug, memory)


@require_POST
@door
def restore_memory(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """A retraction taken back."""
    scope = member_scope(request, slug)
    restore(scope, memory)
    messages.success(request, _("Restored"), extra_tags=reverse("console:retract", args=[slug, memory]))
    return _to_memory(slug, memory)


@require_http_methods(FORM_METHODS)
@door
def erase_memory(request: HttpRequest, slug: str, memory: UUID) -> HttpResponse:
    """Gone with all its versions, once the words for it are typed and it is still what was looked at."""
    scope = member_scope(request, slug)
    require(scope, Right.WRITE)
    dossier = dossier_of(scope, list_versions(scope, memory))
    form = EraseForm(
        request.POST or None,
        initial={"version": dossier.record.version},
        phrase=_("erase"),
    )
    context: dict[str, Any] = {"section": "memories", "slug": slug, "dossier": dossier}
    context["rows"] = rows_of(scope, memory)
    if request.method != "POST" or not form.is_valid():
        return _show(request, "console/erase.html", form, context)
    if form.cleaned_data["version"] != dossier.record.version:
        form.overwrite(version=dossier.record.version, confirm="")
        return _show(request, "console/erase.html", form, {**context, "overtaken": True}, 412)
    erase(scope, ids=[memory])
    messages.success(request, _("Erased, with every version"))
    return redirect("console:memories", slug=slug)
