"""What a run prints: tables as the suites measure, then all targets with what was reached."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass(frozen=True, slots=True)
class Target:
    """A figure beside what it should be; with `at_least`, more is better."""

    name: str
    figure: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the figure is good enough."""
        return self.figure >= self.limit if self.at_least else self.figure <= self.limit

    def line(self, width: int) -> str:
        """One line of the report."""
        sign = "≥" if self.at_least else "≤"
        unit = f" {self.unit}" if self.unit else ""
        reached, wanted = f"{self.figure:.3g}{unit}", f"target {sign} {self.limit:g}{unit}"
        return f"  {self.name:{width}}  {reached:>9}   {wanted:17}  {'met' if self.met else 'MISSED'}"


@dataclass(slots=True)
class Report:
    """Prints lines as they come, and keeps the targets for the end."""

    targets: list[Target] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    def title(self, text: str) -> None:
        """The heading of a suite."""
        print(f"\n== {text}", flush=True)

    def line(self, text: str) -> None:
        """A line of the report."""
        print(f"  {text}", flush=True)

    def progress(self, text: str) -> None:
        """A line for whoever waits, on stderr."""
        print(f"  [{time.monotonic() - self.began:6.1f} s] {text}", file=sys.stderr, flush=True)

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
        """Rows under a head: the first column to the left, figures to the right."""
        cells = [[str(cell) for cell in row] for row in (head, *rows)]
        widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
        for row in cells:
            first, *rest = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            self.line("  ".join([first.strip().ljust(widths[0]), *rest]))

    def target(self, name: str, figure: float, limit: float, unit: str = "", *, at_least: bool = False) -> None:
        """Remember a figure and its target."""
        self.targets.append(Target(name, figure, limit, unit, at_least))

    def finish(self) -> None:
        """All targets."""
        self.title("targets")
        width = max((len(target.name) for target in self.targets), default=0)
        for target in self.targets:
            print(target.line(width))
        missed = sum(not target.met for target in self.targets)
        took = time.monotonic() - self.began
        print(f"\n  {len(self.targets) - missed} met, {missed} missed; {took:.0f} s in all; {machine()}", flush=True)


def machine() -> str:
    """What ran it and how busy that is: with more load than processors, times are too long."""
    return f"{os.cpu_count()} processors, load average " + " ".join(f"{load:.1f}" for load in os.getloadavg())


def revision() -> str:
    """Which state of the code this is, when git knows."""
    command = ["git", "describe", "--always", "--dirty"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def percentiles(milliseconds: Sequence[float]) -> tuple[float, float]:
    """The 50th and the 95th."""
    p50, p95 = np.percentile(milliseconds, [50, 95])
    return float(p50), float(p95)
