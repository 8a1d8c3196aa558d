"""Help: the words of Loci, how to connect, and where the references are."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console import wheel
from console.access import door, member_scope
from tenants.authentication import require
from tenants.scope import Right


@require_safe
@door
def page(request: HttpRequest, slug: str = "") -> HttpResponse:
    """The page; with `slug` it stands within a tenant of whoever is signed in, without it anybody may read it."""
    if slug:
        require(member_scope(request, slug), Right.READ)
    context = {"section": "help", "here": True, "slug": slug, "url": settings.PUBLIC_URL, "wheel": wheel.path()}
    return render(request, "console/help.html", context)
