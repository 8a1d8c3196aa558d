"""The demo tenant that the first start creates, and what the terminal says about it."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping

from loci.local.children import ending, spawn
from loci.local.errors import CannotRun
from loci.local.places import ROOT, Places, last_line, open_log, write_private

TENANT = "demo"
QUESTION = '{"query": "how do I connect Claude Code?"}'
PARTS = (("docs", "--include", "connect.md"), ("docs",), ("README.md",))
"""What is read, in order; first what the question is about."""
NOT_FOR_USERS = ("seeds.md", "decisions/*", "tools.md")


def manage(*arguments: str) -> list[str]:
    """The command line of a management command."""
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def ensure(places: Places, env: Mapping[str, str], url: str) -> dict[str, str]:
    """The demo's sign-in and key: created by the very first start, afterwards only read.

    Raises `CannotRun` when `create_demo` fails.
    """
    if places.demo_file.is_file():
        demo: dict[str, str] = json.loads(places.demo_file.read_text())
    else:
        demo = _create(places, env)
    if demo.get("url") != url:
        demo["url"] = url
        write_private(places.demo_file, json.dumps(demo, indent=1) + "\n")
    return demo


def _create(places: Places, env: Mapping[str, str]) -> dict[str, str]:
    log = places.log("setup")
    with open_log(log) as errors:
        done = subprocess.run(
            manage("create_demo", "--json"), cwd=ROOT, env=dict(env), stdout=subprocess.PIPE, stderr=errors, check=False
        )
    if done.returncode != 0:
        raise CannotRun(f"The demo could not be created: {last_line(log)} (log: {log})")
    try:
        # other code may print; the answer is the last line
        answer: dict[str, str] = json.loads(done.stdout.decode().strip().splitlines()[-1])
    except (ValueError, IndexError) as error:
        raise CannotRun(f"The demo could not be created: create_demo answered no JSON (log: {log})") from error
    return answer


def key_holds(demo: Mapping[str, str]) -> bool:
    """Whether the running Loci still takes the demo's key; never asked through a proxy."""
    request = urllib.request.Request(f"{demo['url']}/api/v1/status", headers={"X-API-Key": demo["service_key"]})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5):
            return True
    except urllib.error.HTTPError as error:
        return error.code != 401
    except OSError:  # whatever this is, the key is not to blame
        return True


def banner(demo: Mapping[str, str], places: Places, *, key_holds: bool) -> str:
    """What to do now: the console, the sign-in, and a request that works when pasted; without a key that holds, how to
    get another: none is made unasked, since somebody revoked it or let it expire."""
    return "\n".join(
        [
            "",
            f"  Loci runs at  {demo['url']}",
            f"  Sign in as    {demo['email']}",
            f"  Password      {demo['password']}",
            *(_with_key(demo) if key_holds else [_without_key(places)]),
            "",
            "  Ctrl-C stops everything; the data stay.",
            "",
        ]
    )


def _with_key(demo: Mapping[str, str]) -> list[str]:
    return [
        f"  Service key   {demo['service_key']}",
        f"  Connect an agent at  {demo['url']}/t/{TENANT}/connect",
        "",
        "  Ask its memory, into which Loci's own documentation is read. At the first start a line here says when that",
        "  is done; until then this may find nothing, or not the best:",
        "",
        f"  curl -sS --fail-with-body {demo['url']}/api/v1/recall -H 'X-API-Key: {demo['service_key']}'"
        f" -H 'Content-Type: application/json' -d '{QUESTION}'",
    ]


def _without_key(places: Places) -> str:
    return (
        f"  Service key   was revoked or has expired: delete {places.demo_file} and start again for another key and"
        " another password"
    )


class FirstIngest:
    """Loci's own documentation goes into the demo's memory, in the background of the first start."""

    def __init__(self, places: Places, env: Mapping[str, str], say: Callable[[str], None]) -> None:
        self._mark = places.var / "docs-ingested"
        self._log = places.log("ingest")
        self._env = env
        self._say = say
        self._waiting = [] if self._mark.exists() else [*PARTS]
        self._failed = False
        self._process: subprocess.Popen[bytes] | None = None

    def tend(self) -> None:
        """Begin the next part when the one before is done. A part that fails is reported once, not repeated."""
        if self._process:
            code = self._process.poll()
            if code is None:
                return
            self._process = None
            if code != 0:
                self._failed = True
                self._say(
                    f"The documentation was not ingested ({ending(code)}): {last_line(self._log)} (log: {self._log})"
                )
            if not self._waiting:
                self._mark.touch()
                if not self._failed:
                    self._say("The documentation is read: ask it what you like, in the namespace loci-docs.")
        if self._waiting:
            path, *chosen = self._waiting.pop(0)
            command = manage("ingest", path, "--tenant", TENANT, "--namespace", "loci-docs", *chosen)
            command += [word for pattern in NOT_FOR_USERS for word in ("--exclude", pattern)]
            self._process = spawn(command, self._env, self._log)

    def stop(self) -> None:
        """End it; an interrupted ingest begins again at the next start."""
        if self._process and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._process = None
