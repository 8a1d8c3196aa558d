"""All settings, read from the environment. `docs/settings.md` lists each of them.

A secret may be given as `X_FILE=/path` instead of `X=value`. What `make run` needs it writes
to `var/loci.env`; that file is read when it exists and never overrides the environment.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import environ
from django.core.exceptions import ImproperlyConfigured

from loci import production

PACKAGE = Path(__file__).resolve().parent
ROOT = PACKAGE.parents[1]
# in a checkout these two lie beside the rooms, in an installed wheel inside the package
FILES = ROOT if (ROOT / "templates").is_dir() else PACKAGE
# all that a local Loci writes; a deployment gives its paths one by one
VAR = Path(os.environ.get("LOCI_VAR", ROOT / "var"))
env = environ.FileAwareEnv()
ENV_FILE = Path(os.environ.get("LOCI_ENV_FILE", VAR / "loci.env"))
if ENV_FILE.is_file():
    env.read_env(str(ENV_FILE))


def required(name: str) -> str:
    """The value of `name`, or an error that says what to do when it is not set."""
    value: str = env.str(name, default="")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set. `make run` sets up everything; a deployment gives it by environment: docs/settings.md."
        )
    return value


DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = required("SECRET_KEY")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
PUBLIC_URL = env.str("PUBLIC_URL", default="http://127.0.0.1:8000").rstrip("/")

# pepper id -> pepper; the first one hashes new keys, all of them verify
KEY_PEPPERS: dict[str, str] = production.peppers(required("KEY_PEPPERS"))
# Fernet keys, newest first: they encrypt per-tenant secrets at rest
ENCRYPTION_KEYS: list[str] = required("ENCRYPTION_KEYS").split(",")
# whether anyone but this machine is answered
SERVED = not DEBUG and production.is_served(PUBLIC_URL, ALLOWED_HOSTS)
# a proxy stands before Loci that sets X-Forwarded-For and X-Forwarded-Proto anew, and nobody reaches Loci past it
BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)

INSTALLED_APPS = [
    "loci.apps.LociConfig",
    "tenants",
    "billing",
    "memory",
    "console",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "template_partials",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
MIDDLEWARE = [
    "loci.ground.middleware.RequestContext",
    "django.middleware.security.SecurityMiddleware",
    "loci.ground.middleware.BodyLimit",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "loci.urls"
WSGI_APPLICATION = "loci.wsgi.application"
ASGI_APPLICATION = "loci.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "console.context.chrome",
            ]
        },
    }
]


# `default` is loci_app (web, worker, commands, tests); `owner` is loci_owner (migrations only).
def database(url: str) -> dict[str, Any]:
    """Django's settings for `url`; a socket's folder may stand percent-encoded in the host's place."""
    config: dict[str, Any] = env.db_url_config(url)
    return {**config, "HOST": unquote(config["HOST"])}


_app = database(required("DATABASE_URL"))
_owner = database(env.str("DATABASE_OWNER_URL", default="") or required("DATABASE_URL"))
_pool = {"min_size": 1, "max_size": env.int("DATABASE_POOL_SIZE", default=16), "timeout": 5}
DATABASES = {
    "default": {
        **_app,
        "ENGINE": "django.db.backends.postgresql",
        "CONN_MAX_AGE": 0,
        "OPTIONS": {
            "connect_timeout": 5,
            "server_side_binding": True,
            "prepare_threshold": 5,
            **_app.get("OPTIONS", {}),
            "pool": _pool,
        },
        "TEST": {"MIRROR": "owner"},
    },
    "owner": {
        **_owner,
        "ENGINE": "django.db.backends.postgresql",
        "OPTIONS": {"connect_timeout": 5, **_owner.get("OPTIONS", {})},
    },
}
if not DEBUG:
    production.demand_secrets(SECRET_KEY, KEY_PEPPERS, ENCRYPTION_KEYS)
if SERVED:
    _passwords = {"DATABASE_URL": _app["PASSWORD"], "DATABASE_OWNER_URL": _owner["PASSWORD"]}
    production.demand_service(PUBLIC_URL, ALLOWED_HOSTS, SECRET_KEY, KEY_PEPPERS, ENCRYPTION_KEYS, _passwords)

AUTH_USER_MODEL = "tenants.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "console:sign-in"
LOGIN_REDIRECT_URL = "console:home"
SESSION_COOKIE_NAME = "loci_session"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PUBLIC_URL.startswith("https:")
SESSION_COOKIE_HTTPONLY = True
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=31_536_000 if SESSION_COOKIE_SECURE else 0)
SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("HSTS_SUBDOMAINS", default=False)
# only who knows what else the domain serves can promise TLS for all of it, so that its absence is no fault
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
# without the proxy's word every request looks unencrypted, and a redirect would lead back to itself
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE and BEHIND_PROXY
# asked from within, without TLS
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch")]
# set on the console's page by whoever prefers another language than their browser's
LANGUAGE_COOKIE_NAME = "loci_language"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
STATICFILES_DIRS = [FILES / "static"]
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(VAR / "static")))
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

