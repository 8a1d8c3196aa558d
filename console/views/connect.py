"""Connecting an agent or a program: a key for it, its configuration, and its first call as it comes in."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.access import door, manager_scope, member_scope
from console.clients import CLIENTS, Client, Target, manners
from console.grants import KeyCard
from console.handover import ticket_for
from console.keyforms import LONGEST_NAME, ConnectForm
from console.views.changes import FORM_METHODS
from console.views.keys import hand_over, shown_before
from loci.ground.errors import Conflict, NotFound
from tenants.authentication import require
from tenants.scope import Right
from tenants.services.keys import get_key, own_keys

DATE = " · YYYY-MM-DD HH:MM"


@require_safe
@door
def connect(request: HttpRequest, slug: str) -> HttpResponse:
    """On to the first client."""
    require(member_scope(request, slug), Right.READ)
    return redirect("console:connect-client", slug=slug, client=next(iter(CLIENTS)))


@require_http_methods(FORM_METHODS)
@door
def client(request: HttpRequest, slug: str, client: str) -> HttpResponse:
    """How to connect one client; sending the form creates a key and shows everything with it, once."""
    scope = member_scope(request, slug)
    require(scope, Right.READ)
    if client not in CLIENTS:
        raise NotFound(_("There is no such client."))
    chosen = CLIENTS[client]
    if request.method != "POST":
        present = own_keys(scope, _name(request, chosen)) if scope.may(Right.ADMIN) else []
        cards = [KeyCard(key, scope.actor) for key in present]
        return _page(request, slug, chosen, ConnectForm(initial={"ticket": ticket_for(scope)}), present=cards)
    scope = manager_scope(request, slug)
    form = ConnectForm(request.POST)
    if form.is_valid():
        issued = hand_over(scope, form, form.grant(), _dated(_name(request, chosen)))
        if isinstance(issued, Conflict):
            return shown_before(request, scope, slug, form, client=client)
        if issued:
            card = KeyCard(get_key(scope, issued.id), scope.actor)
            return _page(request, slug, chosen, form, key=issued.secret, card=card, status=201)
    form.focus_first_fault()
    return _page(request, slug, chosen, form, status=422)


def _page(
    request: HttpRequest, slug: str, client: Client, form: ConnectForm, *, status: int = 200, key: str = "", **more: Any
) -> HttpResponse:
    target = Target(settings.PUBLIC_URL, key) if key else Target(settings.PUBLIC_URL)
    context = {
        "section": "connect",
        "slug": slug,
        "clients": CLIENTS.values(),
        "client": client,
        "form": form,
        "target": target,
        "key": key,
        "snippets": client.snippets(target),
        "install": client.install(target),
        "manners": manners() if client.agent else "",
        **more,
    }
    return render(request, "console/connect.html", context, status=status)


def _name(request: HttpRequest, client: Client) -> str:
    """How the key's name begins: the client, and whose it is."""
    person = request.user.name or request.user.email.partition("@")[0]  # type: ignore[union-attr]
    return f"{client.name} · {person}"[: LONGEST_NAME - len(DATE)]


def _dated(name: str) -> str:
    """The name with the time, so that several keys for one client can be told apart."""
    return name + timezone.localtime().strftime(" · %Y-%m-%d %H:%M")
