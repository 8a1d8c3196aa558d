"""The console's door: who stands at it, and what becomes of what goes wrong behind it."""

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import structlog
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils import timezone
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRedirect

from console.refusals import refusal
from loci.ground.errors import Forbidden, LociError, Unauthenticated, Unavailable
from tenants.authentication import memberships, scope_of_member
from tenants.scope import Right, Scope

log = structlog.get_logger(__name__)
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


class Chrome:
    """What surrounds every page, worked out when a template asks for it."""

    def __init__(self, request: HttpRequest):
        self._request = request

    @cached_property
    def tenants(self) -> list[dict[str, Any]]:
        """The tenants of whoever is signed in."""
        return memberships(self._request.user.id) if self._request.user.is_authenticated else []

    @cached_property
    def scope(self) -> Scope | None:
        """The scope in the tenant that the page belongs to."""
        return getattr(self._request, "member_scope", None)

    @cached_property
    def current(self) -> dict[str, Any] | None:
        """The tenant that the page belongs to."""
        wanted = self.scope.tenant if self.scope else None
        return next((row for row in self.tenants if row["tenant_id"] == wanted), None)

    @property
    def may_write(self) -> bool:
        """Whether to show what adds, corrects or removes."""
        return self.scope is not None and self.scope.may(Right.WRITE)

    @property
    def may_manage(self) -> bool:
        """Whether to show what is for owners and admins: service keys."""
        return self.scope is not None and self.scope.may(Right.ADMIN)

    @property
    def theme(self) -> str:
        """`light`, `dark`, or nothing for what the system says."""
        given = self._request.COOKIES.get("loci_theme", "")
        return given if given in ("light", "dark") else ""

    @property
    def languages(self) -> list[tuple[str, str]]:
        """The languages of the console, each by its own name."""
        return settings.LANGUAGES

    @property
    def single_keys(self) -> bool:
        """Whether keys such as `/` and `j` do something."""
        return self._request.COOKIES.get("loci_keys") != "off"


def member_scope(request: HttpRequest, slug: str) -> Scope:
    """The scope of the signed-in person in the tenant `slug`; `NotFound` when they have no place there."""
    if not request.user.is_authenticated:
        raise Unauthenticated(_("Sign in first."))
    scope = scope_of_member(request.user.id, slug)
    request.member_scope = scope  # type: ignore[attr-defined]
    try:
        timezone.activate(ZoneInfo(scope.time_zone))
    except (ZoneInfoNotFoundError, ValueError):
        log.warning("unknown_time_zone", tenant=str(scope.tenant))
    return scope


def manager_scope(request: HttpRequest, slug: str, *, settings: bool = False) -> Scope:
    """The scope of the signed-in person where they manage service keys, or `settings`; `Forbidden` when they do not."""
    scope = member_scope(request, slug)
    if not scope.may(Right.ADMIN):
        if settings:
            raise Forbidden(_("Settings are changed by the owners and admins of this tenant."))
        raise Forbidden(_("Service keys are managed by the owners and admins of this tenant."))
    return scope


def door(view: View[P]) -> View[P]:
    """Wraps a view: a `LociError` becomes a page or a notice, and no cache keeps what a member sees."""

    @wraps(view)
    def guarded(request: HttpRequest, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            response = _answer(request, lambda: view(request, *args, **kwargs))
        finally:
            timezone.deactivate()
        add_never_cache_headers(response)
        patch_vary_headers(response, ["HX-Request", "HX-Target"])
        return response

    return guarded


def _answer(request: HttpRequest, act: Callable[[], HttpResponse]) -> HttpResponse:
    try:
        return act()
    except Unauthenticated:
        return _to_sign_in(request)
    except LociError as error:
        return refusal(request, error)
    except OperationalError:
        log.exception("database_unavailable")
        return refusal(request, Unavailable(_("The database did not answer. Try again in a moment.")))


def _to_sign_in(request: HttpRequest) -> HttpResponse:
    """A form that was sent cannot be sent again by a redirect: then on to the start."""
    if request.htmx:  # type: ignore[attr-defined]
        back = urlencode({"next": _page_of(request)})
        return HttpResponseClientRedirect(f"{resolve_url(settings.LOGIN_URL)}?{back}")
    return redirect_to_login(
        request.get_full_path() if request.method == "GET" else "", resolve_url(settings.LOGIN_URL)
    )


def _page_of(request: HttpRequest) -> str:
    """The page from which htmx asks; nothing when its header names none of ours."""
    try:
        return request.htmx.current_url_abs_path or ""  # type: ignore[attr-defined]
    except ValueError:  # what the header says cannot be taken apart, as `http://[`
        return ""


def safe_next(request: HttpRequest, given: str | None, default: str) -> str:
    """`given` when it leads to an address of this site, else `default`."""
    https = request.is_secure()
    return given if given and url_has_allowed_host_and_scheme(given, {request.get_host()}, https) else default