MAX_BODY_BYTES = 32 * 1024 * 1024
# a form's body, which Django decodes before any view: one byte of it may cost a hundred of memory
MAX_FORM_BYTES = 1024 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = MAX_BODY_BYTES

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memory.api.authentication.ServiceKeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["memory.api.authentication.HasScope"],
    "DEFAULT_PARSER_CLASSES": ["memory.api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "memory.api.openapi.Schema",
    "EXCEPTION_HANDLER": "memory.api.errors.handle",
    "UNAUTHENTICATED_USER": None,
    # else DRF takes `?format=` for itself
    "URL_FORMAT_OVERRIDE": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Loci",
    "DESCRIPTION": "Memory for AI agents and applications. Authenticate with `X-API-Key` or `Authorization: Bearer`.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": ["memory.api.openapi.complete"],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost")
CELERY_BROKER_FOLDER = env.str("CELERY_BROKER_FOLDER", default=str(VAR / "broker"))
# how often the sweeper looks for work whose wake-up message was lost, in seconds
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=5.0)

# Embedder: minilm | minilm-l3 | static | multilingual | openai | ollama | gemini | fastembed | none | dotted.path.Class
EMBEDDER = env.str("EMBEDDER", default="minilm")
EMBEDDER_URL = env.str("EMBEDDER_URL", default="")
EMBEDDER_MODEL = env.str("EMBEDDER_MODEL", default="")
EMBEDDER_API_KEY = env.str("EMBEDDER_API_KEY", default="")
EMBEDDER_TIMEOUT = env.float("EMBEDDER_TIMEOUT", default=30.0)
EMBEDDER_BATCH_SIZE = env.int("EMBEDDER_BATCH_SIZE", default=32)
EMBEDDER_THREADS = env.int("EMBEDDER_THREADS", default=2)

# Language model: none | openai | ollama | gemini | dotted.path.Class
LLM_PROVIDER = env.str("LLM_PROVIDER", default="none")
LLM_URL = env.str("LLM_URL", default="")
LLM_MODEL = env.str("LLM_MODEL", default="")
LLM_API_KEY = env.str("LLM_API_KEY", default="")
LLM_TIMEOUT = env.float("LLM_TIMEOUT", default=30.0)
# Reranking service: none | cohere | jina | tei
RERANKER = env.str("RERANKER", default="none")
RERANKER_URL = env.str("RERANKER_URL", default="")
RERANKER_MODEL = env.str("RERANKER_MODEL", default="")
RERANKER_API_KEY = env.str("RERANKER_API_KEY", default="")
RERANKER_TIMEOUT = env.float("RERANKER_TIMEOUT", default=10.0)
# networks that addresses given by tenants may lie in though they are not public
ALLOWED_PRIVATE_NETWORKS = production.networks(env.list("ALLOWED_PRIVATE_NETWORKS", default=[]))

# retrievers of one's own, and what counts tokens for budgets: dotted paths
RETRIEVERS = env.list("RETRIEVERS", default=[])
TOKEN_COUNTER = env.str("TOKEN_COUNTER", default="")
# seconds that a recall may take in all, and how long a write waits to become searchable
RECALL_DEADLINE = env.float("RECALL_DEADLINE", default=5.0)
INDEX_WAIT = env.float("INDEX_WAIT", default=10.0)
# seconds after which index tasks that a worker claimed and did not finish are taken for abandoned
INDEX_LEASE = env.float("INDEX_LEASE", default=120.0)
# quotas of a tenant that has none of its own, as name=value pairs; an absent name is unlimited
DEFAULT_QUOTAS: dict[str, float] = {
    name: float(value) for name, value in env.dict("DEFAULT_QUOTAS", default={"rps": "100", "jobs": "100"}).items()
}
# the longest that one statement of a request or job may run, in milliseconds
STATEMENT_TIMEOUT_MS = env.int("STATEMENT_TIMEOUT_MS", default=30_000)
# threads of a web process: for REST and console, and for tools over MCP
WEB_THREADS = env.int("WEB_THREADS", default=8)
MCP_THREADS = env.int("MCP_THREADS", default=8)
# origins of web pages that may call /mcp, beside PUBLIC_URL's
MCP_ALLOWED_ORIGINS = env.list("MCP_ALLOWED_ORIGINS", default=[])
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
LOGGING_CONFIG = "loci.ground.logs.configure"
LOGGING = {"level": LOG_LEVEL}
