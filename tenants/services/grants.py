"""What a new service key may be: well-formed, and never wider than whoever issues it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.utils import timezone

from loci.ground.errors import Forbidden, RuleBroken
from loci.ground.texts import storable
from tenants.scope import ALL, Right, Scope

LONGEST_NAME = 200
LONGEST_AGENT = 128
MOST_FILTERS = 16
LONGEST_VALUE = 1024
_ABSENT = object()


def check_grant(
    scope: Scope,
    *,
    scopes: Sequence[str],
    name: str,
    namespaces: Sequence[str],
    filters: Mapping[str, Any],
    agent: str,
    expires_at: datetime | None,
) -> None:
    """`RuleBroken` for a key that could not be, `Forbidden` for one that could do more than `scope` itself."""
    _check_scopes(scopes)
    if len(name) > LONGEST_NAME or not 1 <= len(agent) <= LONGEST_AGENT:
        raise RuleBroken(f"A name has at most {LONGEST_NAME} characters, an agent 1 to {LONGEST_AGENT}.")
    if not namespaces or any(not given or len(given) > 128 for given in namespaces):
        raise RuleBroken("Name at least one namespace (1 to 128 characters each), or * for all of them.")
    if not all(map(storable, (name, agent, *namespaces))):
        raise RuleBroken("A name, an agent and a namespace hold no NUL character and no lone surrogate.")
    _check_filters(filters)
    if expires_at and expires_at <= timezone.now():
        raise RuleBroken("The key would have expired already: give a later date.")
    _check_reach(scope, scopes, namespaces, filters, agent)


def _check_scopes(scopes: Sequence[str]) -> None:
    known = [right.value for right in Right]
    if not scopes or (unknown := sorted(set(scopes) - set(known))):
        said = f"Unknown scope '{unknown[0]}'" if scopes else "A key needs at least one scope"
        raise RuleBroken(f"{said}: choose from {', '.join(known)}.")


def _check_filters(filters: Mapping[str, Any]) -> None:
    if len(filters) > MOST_FILTERS:
        raise RuleBroken(f"A key is bound by at most {MOST_FILTERS} filters.")
    for key, value in filters.items():
        if not isinstance(value, str | int | float | bool) or not 0 < len(key) <= 120 or key.startswith("_"):
            raise RuleBroken(f"filter '{key[:120]}': bind a metadata key to one string, number or boolean.")
        if "." in key:  # `a.b` would also be written as {"a": {"b": ...}}
            raise RuleBroken(f"filter '{key}': a bound key has no dot.")
        if isinstance(value, int | float) and not -(2.0**63) <= value < 2.0**63:  # nor NaN
            raise RuleBroken(f"filter '{key}': the number is out of range.")
        if isinstance(value, str) and len(value) > LONGEST_VALUE:
            raise RuleBroken(f"filter '{key}': give at most {LONGEST_VALUE} characters.")
        if not storable(f"{key}{value}"):
            raise RuleBroken(f"filter '{key}': a NUL character or a lone surrogate cannot be stored.")


def _check_reach(
    scope: Scope, scopes: Sequence[str], namespaces: Sequence[str], filters: Mapping[str, Any], agent: str
) -> None:
    """Whoever issues a key hands on what they hold, or less."""
    beyond = next((right for right in scopes if not scope.may(Right(right))), None)
    if beyond:
        raise Forbidden(f"You do not hold '{beyond}', so no key of yours can.", code="wider_than_issuer")
    if not scope.every_namespace and not set(namespaces) <= scope.namespaces:
        raise Forbidden("The key would reach namespaces that you do not.", code="wider_than_issuer")
    if any(not _same(filters.get(key, _ABSENT), value) for key, value in scope.filters.items()):
        raise Forbidden("The key must be bound by the filters that bind you.", code="wider_than_issuer")
    if scope.agent not in (ALL, agent):
        raise Forbidden(f"The key can only act as '{scope.agent}', as you do.", code="wider_than_issuer")


def _same(one: object, other: object) -> bool:
    """Equal as JSON: `true` is not 1."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other
