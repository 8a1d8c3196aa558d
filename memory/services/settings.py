"""A tenant's settings: read, and changed by its admins."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from ipaddress import ip_address
from typing import Any, NoReturn
from urllib.parse import urlsplit

from cryptography.fernet import InvalidToken
from django.conf import settings as installation
from django.db.backends.utils import CursorWrapper
from django.utils import timezone

from loci.ground.crypto import seal, unseal
from loci.ground.errors import Fault, Forbidden, InvalidRequest, PreconditionFailed
from memory.engine.chosen import merged, paths_of, tuning_of, value_at
from memory.engine.tuning import Tuning
from memory.stores import llm
from memory.stores.outbound.addresses import may_call, networks
from memory.stores.postgres import settings as rows
from memory.stores.postgres.settings import Row
from tenants import audit
from tenants.authentication import require
from tenants.rls import tenant_rows
from tenants.scope import Right, Scope
from tenants.services.tenants import DEFAULT_TIME_ZONE, set_time_zone, time_zone_of

SHOWN = 4
LONG_ENOUGH = 12
"""Characters of a key from which on the last 4 are shown."""
NO_SECRET = ("recall", "dates")


@dataclass(frozen=True, slots=True)
class OwnModel:
    """A tenant's language model without its key; `source` says whose is in force: tenant, operator or none."""

    provider: str | None
    url: str | None
    model: str | None
    key_set: bool
    key_last4: str | None
    source: str


@dataclass(frozen=True, slots=True)
class TenantSettings:
    """What is in force for a tenant. `chosen` are the names of what it has set itself."""

    version: int
    changed_at: datetime | None
    tuning: Tuning
    model: OwnModel
    chosen: tuple[str, ...]


def read_settings(scope: Scope) -> TenantSettings:
    """The settings of the scope's tenant."""
    require(scope, Right.ADMIN)
    with tenant_rows(scope.tenant) as cursor:
        return _told(rows.read(cursor, scope), time_zone_of(scope.tenant))


def change_settings(scope: Scope, *, change: Mapping[str, Any], expected_version: int | None = None) -> TenantSettings:
    """Apply a merge patch of the sections `recall`, `dates` and `llm`, whose values have passed
    `memory.shapes.settings.SettingsChange`.

    Raises `InvalidRequest` for what does not go together, `PreconditionFailed` when `expected_version` is not the
    present one, `Forbidden` for a credential that is narrowed: settings are the whole tenant's.
    """
    require(scope, Right.ADMIN)
    if not scope.whole:
        raise Forbidden("Settings are the whole tenant's: a narrowed key cannot change them.", code="narrowed_key")
    with tenant_rows(scope.tenant) as cursor:
        row, zone = rows.read(cursor, scope, lock=True), time_zone_of(scope.tenant)
        if expected_version is not None and row.version != expected_version:
            raise PreconditionFailed("The settings have changed since you read them.", current_version=str(row.version))
        now, zone_now = _changed(row, change), _zone_after(zone, change)
        touched = _touched(row, now) | ({"dates.time_zone"} if zone_now != zone else set())
        if not touched:
            return _told(row, zone)
        now = replace(now, version=row.version + 1, changed_at=timezone.now())
        rows.write(cursor, scope, now)
        if zone_now != zone:
            set_time_zone(scope.tenant, zone_now)
        _record(cursor, scope, now, touched)
        return _told(now, zone_now)


def stored_key(row: Row) -> str:
    """The key of the tenant's language model; empty when there is none, or no encryption key opens it any more."""
    if row.sealed_key is None:
        return ""
    try:
        return unseal(row.sealed_key).decode()
    except InvalidToken:
        return ""


def _zone_after(zone: str, change: Mapping[str, Any]) -> str:
    """The tenant's time zone, which lies with the tenant, after the change."""
    if "dates" not in change:
        return zone
    dates = change["dates"]
    if dates is None:
        return DEFAULT_TIME_ZONE
    return str(dates["time_zone"] or DEFAULT_TIME_ZONE) if "time_zone" in dates else zone


