"""Gives a test run its PostgreSQL and its settings before Django looks for them.

The process that pytest was started in runs the cluster; xdist's workers inherit its environment.
`LOCI_TEST_DB=off` runs tests that need no database without one.
"""

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Skips that continuous integration accepts: they need a file that cannot be part of the repository.
ACCEPTED_SKIPS = ("not set: LOCOMO_FILE",)

_cluster = contextlib.ExitStack()
_refused_skips: list[str] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Before pytest-django, which reads the settings in the same hook."""
    known = early_config.known_args_namespace
    if not (known.help or known.version or os.environ.get("PYTEST_XDIST_WORKER")):
        _start()
    yield


def _start() -> None:
    for path in (str(ROOT / "platform"), str(ROOT)):
        if path not in sys.path:
            sys.path.insert(0, path)
    from loci.local.errors import CannotRun
    from loci.local.throwaway import throwaway

    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
    try:
        os.environ.update(_cluster.enter_context(throwaway(ROOT / "var" / "test")))
    except CannotRun as error:
        raise pytest.UsageError(str(error)) from error


def pytest_unconfigure() -> None:
    """Stop the cluster; in a worker there is nothing to stop."""
    _cluster.close()


def _notice(report: pytest.TestReport | pytest.CollectReport) -> None:
    if not report.skipped or hasattr(report, "wasxfail") or not os.environ.get("CI"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not reason.removeprefix("Skipped: ").startswith(ACCEPTED_SKIPS):
        _refused_skips.append(f"{report.nodeid}: {reason}")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _notice(report)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    _notice(report)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A skip in continuous integration hides that something was not tested: it fails the run."""
    if _refused_skips and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _refused_skips:
        terminalreporter.section("skipped, which CI does not accept")
        for line in _refused_skips:
            terminalreporter.line(line)
