"""The programs that can be connected: where each keeps its configuration, and what an entry for Loci looks like."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loci_client.connecting.changes import Left

KEY_VARIABLE = "LOCI_API_KEY"
PLACEHOLDER = "YOUR_LOCI_KEY"


@dataclass(frozen=True)
class Where:
    """What the places of configuration depend on."""

    home: Path
    project: Path
    platform: str
    environ: Mapping[str, str]

    @classmethod
    def here(cls) -> "Where":
        """This machine, this user, the current folder."""
        return cls(Path.home(), Path.cwd(), sys.platform, os.environ)

    def applications(self) -> Path:
        """Where programs keep the settings of this user."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return Path(self.environ.get("APPDATA") or self.home / "AppData" / "Roaming")
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")

    def dotconfig(self) -> Path:
        """Where programs that follow XDG on every system keep theirs."""
        return Path(self.environ.get("XDG_CONFIG_HOME") or self.home / ".config")


@dataclass(frozen=True)
class Server:
    """What an entry needs to know. `key` None: the entry refers to the environment instead."""

    url: str
    name: str
    key: str | None = None

    @property
    def mcp(self) -> str:
        """The address of the MCP endpoint."""
        return f"{self.url}/mcp"

    def bearer(self, reference: str) -> dict[str, str]:
        """The headers that carry the key."""
        return {"Authorization": f"Bearer {self.key or reference}"}


@dataclass(frozen=True)
class Program:
    """A program that speaks MCP.

    `user` and `project` list where its file may lie: the first that exists is taken, else the first.
    `servers` is the path of the object that its servers stand in; `inputs` that of a list of questions, if it has one.
    """

    name: str
    title: str
    user: Callable[[Where], list[Path]]
    project: Callable[[Where], list[Path]] | None
    servers: tuple[str, ...]
    entry: Callable[[Server], dict[str, Any]]
    asks: Callable[[Server], dict[str, Any]] | None = None
    keeps_key: bool = True
    """Whether an entry for one user holds the key itself; not where the program has a better way."""
    refers: bool = True
    """Whether an entry can refer to the environment; where it cannot, what is shown has a placeholder for the key."""
    instructions: str = "its standing instructions"
    """Where an agent is told when to remember."""
    then: str = "Restart it to take the entry up."

    def file(self, where: Where, *, project: bool) -> Path:
        """The file to write to. Left when a project's leads out of the project, to where no project has a say."""
        if project and self.project is None:
            raise ValueError(f"{self.title} has no configuration for a project")
        candidates = (self.project if project and self.project else self.user)(where)
        found = next((candidate for candidate in candidates if candidate.exists()), candidates[0])
        try:
            file = found.resolve()  # through a symbolic link, so that the link stays one
        except (OSError, RuntimeError) as error:  # a link that leads to itself
            raise Left(f"{found} leads nowhere: {error}") from error
        if project and not file.is_relative_to(where.project.resolve()):
            raise Left(f"{found} leads out of the project, to {file}. Nothing was changed: is the link meant?")
        return file


def _claude_code(server: Server) -> dict[str, Any]:
    return {"type": "http", "url": server.mcp, "headers": server.bearer(f"${{{KEY_VARIABLE}}}")}


def _claude_desktop(server: Server) -> dict[str, Any]:
    found = shutil.which("loci")
    command, args = (found, ["mcp"]) if found else (sys.executable, ["-m", "loci_client", "mcp"])
    environment = {"LOCI_URL": server.url, **({KEY_VARIABLE: server.key} if server.key else {})}
    return {"command": command, "args": args, "env": environment}


def _cursor(server: Server) -> dict[str, Any]:
    return {"url": server.mcp, "headers": server.bearer(f"${{env:{KEY_VARIABLE}}}")}


def _vscode(server: Server) -> dict[str, Any]:
    return {"type": "http", "url": server.mcp, "headers": server.bearer(f"${{input:{server.name}-key}}")}


def _vscode_asks(server: Server) -> dict[str, Any]:
    return {
        "type": "promptString",
        "id": f"{server.name}-key",
        "description": f"Service key for {server.url}",
        "password": True,
    }


def _opencode(server: Server) -> dict[str, Any]:
    headers = server.bearer(f"{{env:{KEY_VARIABLE}}}")
    return {"type": "remote", "url": server.mcp, "oauth": False, "headers": headers}


OPENCODE_FILES = ("opencode.json", "opencode.jsonc")
OPENCODE_INSTRUCTIONS = "~/.config/opencode/AGENTS.md (all projects) or AGENTS.md (one project)"


def _opencode_files(where: Where) -> list[Path]:
    return [where.dotconfig() / "opencode" / name for name in OPENCODE_FILES]


def _opencode_project(where: Where) -> list[Path]:
    return [where.project / name for name in OPENCODE_FILES]


PROGRAMS = {
    program.name: program
    for program in (
        Program(
            "claude-code",
            "Claude Code",
            lambda where: [where.home / ".claude.json"],
            lambda where: [where.project / ".mcp.json"],
            ("mcpServers",),
            _claude_code,
            instructions="~/.claude/CLAUDE.md (all projects) or CLAUDE.md (one project)",
        ),
        Program(
            "claude-desktop",
            "Claude Desktop",
            lambda where: [where.applications() / "Claude" / "claude_desktop_config.json"],
            None,
            ("mcpServers",),
            _claude_desktop,
            refers=False,
            instructions="the instructions of a project, or Settings, Profile",
        ),
        Program(
            "cursor",
            "Cursor",
            lambda where: [where.home / ".cursor" / "mcp.json"],
            lambda where: [where.project / ".cursor" / "mcp.json"],
            ("mcpServers",),
            _cursor,
            instructions="Settings, Rules (all projects) or AGENTS.md (one project)",
        ),
        Program(
            "vscode",
            "VS Code",
            lambda where: [where.applications() / "Code" / "User" / "mcp.json"],
            lambda where: [where.project / ".vscode" / "mcp.json"],
            ("servers",),
            _vscode,
            _vscode_asks,
            keeps_key=False,
            instructions=".github/copilot-instructions.md",
            then="VS Code asks for the key when it first starts the server, and keeps it safe.",
        ),
        Program(
            "opencode",
            "opencode",
            _opencode_files,
            _opencode_project,
            ("mcp", "servers"),
            _opencode,
            instructions=OPENCODE_INSTRUCTIONS,
            then="Restart it to take the entry up. opencode 1 has no `servers`: for it, connect opencode-1 instead.",
        ),
        Program(
            "opencode-1",
            "opencode 1",
            _opencode_files,
            _opencode_project,
            ("mcp",),
            _opencode,
            instructions=OPENCODE_INSTRUCTIONS,
        ),
    )
}
