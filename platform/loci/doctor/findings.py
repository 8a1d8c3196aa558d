"""A finding, and what many of them amount to. Pure: it is needed when not even the settings can be read."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum


class State(StrEnum):
    """How it stands with what was looked at; SKIP when it could not be looked at because something else fails."""

    OK = "ok"
    SKIP = "skip"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found. `message` says what is, `remedy` what to do; neither ever holds a secret."""

    check: str
    state: State
    message: str
    remedy: str = ""


def ok(check: str, message: str) -> Finding:
    return Finding(check, State.OK, message)


def warn(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, State.WARN, message, remedy)


def fail(check: str, message: str, remedy: str) -> Finding:
    return Finding(check, State.FAIL, message, remedy)


def exit_code(findings: Sequence[Finding]) -> int:
    """0 when all is well, 1 when something should be seen to, 2 when something does not work."""
    states = {finding.state for finding in findings}
    return 2 if State.FAIL in states else 1 if State.WARN in states else 0


def as_text(findings: Sequence[Finding]) -> str:
    """A line for each finding, its remedy below it."""
    width = max(len(finding.check) for finding in findings)
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:<4}  {finding.check:<{width}}  {finding.message}")
        if finding.remedy:
            lines.append(f"{'':{width + 6}}  → {finding.remedy}")
    return "\n".join(lines)


def as_json(findings: Sequence[Finding]) -> str:
    """One object: `state` is the worst of all, `checks` the findings in order."""
    state = (State.OK, State.WARN, State.FAIL)[exit_code(findings)]
    return json.dumps({"state": state, "checks": [asdict(finding) for finding in findings]}, indent=1)
