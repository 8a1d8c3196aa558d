"""The ASGI application that serves everything: `/mcp` in the event loop, REST and console in threads.

One process holds the embedder once for all doors. Django itself stays synchronous (WSGI), which was measured to answer
more requests than Django's own ASGI handler (docs/decisions/0007).
"""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
_django = get_wsgi_application()

from django.conf import settings  # noqa: E402 — needs the settings set up

from loci.ground.gateway import Gateway  # noqa: E402
from memory.mcp.door import PATH, McpDoor  # noqa: E402

application = Gateway(_django, {PATH: McpDoor()}, threads=settings.WEB_THREADS, limit=settings.MAX_BODY_BYTES)