def _changed(row: Row, change: Mapping[str, Any]) -> Row:
    """The row after the change. Raises InvalidRequest."""
    patch = {name: _without(section, "time_zone", "api_key") for name, section in change.items()}
    now = replace(row, chosen=merged(row.chosen, patch))
    return _with_model(row, now, change["llm"]) if "llm" in change else now


def _with_model(before: Row, now: Row, change: Mapping[str, Any] | None) -> Row:
    """`now` with the language model's key as the change has it, if the model can be one. Raises InvalidRequest."""
    model, given = now.chosen.get("llm", {}), change or {}
    if not model.get("provider"):
        if any(value is not None for value in given.values()) or (model and "provider" not in given):
            _refuse("provider", "provider_missing", f"is missing: choose {', '.join(llm.PROVIDERS)}")
        return replace(now, chosen=_without(now.chosen, "llm"), sealed_key=None)
    _check_model(model)
    was = before.chosen.get("llm", {})
    moved = any(was.get(name) != model.get(name) for name in ("provider", "url"))
    if moved and before.sealed_key is not None and "api_key" not in given:
        _refuse(
            "api_key",
            "key_moved",
            "is missing: the stored one was given for another address; give one, or null for none",
        )
    if "api_key" not in given:
        return now
    return replace(now, sealed_key=None if given["api_key"] is None else seal(given["api_key"].encode()))


def _without(section: Any, *names: str) -> Any:
    """A section without some of its fields; None stays None."""
    if section is None:
        return None
    return {name: value for name, value in section.items() if name not in names}


def _check_model(model: Mapping[str, Any]) -> None:
    if not model.get("model"):
        _refuse("model", "model_missing", "is missing: name the model, as the provider calls it")
    if model["provider"] == "ollama" and not model.get("url"):
        _refuse("url", "url_missing", "is missing: the address of your Ollama")
    host = urlsplit(model.get("url") or "").hostname or ""
    try:
        address = ip_address("127.0.0.1" if host == "localhost" else host)
    except ValueError:  # a name: what it resolves to is checked at each call
        return
    if not may_call(address, networks(installation.ALLOWED_PRIVATE_NETWORKS)):
        _refuse(
            "url",
            "address_private",
            "is not a public address; an operator can allow a network with ALLOWED_PRIVATE_NETWORKS",
        )


def _refuse(name: str, kind: str, message: str) -> NoReturn:
    raise InvalidRequest([Fault(("body", "llm", name), message, kind)])


def _touched(before: Row, after: Row) -> set[str]:
    """The names of what is another now."""
    paths = paths_of(before.chosen) | paths_of(after.chosen)
    found = {path for path in paths if value_at(before.chosen, path) != value_at(after.chosen, path)}
    return found | ({"llm.api_key"} if stored_key(before) != stored_key(after) else set())


def _record(cursor: CursorWrapper, scope: Scope, row: Row, touched: set[str]) -> None:
    """The event: all names, and the new values of those that can hold no secret."""
    values = {path: value_at(row.chosen, path) for path in touched if path.partition(".")[0] in NO_SECRET}
    audit.record(cursor, scope, "settings.changed", fields=sorted(touched), values=values, version=row.version)


def _told(row: Row, zone: str) -> TenantSettings:
    model, key = row.chosen.get("llm", {}), stored_key(row)
    operator = "operator" if installation.LLM_PROVIDER not in ("", "none") else "none"
    return TenantSettings(
        row.version,
        row.changed_at,
        tuning_of(row.chosen, zone),
        OwnModel(
            model.get("provider"),
            model.get("url"),
            model.get("model"),
            row.sealed_key is not None,
            key[-SHOWN:] if len(key) >= LONG_ENOUGH else None,
            "tenant" if model else operator,
        ),
        tuple(sorted(paths_of(row.chosen) | ({"dates.time_zone"} if zone != DEFAULT_TIME_ZONE else set()))),
    )
