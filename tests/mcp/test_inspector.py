"""The command line of the official inspector, at both generations of the protocol."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cast import Caller
from tests.mcp.conftest import Way
from tests.mcp.node_packages import Packages

pytestmark = pytest.mark.committed

TEXT = "Dana wants her letters by post."
NEEDS_CREDENTIALS = 3
TOOL_FAILED = 5
ERAS = pytest.mark.parametrize("era", ["legacy", "modern"])


def inspect(packages: Packages, way: Way, home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the inspector with the way's key, and never a browser."""
    return packages.run(
        "@modelcontextprotocol/inspector/clients/launcher/build/index.js",
        "--cli", "--server-url", way.url, "--transport", "http", "--header", f"Authorization: Bearer {way.key}",
        "--stored-auth-only", "--format", "json", *arguments,
        home=home,
    )  # fmt: skip


def inspected(packages: Packages, way: Way, home: Path, *arguments: str) -> Any:
    """The result that the inspector prints."""
    done = inspect(packages, way, home, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)["result"]


@ERAS
def test_the_inspector_finds_no_fault_in_the_tools_schemas(packages: Packages, way: Way, home: Path, era: str) -> None:
    # with --strict a schema that some provider or client cannot take is an error
    listed = inspected(packages, way, home, "--protocol-era", era, "--method", "tools/list", "--strict")
    assert {"memory_search", "memory_remember"} <= {tool["name"] for tool in listed["tools"]}


@ERAS
def test_the_inspector_calls_tools(packages: Packages, way: Way, home: Path, alice: Caller, era: str) -> None:
    def called(tool: str, **arguments: str) -> Any:
        given = ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments)]
        return inspected(packages, way, home, "--protocol-era", era, *given)

    assert called("memory_remember", text=TEXT)["structuredContent"]["stored"] == 1
    found = called("memory_search", query="Dana's letters")["structuredContent"]["results"]
    assert [memory["text"] for memory in found] == [TEXT]
    assert alice.found("letters") == [TEXT]


@ERAS
def test_the_inspector_shows_why_a_call_failed(packages: Packages, way: Way, home: Path, era: str) -> None:
    faulty = ["--method", "tools/call", "--tool-name", "memory_search", "--tool-args-json", '{"quest": "letters"}']
    done = inspect(packages, way, home, "--protocol-era", era, *faulty)
    assert done.returncode == TOOL_FAILED, done.stderr
    assert "arguments/query: " in json.loads(done.stdout)["result"]["content"][0]["text"]


@ERAS
def test_the_inspector_sees_that_a_wrong_key_is_a_matter_of_credentials(
    packages: Packages, way: Way, home: Path, era: str
) -> None:
    wrong = replace(way, key="loci_sk_wrong")
    done = inspect(packages, wrong, home, "--protocol-era", era, "--method", "tools/list")
    assert (done.returncode, json.loads(done.stderr)["error"]["code"]) == (NEEDS_CREDENTIALS, "auth_required")
