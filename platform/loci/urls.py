"""Every address of Loci."""

from django.urls import URLPattern, URLResolver, include, path, re_path

from loci.ground.health import healthz, metrics, readyz
from memory.api.status import UnknownView
from memory.mcp.metadata import McpMetadataView, ResourceMetadataView

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path(".well-known/oauth-protected-resource", ResourceMetadataView.as_view(), name="resource-metadata"),
    path(".well-known/oauth-protected-resource/mcp", McpMetadataView.as_view(), name="mcp-metadata"),
    path("api/v1/", include("memory.api.urls")),
    re_path("^api/", UnknownView.as_view()),
    path("", include("console.urls")),
]
handler400 = "console.views.errors.bad_request"
handler403 = "console.views.errors.permission_denied"
handler404 = "console.views.errors.page_not_found"
handler500 = "console.views.errors.server_error"
