"""What a browser remembers for its person: language, light or dark, and whether single keys do something."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.access import door, safe_next

CHOICES = {
    "theme": ("system", "light", "dark"),
    "keys": ("on", "off"),
    "language": tuple(code for code, _name in settings.LANGUAGES),
}
YEAR = 365 * 24 * 3600


@require_POST
@door
def preferences(request: HttpRequest) -> HttpResponse:
    """Keep what was chosen in cookies, and go back to where it was chosen."""
    response = redirect(safe_next(request, request.POST.get("next"), reverse("console:home")))
    for name, choices in CHOICES.items():
        if request.POST.get(name) in choices:
            response.set_cookie(
                f"loci_{name}",
                request.POST[name],
                max_age=YEAR,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
    return response
