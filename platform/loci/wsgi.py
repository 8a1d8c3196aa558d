"""The WSGI application that serves REST and console."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "loci.settings")
application = get_wsgi_application()
