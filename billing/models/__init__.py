"""Billing's system of record."""

from billing.models.quota import Counter, Quota, Rate
from billing.models.usage import UsageEvent

__all__ = ["Counter", "Quota", "Rate", "UsageEvent"]
