"""Every address of Loci."""

from django.urls import URLPattern, URLResolver, include, path

from loci.ground.health import healthz, metrics, readyz

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("api/v1/", include("memory.api.urls")),
]
