"""Make tenants with a key and no rate limit, and perhaps memories, in one process.

    python -m tests.bench.fill < {"tenants": ["slug", …], "memories": 0, "seed": 1, "owner": false}

Prints the service key of each tenant as one JSON object. Operators' work, hence by services and not by HTTP.
"""

import json
import sys
from typing import Any

import django


def fill(slugs: list[str], memories: int, seed: int, *, owner: bool) -> dict[str, str]:
    """The key of each new tenant, which holds so many memories and perhaps has an owner who can sign in."""
    from billing.quotas import set_quota
    from tenants.authentication import operator_scope
    from tenants.scope import Role
    from tenants.services.keys import issue_key
    from tenants.services.tenants import add_member, create_tenant
    from tests.bench.corpus import texts
    from tests.bench.pages import EMAIL, PASSWORD

    keys = {}
    stored = texts(memories * len(slugs), 30, seed=seed) if memories else []
    for at, slug in enumerate(slugs):
        scope = operator_scope(create_tenant(slug), "bench")
        set_quota(scope, {"rps": 1_000_000})
        keys[slug] = issue_key(scope, scopes=["read", "write"]).secret
        if owner:
            add_member(scope.tenant, EMAIL, Role.OWNER, password=PASSWORD)
        _remember(scope, stored[at * memories : (at + 1) * memories])
    return keys


def _remember(scope: Any, stored: list[str]) -> None:
    from memory.engine.items import Item
    from memory.services.remember import remember
    from tests.bench.corpus import items

    made = [Item(index=at % 64, **given) for at, given in enumerate(items(stored))]
    for start in range(0, len(made), 64):
        outcomes = remember(scope, items=made[start : start + 64])
        assert all(outcome.searchable for outcome in outcomes), "a memory is not searchable"


def main() -> None:
    """From stdin to stdout."""
    django.setup()
    wanted = json.load(sys.stdin)
    print(
        json.dumps(
            fill(wanted["tenants"], wanted.get("memories", 0), wanted.get("seed", 1), owner=wanted.get("owner", False))
        )
    )


if __name__ == "__main__":
    main()
