"""What `/mcp` is as an OAuth resource (RFC 9728): service keys in the Bearer header, no authorization server yet."""

from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memory.api.status import PublicView
from memory.shapes.answers import ResourceMetadata
from tenants.scope import Right


class ResourceMetadataView(PublicView):
    """Open to everybody: clients look here after a 401."""

    @extend_schema(operation_id="resource_metadata", responses=ResourceMetadata, tags=["status"], auth=[])
    def get(self, request: Request) -> Response:
        """The resource's metadata."""
        return Response(
            {
                "resource": f"{settings.PUBLIC_URL}/mcp",
                "resource_name": "Loci",
                "bearer_methods_supported": ["header"],
                "scopes_supported": [Right.READ.value, Right.WRITE.value],
                "resource_documentation": f"{settings.PUBLIC_URL}/api/v1/docs",
            }
        )


class McpMetadataView(ResourceMetadataView):
    """The same where RFC 9728 puts it for a resource with a path."""

    @extend_schema(operation_id="mcp_resource_metadata", responses=ResourceMetadata, tags=["status"], auth=[])
    def get(self, request: Request) -> Response:
        """The resource's metadata."""
        return super().get(request)
