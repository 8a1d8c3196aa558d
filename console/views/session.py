"""Signing in and out, and where one lands."""

from django.contrib import auth
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import door, safe_next
from console.forms import SignInForm
from loci.ground.errors import Unauthenticated
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
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        user = auth.authenticate(request, username=said["email"].lower(), password=said["password"])
        if user is not None:
            auth.login(request, user)
            return redirect(onward)
        form.add_error(None, _("E-mail and password do not belong together."))
        form.fields["password"].widget.attrs["autofocus"] = True
    elif form.is_bound:
        form.focus_first_fault()
    else:
        form.fields["email"].widget.attrs["autofocus"] = True
    status = 422 if form.is_bound else 200
    return render(request, "console/sign_in.html", {"form": form, "next": onward}, status=status)


@require_POST
@door
def sign_out(request: HttpRequest) -> HttpResponse:
    """The session ends here and on the server."""
    auth.logout(request)
    return redirect("console:sign-in")
