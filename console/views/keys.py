"""Service keys: listed, created and shown once, looked at, revoked."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.access import door, manager_scope
from console.grants import Grant, KeyCard, in_words
from console.handover import key_of, ticket_for
from console.keyforms import HandoverForm, KeyForm
from console.views.changes import FORM_METHODS
from console.views.search import uuid_of
from loci.ground.errors import Conflict, LociError
from tenants.scope import Scope
from tenants.services.keys import IssuedKey, Place, get_key, issue_key, page_of_keys, revoke_key

PER_PAGE = 20


@require_safe
@door
def keys(request: HttpRequest, slug: str) -> HttpResponse:
    """The tenant's keys, those that hold first, twenty at a time."""
    scope = manager_scope(request, slug)
    start = uuid_of(request.GET.get("after", ""))
    page = page_of_keys(scope, after=Place("ended" in request.GET, start) if start else None, limit=PER_PAGE)
    then = page.next_after
    context = {
        "section": "keys",
        "here": True,
        "slug": slug,
        "cards": [KeyCard(key, scope.actor) for key in page.keys],
        "after": start,
        "more": urlencode([("after", str(then.key)), *([("ended", "1")] if then.ended else [])]) if then else "",
    }
    part = "#rows" if request.htmx and request.htmx.target == "rows" else ""  # type: ignore[attr-defined]
    return render(request, f"console/keys.html{part}", context)


@require_http_methods(FORM_METHODS)
@door
def new_key(request: HttpRequest, slug: str) -> HttpResponse:
    """A new key. What it may do is told while the form is filled in; only `create` creates it."""
    scope = manager_scope(request, slug)
    sent = request.POST if request.method == "POST" else None
    form = KeyForm(sent, scope=scope, initial={"ticket": ticket_for(scope)})
    context: dict[str, Any] = {"section": "keys", "slug": slug, "form": form, "time_zone": scope.time_zone}
    if sent is None or "create" not in sent:
        context |= {"words": _preview(form, scope)}
        part = "#preview" if request.htmx else ""  # type: ignore[attr-defined]
        return render(request, f"console/key_new.html{part}", context)
    if form.is_valid():
        issued = hand_over(scope, form, form.grant(), form.cleaned_data["name"])
        if isinstance(issued, Conflict):
            return shown_before(request, scope, slug, form)
        if issued:
            card = KeyCard(get_key(scope, issued.id), scope.actor)
            return render(request, "console/key_created.html", {**context, "issued": issued, "card": card}, status=201)
    form.focus_first_fault()
    return render(request, "console/key_new.html", {**context, "words": _preview(form, scope)}, status=422)


def _preview(form: KeyForm, scope: Scope) -> list[tuple[str, str]]:
    """What the key of a form could do; nothing while the form says nothing clear."""
    if not form.is_bound:
        form = KeyForm({field.name: field.value() for field in form if field.value() is not None}, scope=scope)
    form.is_valid()
    needed = {"scopes", "namespaces", "filters", "agent", "expiry", "until"}
    return [] if needed & form.errors.keys() else in_words(form.grant())


def hand_over(scope: Scope, form: HandoverForm, grant: Grant, name: str) -> IssuedKey | Conflict | None:
    """The new key; `Conflict` when the form was sent before; None when the form now says what is wrong."""
    key = key_of(scope, form.cleaned_data["ticket"])
    if key is None:
        form.overwrite(ticket=ticket_for(scope))
        form.add_error(None, _("This form lay open for too long. Send it again."))
        return None
    try:
        return issue_key(
            scope,
            name=name,
            scopes=grant.scopes,
            namespaces=grant.namespaces,
            filters=grant.filters,
            agent=grant.agent,
            expires_at=grant.expires_at,
            key_id=key,
        )
    except Conflict as conflict:
        return conflict
    except LociError as error:
        form.add_error(None, str(error))
        return None


def shown_before(
    request: HttpRequest, scope: Scope, slug: str, form: HandoverForm, *, client: str = ""
) -> HttpResponse:
    """The answer to a form that was sent before: the key is there, and its secret no longer.

    `client` is what it was to be connected to, when it comes from there."""
    key = key_of(scope, form.cleaned_data["ticket"])
    assert key is not None
    card = KeyCard(get_key(scope, key), scope.actor)
    context = {"section": "connect" if client else "keys", "slug": slug, "card": card, "client": client}
    return render(request, "console/key_shown_before.html", context, status=409)


@require_safe
@door
def key(request: HttpRequest, slug: str, key: UUID) -> HttpResponse:
    """One key; to HTMX only whether it was used yet, and nothing at all while that is as before."""
    scope = manager_scope(request, slug)
    card = KeyCard(get_key(scope, key), scope.actor)
    context = {"section": "keys", "slug": slug, "card": card}
    if request.htmx and request.htmx.target == "use":  # type: ignore[attr-defined]
        if card.pace and card.seen == request.GET.get("pace"):
            return HttpResponse(status=204)
        return render(request, "console/key_use.html", context)
    return render(request, "console/key.html", context)


@require_http_methods(FORM_METHODS)
@door
def revoke(request: HttpRequest, slug: str, key: UUID) -> HttpResponse:
    """The last look at a key before it no longer opens anything."""
    scope = manager_scope(request, slug)
    card = KeyCard(get_key(scope, key), scope.actor)
    if request.method != "POST":
        return render(request, "console/key_revoke.html", {"section": "keys", "slug": slug, "card": card})
    revoke_key(scope, key)
    messages.success(request, _("Revoked: %(name)s no longer opens anything") % {"name": card.name})
    return redirect("console:keys", slug=slug)
