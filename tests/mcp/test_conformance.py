"""The official conformance suite at Loci's own /mcp, through a proxy that adds the key: the suite cannot send one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from loci.ground.gateway import Gateway
from memory.mcp.door import PATH, McpDoor
from tests.cast import Caller
from tests.mcp import conformance
from tests.mcp.node_packages import Packages
from tests.mcp.proxy import HeaderProxy
from tests.mcp.scenery.staging import staged
from tests.servers.loci import served

pytestmark = pytest.mark.committed

# These ask the client something in the middle of a call. That needs a session, which a server of many workers that
# share nothing does not keep; clients of 2026-07-28 are asked in the answer instead.
NEED_A_CHANNEL_TO_THE_CLIENT = {
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-sep1034-defaults",
    "elicitation-sep1330-enums",
}


@pytest.fixture(scope="module")
def staged_url(django_db_setup: None) -> Iterator[str]:
    """Where a Loci listens that has the fixtures of the suite's scenarios, too."""
    doors = {PATH: McpDoor(staged)}
    with served(Gateway(get_wsgi_application(), doors, threads=1, limit=settings.MAX_BODY_BYTES)) as url:
        yield url


def outcome(packages: Packages, url: str, caller: Caller, revision: str, folder: Path) -> conformance.Outcome:
    with HeaderProxy(url + PATH, "Authorization", f"Bearer {caller.key}") as proxy:
        return conformance.run(packages, proxy.url, revision, folder)


def test_every_scenario_of_2026_07_28_passes(
    packages: Packages, staged_url: str, alice: Caller, tmp_path: Path
) -> None:
    found = outcome(packages, staged_url, alice, "2026-07-28", tmp_path)
    assert (found.failed, found.warned) == ({}, {})
    assert len(found.passed) == 37
    assert "http-header-validation" in found.beyond


def test_every_scenario_of_2025_11_25_passes_that_needs_no_channel_to_the_client(
    packages: Packages, staged_url: str, alice: Caller, tmp_path: Path
) -> None:
    found = outcome(packages, staged_url, alice, "2025-11-25", tmp_path)
    assert found.failed.keys() == NEED_A_CHANNEL_TO_THE_CLIENT, found.failed
    assert len(found.passed) == 26
    # it would like a session id
    assert found.warned.keys() == {"server-sse-multiple-streams"}
