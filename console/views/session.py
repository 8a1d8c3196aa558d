"""Signing in and out, and where one lands."""

import math

from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from billing import attempts
from console.access import door, safe_next
from console.forms import SignInForm
from loci.ground.context import current as facts
from loci.ground.errors import RateLimited, Unauthenticated
from tenants.authentication import memberships


@require_safe
@door
def home(request: HttpRequest) -> HttpResponse:
    """On to the first tenant, or a page that says that there is none."""
    if not request.user.is_authenticated:
        raise Unauthenticated(_("Sign in first."))
    tenants = memberships(request.user.id)
    if tenants:
        return redirect("console:tenant", slug=tenants[0]["slug"])
    return render(request, "console/no_tenant.html")


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@door
def sign_in(request: HttpRequest) -> HttpResponse:
    """Whoever gives a wrong address and whoever gives a wrong password get the same answer in the same time."""
    onward = safe_next(request, request.POST.get("next") or request.GET.get("next"), reverse("console:home"))
    if request.user.is_authenticated:
        return redirect(onward)
    form = SignInForm(request.POST or None)
    status, headers = 422 if form.is_bound else 200, dict[str, str]()
    if request.method == "POST" and form.is_valid():
        try:
            if _signed_in(request, **form.cleaned_data):
                return redirect(onward)
            form.add_error(None, _("E-mail and password do not match."))
        except RateLimited as error:
            status, headers = error.status, error.headers
            form.add_error(None, _too_many(error.extra["retry_after"]))
        form.fields["password"].widget.attrs["autofocus"] = True
    elif form.is_bound:
        form.focus_first_fault()
    else:
        form.fields["email"].widget.attrs["autofocus"] = True
    context = {"form": form, "next": onward, "throttled": status == 429}
    page = render(request, "console/sign_in.html", context, status=status)
    for name, value in headers.items():
        page.headers[name] = value
    return page


def _signed_in(request: HttpRequest, email: str, password: str) -> bool:
    """Whether e-mail and password match, and whoever gave them is signed in now; `RateLimited` after too many tries."""
    account, address = email.lower(), facts.get().address
    attempts.count(account, address)
    user = auth.authenticate(request, username=account, password=password)
    if user is None:
        return False
    attempts.forget(account, address)
    auth.login(request, user)
    return True


def _too_many(seconds: int) -> str:
    minutes = math.ceil(seconds / 60)
    return ngettext(
        "These were too many tries. Try again in %(n)d minute.",
        "These were too many tries. Try again in %(n)d minutes.",
        minutes,
    ) % {"n": minutes}


@require_POST
@door
def sign_out(request: HttpRequest) -> HttpResponse:
    """The session ends here and on the server."""
    auth.logout(request)
    return redirect("console:sign-in")
