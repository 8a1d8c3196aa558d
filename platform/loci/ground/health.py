"""Probes and metrics for operators: `/healthz`, `/readyz`, `/metrics`."""

import hmac
import time

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

MIGRATIONS_TTL = 30.0
_migrated_at = 0.0


@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """The process is there. Touches nothing else."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers, its schema is this release's, and its row-level security binds us; else 503."""
    try:
        bound, migrated = _bound(), _migrated()
    except (DatabaseError, InterfaceError):
        return JsonResponse({"status": "not_ready", "database": False}, status=503)
    ready = bound and migrated
    return JsonResponse(
        {
            "status": "ready" if ready else "not_ready",
            "database": True,
            "migrations": migrated,
            "row_level_security": bound,
        },
        status=200 if ready else 503,
    )


def _bound() -> bool:
    """Whether the role that we log in as is subject to row-level security: no superuser, no BYPASSRLS, no owner."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT NOT (r.rolsuper OR r.rolbypassrls OR EXISTS (SELECT 1 FROM pg_class AS c"
            " WHERE c.relrowsecurity AND c.relowner = r.oid)) FROM pg_roles AS r WHERE r.rolname = current_user"
        )
        return bool(cursor.fetchone()[0])


def _migrated() -> bool:
    """Whether nothing is left to migrate; a yes is believed for 30 s."""
    global _migrated_at
    if time.monotonic() - _migrated_at < MIGRATIONS_TTL and _migrated_at:
        return True
    executor = MigrationExecutor(connection)
    done = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    _migrated_at = time.monotonic() if done else 0.0
    return done


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus metrics, for whoever holds METRICS_TOKEN; without such a token there are none to be had."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if not settings.METRICS_TOKEN or not hmac.compare_digest(given.encode(), settings.METRICS_TOKEN.encode()):
        return JsonResponse(
            {"detail": "Give METRICS_TOKEN as a bearer token."},
            status=401,
            headers={"WWW-Authenticate": 'Bearer realm="metrics"'},
        )
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
