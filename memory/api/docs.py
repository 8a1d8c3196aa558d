"""The page that shows the API's description, without a script or a style in it: it keeps to the common CSP."""

from drf_spectacular.views import SpectacularSwaggerSplitView


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI, served by Loci itself; its start-up script has an address of its own."""

    template_name = "api/docs.html"
