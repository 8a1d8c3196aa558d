"""The tenants' system of record, a noun a file."""

from tenants.models.audit import AuditEvent
from tenants.models.idempotency import IdempotencyRecord
from tenants.models.key import ServiceKey
from tenants.models.member import Membership, User
from tenants.models.tenant import Tenant

__all__ = ["AuditEvent", "IdempotencyRecord", "Membership", "ServiceKey", "Tenant", "User"]
