"""deploy/postgres/roles.sql makes of a new server one that Loci runs on, and running it again is safe."""

import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from loci.local.binaries import packaged
from loci.local.postgres import Cluster
from tests.deploy.production import environment, manage
from tests.deploy.served import LOCAL
from tests.local.running import ROOT

PASSWORDS = {"LOCI_OWNER_PASSWORD": 'owner\'s "pass\\word" of 24', "LOCI_APP_PASSWORD": "app-password-of-22-sign"}
RIGHTS = "SELECT rolcanlogin, rolsuper, rolcreatedb, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = %s"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A server as initdb makes it, in a folder that its own user may enter."""
    with tempfile.TemporaryDirectory(prefix="loci-roles-") as name:
        Path(name).chmod(0o755)
        cluster = Cluster(Path(name) / "pg")
        cluster.start()
        try:
            yield cluster
        finally:
            cluster.stop()


def _run(cluster: Cluster, **env: str) -> "subprocess.CompletedProcess[str]":
    """The script as the start script of the image runs it: psql, as the superuser."""
    login = {"PGHOST": str(cluster.socket_folder), "PGUSER": "postgres", "PGPASSWORD": cluster.password("postgres")}
    return subprocess.run(
        [packaged() / "bin" / "psql", "-v", "ON_ERROR_STOP=1", "--no-password", "--no-psqlrc", "-d", "postgres",
         "-f", ROOT / "deploy/postgres/roles.sql"],
        env={"PATH": os.defpath, **login, **env}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def _url(cluster: Cluster, role: str, password: str, database: str = "loci") -> str:
    return f"postgres://{role}:{quote(password, safe='')}@:5432/{quote(str(cluster.socket_folder))}/{database}"


def _login(cluster: Cluster, role: str, password: str) -> "psycopg.Connection":
    return psycopg.connect(host=str(cluster.socket_folder), user=role, password=password, dbname="loci")


def test_without_passwords_nothing_is_made(cluster: Cluster) -> None:
    for env in ({}, {"LOCI_OWNER_PASSWORD": "x" * 20}, {**PASSWORDS, "LOCI_APP_PASSWORD": "short"}):
        done = _run(cluster, **env)
        assert done.returncode != 0 and "must both be set" in done.stderr
    with cluster.connect() as session:
        assert session.execute("SELECT count(*) FROM pg_roles WHERE rolname LIKE 'loci%'").fetchone() == (0,)


def test_migrations_run_and_the_doctor_is_content(cluster: Cluster, tmp_path: Path) -> None:
    done = _run(cluster, **PASSWORDS)
    assert done.returncode == 0, done.stderr
    owner = _url(cluster, "loci_owner", PASSWORDS["LOCI_OWNER_PASSWORD"])
    app = _url(cluster, "loci_app", PASSWORDS["LOCI_APP_PASSWORD"])
    env = environment(tmp_path, **LOCAL, DATABASE_URL=app, DATABASE_OWNER_URL=owner)
    migrated = manage(env, "migrate", "--database=owner", "--no-input")
    assert migrated.returncode == 0, migrated.stderr
    # as web, worker and beat run: the owner's name, and no password
    env["DATABASE_OWNER_URL"] = "postgres://loci_owner@postgres/loci"
    told = json.loads(manage(env, "doctor", "--json").stdout)
    assert [check["check"] for check in told["checks"] if check["state"] != "ok"] == ["workers"]
    assert manage(env, "create_tenant", "acme").returncode == 0
    assert manage(env, "migrate", "--database=owner", "--check").returncode != 0


def test_the_roles_can_do_no_more_than_they_must(cluster: Cluster) -> None:
    with cluster.connect() as session:
        for role in ("loci_owner", "loci_app"):
            assert session.execute(RIGHTS, [role]).fetchone() == (True, False, False, False, False)
        rights = session.execute("SELECT datacl::text FROM pg_database WHERE datname = 'loci'").fetchone()
    assert rights == ("{loci_owner=CTc/loci_owner,loci_app=c/loci_owner}",)
    with _login(cluster, "loci_app", PASSWORDS["LOCI_APP_PASSWORD"]) as session:
        assert session.execute("SHOW jit").fetchone() == ("off",)


def test_running_it_again_gives_new_passwords_and_keeps_everything_else(cluster: Cluster) -> None:
    changed = {name: f"another-{value}" for name, value in PASSWORDS.items()}
    assert _run(cluster, **changed).returncode == 0
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        _login(cluster, "loci_app", PASSWORDS["LOCI_APP_PASSWORD"])
    with _login(cluster, "loci_owner", changed["LOCI_OWNER_PASSWORD"]) as session:
        assert session.execute("SELECT count(*) FROM tenants_tenant").fetchone() == (1,)


def test_another_database_may_be_named(cluster: Cluster) -> None:
    assert _run(cluster, **PASSWORDS, LOCI_DATABASE="loci-second").returncode == 0
    with cluster.connect(database="loci-second") as session:
        found = {name for (name,) in session.execute("SELECT extname FROM pg_extension")}
    assert {"vector", "btree_gist"} <= found


def test_no_password_gets_into_the_servers_log(cluster: Cluster) -> None:
    with cluster.connect() as session:
        session.execute("ALTER SYSTEM SET log_statement = 'all'")
        session.execute("SELECT pg_reload_conf()")
    assert _run(cluster, **PASSWORDS).returncode == 0
    log = cluster.log.read_text()
    assert "password-of-22" not in log and 'word\\" of 24' not in log
