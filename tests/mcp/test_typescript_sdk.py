"""Agents written with the official TypeScript SDK, both versions of it."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.cast import Caller
from tests.mcp.conftest import Way
from tests.mcp.node_packages import Packages

pytestmark = pytest.mark.committed

TEXT = "Dana wants her letters by post."
VERSIONS = pytest.mark.parametrize("script", ["v1.mjs", "v2.mjs"])


def run(packages: Packages, script: str, way: Way, home: Path) -> "subprocess.CompletedProcess[str]":
    """Have the agent remember the text and ask for it."""
    facts = {"LOCI_URL": way.url, "LOCI_KEY": way.key, "TEXT": TEXT, "QUERY": "how does Dana want her letters?"}
    return packages.script(script, home=home, **facts)


@VERSIONS
def test_an_agent_in_typescript_lists_the_tools_remembers_and_finds(
    packages: Packages, way: Way, alice: Caller, home: Path, script: str
) -> None:
    done = run(packages, script, way, home)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert {"memory_search", "memory_remember"} <= {tool["name"] for tool in said["tools"]}
    assert said["remembered"]["structuredContent"]["stored"] == 1
    assert [memory["text"] for memory in said["found"]["structuredContent"]["results"]] == [TEXT]
    assert TEXT in said["found"]["content"][0]["text"]
    # a client that knows the output schema throws away a failure whose structured content does not fit it
    assert said["refused"]["isError"] is True
    assert said["refused"]["content"][0]["text"].startswith("arguments/limit: ")
    assert alice.found("letters") == [TEXT]


@VERSIONS
def test_an_agent_in_typescript_sees_that_a_wrong_key_is_a_matter_of_credentials(
    packages: Packages, way: Way, home: Path, script: str
) -> None:
    done = run(packages, script, replace(way, key="loci_sk_wrong"), home)
    assert done.returncode == 1
    assert "401" in done.stderr
