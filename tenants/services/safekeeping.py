"""Whether the secrets of the environment still fit what is stored: after a restore, a move, a rotation."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.conf import settings

from loci.ground.crypto import unseal
from tenants.rls import tenant_rows

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Fit:
    """Of the tenants looked at, `sealed` cannot be opened with any encryption key; `peppers` are the ids of peppers
    that keys in use were made under and that are not configured: those keys do not work."""

    sealed: tuple[UUID, ...]
    peppers: tuple[str, ...]

    def faults(self) -> list[str]:
        """What does not fit, in words."""
        said = []
        if self.sealed:
            names = ", ".join(map(str, self.sealed[:SHOWN])) + ("…" if len(self.sealed) > SHOWN else "")
            said.append(f"no key of ENCRYPTION_KEYS opens the secrets of {len(self.sealed)} tenant(s): {names}")
        if self.peppers:
            said.append(f"KEY_PEPPERS lacks {', '.join(self.peppers)}: service keys made under it do not work")
        return said


def secrets_fit(tenants: Sequence[UUID]) -> Fit:
    """Try the configured secrets on what is stored for `tenants`."""
    sealed, peppers = [], set()
    for tenant in tenants:
        with tenant_rows(tenant) as cursor:
            cursor.execute("SELECT sealed_secret FROM tenants_tenant WHERE id = %s", [tenant])
            row = cursor.fetchone()
            cursor.execute(
                "SELECT DISTINCT pepper_id FROM tenants_servicekey WHERE tenant_id = %s AND revoked_at IS NULL"
                " AND (expires_at IS NULL OR expires_at > now())",
                [tenant],
            )
            peppers |= {pepper for (pepper,) in cursor.fetchall()}
        if row and not _opens(bytes(row[0])):
            sealed.append(tenant)
    return Fit(tuple(sealed), tuple(sorted(peppers - settings.KEY_PEPPERS.keys())))


def _opens(sealed: bytes) -> bool:
    try:
        unseal(sealed)
    except InvalidToken:
        return False
    return True
