"""Agents written with the official TypeScript SDK, both versions of it."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cast import Caller
from tests.mcp.conftest import Door
from tests.mcp.node_packages import Packages

pytestmark = pytest.mark.committed

TEXT = "Dana wants her letters by post."
VERSIONS = pytest.mark.parametrize("script", ["v1.mjs", "v2.mjs"])


def run(packages: Packages, script: str, door: Door, home: Path) -> "subprocess.CompletedProcess[str]":
    """Have the agent remember the text and ask for it."""
    facts = {"LOCI_URL": door.url, "LOCI_KEY": door.key, "TEXT": TEXT, "QUERY": "how does Dana want her letters?"}
    return packages.script(script, home=home, **facts)


@VERSIONS
def test_an_agent_in_typescript_lists_the_tools_remembers_and_finds(
    packages: Packages, door: Door, alice: Caller, home: Path, script: str
) -> None:
    done = run(packages, script, door, home)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {"memory_search", "memory_remember"} <= {tool["name"] for tool in said["tools"]}
    assert said["remembered"]["structuredContent"]["stored"] == 1
    assert [memory["text"] for memory in said["found"]["structuredContent"]["results"]] == [TEXT]
    assert TEXT in said["found"]["content"][0]["text"]
    assert alice.found("letters") == [TEXT]


@VERSIONS
def test_an_agent_in_typescript_sees_that_a_wrong_key_is_a_matter_of_credentials(
    packages: Packages, door: Door, home: Path, script: str
) -> None:
    done = run(packages, script, replace(door, key="loci_sk_wrong"), home)
    assert done.returncode == 1
    assert "401" in done.stderr
