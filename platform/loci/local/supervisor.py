"""`make run`: the database, the web server, the worker and the beat, from the first start to Ctrl-C."""

import fcntl
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from types import FrameType
from typing import TextIO

from loci.local import demo, envfile, ports
from loci.local.children import Child, ending, record, rotate_logs, stop_leftovers
from loci.local.errors import CannotRun
from loci.local.places import ROOT, Places, last_line, open_log
from loci.local.postgres import APP, OWNER, Cluster
from loci.processes import PROCESSES

DATABASE = "loci"
READY_SECONDS = 60.0
TICK_SECONDS = 0.5
DATABASE_ATTEMPTS = 5
LOGS = ("web", "worker", "beat", "postgres", "setup", "ingest")


def say(line: str) -> None:
    """Print a line at once, also into a pipe; a terminal that has gone must not keep Loci from stopping."""
    try:
        print(line, flush=True)
    except OSError:
        pass


class Supervisor:
    """One running Loci. `run` returns when it has been asked to stop and everything is stopped."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.cluster = Cluster(places.var / "pg", log=places.var / "log" / "postgres.log", say=say)
        self.children: list[Child] = []
        self.ingest: demo.FirstIngest | None = None
        self.signals = 0

    def run(self) -> None:
        """Start all, tend all, stop all. Raises `CannotRun` after stopping what had been started."""
        self.places.prepare()
        with self._only_one():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, self._signalled)
            try:
                self._start()
                while not self.signals:
                    self._tend()
                    time.sleep(TICK_SECONDS)
            except Stopped:
                pass
            except CannotRun:
                # Ctrl-C reaches initdb, migrate and create_demo too: then it is no failure
                if not self.signals:
                    raise
            finally:
                self._stop()

    def _only_one(self) -> TextIO:
        """Hold the lock that says that Loci runs from this folder."""
        lock = running_lock(self.places)
        if lock is None:
            pid = (self.places.var / "run.lock").read_text().strip()
            raise CannotRun(f"Loci already runs from {self.places.var} (process {pid}): stop it there with Ctrl-C.")
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        return lock

    def _signalled(self, number: int, frame: FrameType | None) -> None:
        self.signals += 1

    def _start(self) -> None:
        port = ports.chosen()
        if stop_leftovers(self.places):
            say("Stopped what an earlier run had left behind.")
        ports.demand(port)
        rotate_logs(self.places, LOGS)
        url = f"http://{ports.HOST}:{port}"
        say("Starting PostgreSQL …")
        self.cluster.start()
        self.cluster.prepare(DATABASE)
        env = self._environment(url)
        self._pause_for_signals()
        say("Bringing the database up to date …")
        self._command(env, "The database could not be brought up to date", "migrate", "--database=owner", "--no-input")
        facts = demo.ensure(self.places, env, url)
        self._pause_for_signals()
        say("Starting web, worker and beat …")
        self._start_children(env, port)
        self._wait_ready(url)
        self.ingest = demo.FirstIngest(self.places, env, say)
        say(demo.banner(facts, self.places, key_holds=demo.key_holds(facts)))

    def _environment(self, url: str) -> dict[str, str]:
        """The children's environment: ours, less what another project may have left in it."""
        addresses = {
            "DATABASE_URL": self.cluster.url(APP, DATABASE),
            "DATABASE_OWNER_URL": self.cluster.url(OWNER, DATABASE),
            "CELERY_BROKER_FOLDER": str(self.places.broker),
            "PUBLIC_URL": url,
        }
        values = envfile.renew(self.places.env_file, addresses)
        managed = {name: values[name] for name in (*envfile.SECRETS, *addresses)}
        foreign = ("PG", "UVICORN_", *(f"{name}_FILE" for name in managed))
        kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
        fixed = {
            "DJANGO_SETTINGS_MODULE": "loci.settings",
            "LOCI_ENV_FILE": str(self.places.env_file),
            "LOCI_VAR": str(self.places.var),
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "platform")]),
            "PYTHONUNBUFFERED": "1",
        }
        return kept | managed | fixed

    def _command(self, env: Mapping[str, str], complaint: str, *arguments: str) -> None:
        log = self.places.log("setup")
        with open_log(log) as output:
            since = output.seek(0, os.SEEK_END)
            code = subprocess.run(
                demo.manage(*arguments), cwd=ROOT, env=dict(env), stdout=output, stderr=output, check=False
            ).returncode
        self._pause_for_signals()
        if code != 0:
            raise CannotRun(f"{complaint} ({ending(code)}): {last_line(log, since=since)} (log: {log})")

    def _start_children(self, env: Mapping[str, str], port: int) -> None:
        environment = {**env, "BIND": f"{ports.HOST}:{port}"}
        for name, command_line in PROCESSES.items():
            child = Child(name, command_line(environment), environment, self.places.log(name), say)
            self.children.append(child)
            child.start()
        record(self.places, self.children)

    def _wait_ready(self, url: str) -> None:
        web = self.children[0]
        end = time.monotonic() + READY_SECONDS
        while not answers(f"{url}/readyz"):
            self._pause_for_signals()
            code = web.exit_code()
            if code is not None:
                raise CannotRun(f"The web server ended ({ending(code)}): {web.reason()}")
            if time.monotonic() > end:
                raise CannotRun(f"The web server is not ready after {READY_SECONDS:.0f} s: {web.reason()}")
            time.sleep(0.2)

    def _pause_for_signals(self) -> None:
        if self.signals:
            raise Stopped

    def _tend(self) -> None:
        if not self.cluster.running():
            self._revive_database()
        restarted = [child.tend() for child in self.children]
        if any(restarted):
            record(self.places, self.children)
        if self.ingest:
            self.ingest.tend()

    def _revive_database(self) -> None:
        say(f"PostgreSQL has stopped; starting it again. See {self.cluster.log}")
        for attempt in range(DATABASE_ATTEMPTS):
            self._pause_for_signals()
            try:
                self.cluster.start()
                return
            except CannotRun:
                if attempt == DATABASE_ATTEMPTS - 1:
                    raise
                time.sleep(2**attempt)

    def _stop(self) -> None:
        """Stop everything in reverse order; a second signal makes it quick."""
        patience = max(self.signals, 1)
        if self.signals:
            say("Stopping …")
        if self.ingest:
            self.ingest.stop()
        for child in reversed(self.children):
            child.stop(lambda: self.signals > patience)
        (self.places.var / "children.json").unlink(missing_ok=True)
        self.cluster.stop()
        if self.signals:
            say("Stopped. The data stay in place.")


class Stopped(Exception):
    """A signal asked Loci to stop while it was still starting."""


def running_lock(places: Places) -> TextIO | None:
    """The lock of a running Loci, taken; or None when a Loci that runs holds it."""
    lock = (places.var / "run.lock").open("a")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        return None
    return lock


def answers(url: str) -> bool:
    """Whether `url` answers 200 within 2 s; never through a proxy."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False
