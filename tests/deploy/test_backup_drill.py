"""The drill: what was stored is backed up, restored elsewhere, and answers there as it did; and what is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.apps import apps

from loci.backups import programs
from loci.backups.dump import back_up
from loci.backups.errors import BackupError
from loci.backups.programs import find_programs
from loci.ground import libpq
from loci.local.throwaway import TEST_SECRETS
from tests.cast import Caller
from tests.commands.conftest import Run, fails, run
from tests.deploy.conftest import Fresh
from tests.deploy.production import environment, manage
from tests.deploy.served import LOCAL, ask, web

__all__ = ["fails", "run"]
TEXTS = ("The boiler was replaced in March.", "Dana prefers secure message to fax.", "Наш сервер стоит в подвале.")
RECALL = {"query": "how does Dana want messages", "limit": 3}
FORBIDDEN = ("UPDATE tenants_auditevent SET actor = 'x'", "CREATE TABLE mine ()", "TRUNCATE memory_memory")
POLICIES = "SELECT tablename, policyname, qual, with_check FROM pg_policies ORDER BY 1, 2"
# a right that is granted and one that is there by default are the same right
TABLE_RIGHTS = """
SELECT c.relname, a.grantee::regrole::text, a.privilege_type FROM pg_class AS c,
    aclexplode(coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) AS a
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'S') ORDER BY 1, 2, 3
"""
FUNCTION_RIGHTS = """
SELECT p.proname, p.prosecdef, p.proconfig, a.grantee, a.privilege_type FROM pg_proc AS p,
    aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a
WHERE p.pronamespace = 'public'::regnamespace AND p.proname LIKE 'loci%' ORDER BY 1, 4, 5
"""
DEFAULT_RIGHTS = "SELECT defaclobjtype::text, defaclacl::text FROM pg_default_acl ORDER BY 1, 2"
SCHEMA_RIGHTS = "SELECT nspacl::text FROM pg_namespace WHERE nspname = 'public'"


def _environment(folder: Path, urls: tuple[str, str], **changes: str | None) -> dict[str, str]:
    """Of the restored installation: the same secrets, another database."""
    return environment(
        folder, **{**LOCAL, **TEST_SECRETS, "DATABASE_URL": urls[0], "DATABASE_OWNER_URL": urls[1], **changes}
    )


def _counts(address: str) -> dict[str, int]:
    """How many rows each table has, as the owner sees it."""
    tables = [model._meta.db_table for model in apps.get_models(include_auto_created=True)]
    with psycopg.connect(address) as session:
        return {
            table: (session.execute(f'SELECT count(*) FROM "{table}"').fetchone() or (0,))[0]  # type: ignore[arg-type]
            for table in tables
        }


def _conninfo(url: str) -> str:
    """A URL of django-environ's form as libpq reads it."""
    import environ

    found = environ.Env.db_url_config(url)
    return psycopg.conninfo.make_conninfo(
        host=found["HOST"].replace("%2F", "/"),
        port=found["PORT"],
        user=found["USER"],
        password=found["PASSWORD"],
        dbname=found["NAME"],
    )


def _own() -> str:
    return psycopg.conninfo.make_conninfo(**libpq.parameters("owner"))


@pytest.fixture
def filled(alice: Caller, charlie: Caller) -> Iterator[tuple[Caller, Caller]]:
    """Both tenants remember the same texts; alice's first memory was corrected and her last one retracted."""
    first, *_, last = alice.remember(*TEXTS, source="handbook", metadata={"year": 2024})
    assert alice.call("PATCH", f"memories/{first}", {"text": "The boiler was replaced in May."}).status_code == 200
    assert alice.post("invalidate", {"ids": [last]}).status_code == 200
    charlie.remember(*TEXTS)
    yield alice, charlie


def _results(answer: dict[str, Any]) -> list[tuple[str, str, float]]:
    return [(result["id"], result["text"], round(result["score"], 6)) for result in answer["results"]]


@pytest.mark.committed
def test_a_restored_backup_answers_as_before_and_still_keeps_tenants_apart(
    filled: tuple[Caller, Caller], fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    alice, charlie = filled
    before, counted = _results(alice.recall(**RECALL)), _counts(_own())
    file = tmp_path / "loci.dump"
    run("backup", file)
    urls = fresh_database()
    env = _environment(tmp_path, urls)
    done = manage(env, "restore", file)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert _counts(_conninfo(urls[1])) == counted
    with web(env, tmp_path / "web.log") as address:
        assert _results(ask(address, alice.key, "/api/v1/recall", RECALL)) == before
        theirs = ask(address, charlie.key, "/api/v1/recall", RECALL)["results"]
        assert {result["id"] for result in theirs} & {result[0] for result in before} == set()
        assert ask(address, alice.key, "/readyz") == {
            "status": "ready", "database": True, "migrations": True, "row_level_security": True,
        }  # fmt: skip
        ask(address, alice.key, "/api/v1/memories", {"items": [{"text": "Written after the restore."}]})
    said = json.loads(manage(env, "doctor", "--json").stdout)
    states = {check["check"]: check["state"] for check in said["checks"]}
    assert {states[name] for name in ("role", "row-level security", "migrations", "stored secrets")} == {"ok"}


@pytest.mark.committed
def test_row_level_security_and_rights_come_back_with_a_backup(
    filled: tuple[Caller, Caller], fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "loci.dump"
    run("backup", file)
    urls = fresh_database()
    assert manage(_environment(tmp_path, urls), "restore", file).returncode == 0
    with psycopg.connect(_conninfo(urls[0]), autocommit=True) as app:
        assert app.execute("SELECT count(*) FROM memory_version").fetchone() == (0,)
        for statement in FORBIDDEN:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                app.execute(statement)  # type: ignore[call-overload]
    with psycopg.connect(_own()) as ours, psycopg.connect(_conninfo(urls[1])) as theirs:
        for question in (POLICIES, TABLE_RIGHTS, FUNCTION_RIGHTS, DEFAULT_RIGHTS, SCHEMA_RIGHTS):
            wanted = ours.execute(question).fetchall()  # type: ignore[call-overload]
            assert wanted and theirs.execute(question).fetchall() == wanted  # type: ignore[call-overload]


@pytest.mark.committed
def test_a_backup_is_whole_private_and_alone_in_its_folder(alice: Caller, tmp_path: Path, run: Run) -> None:
    told = json.loads(run("backup", tmp_path, "--json"))
    (file,) = tmp_path.iterdir()
    assert (told["file"], told["bytes"], told["removed"]) == (str(file), file.stat().st_size, [])
    assert file.stat().st_mode & 0o777 == 0o600
    assert told["tables"] >= len(list(apps.get_models()))


@pytest.mark.committed
def test_of_a_folder_only_the_newest_backups_stay(alice: Caller, tmp_path: Path) -> None:
    for name in ("loci-20200101T000000Z.dump", "loci-20210101T000000Z.dump", "mine.dump"):
        (tmp_path / name).write_text("older")
    made = back_up(tmp_path, keep=2)
    assert {path.name for path in tmp_path.iterdir()} == {"mine.dump", "loci-20210101T000000Z.dump", made.file.name}
    assert [path.name for path in made.removed] == ["loci-20200101T000000Z.dump"]


@pytest.mark.committed
def test_a_database_that_is_not_empty_is_replaced_only_when_that_is_asked_for(
    alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    alice.remember("In the backup.")
    file = tmp_path / "loci.dump"
    run("backup", file)
    env = _environment(tmp_path, fresh_database())
    assert manage(env, "restore", file).returncode == 0
    assert manage(env, "create_tenant", "latecomer").returncode == 0
    again = manage(env, "restore", file)
    assert (again.returncode, again.stdout) == (1, "")
    assert "is not empty" in again.stderr and len(again.stderr.splitlines()) == 1
    assert manage(env, "list_keys", "latecomer").returncode == 0
    assert manage(env, "restore", file, "--replace").returncode == 0
    assert manage(env, "list_keys", "latecomer").returncode == 1
    assert manage(env, "list_keys", "acme").returncode == 0


@pytest.mark.committed
def test_a_damaged_backup_is_found_out_before_anything_is_dropped(
    alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    alice.remember(*(f"Line {number} of a log." for number in range(60)))
    file = tmp_path / "loci.dump"
    run("backup", file)
    env = _environment(tmp_path, fresh_database())
    assert manage(env, "restore", file).returncode == 0
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) * 2 // 3])
    done = manage(env, "restore", file, "--replace")
    assert done.returncode == 1 and "pg_restore failed" in done.stderr, done.stderr
    assert manage(env, "list_keys", "acme").returncode == 0


@pytest.mark.committed
def test_secrets_that_do_not_fit_the_backup_are_told(
    alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "loci.dump"
    run("backup", file)
    other = environment(tmp_path)
    env = _environment(
        tmp_path,
        fresh_database(),
        KEY_PEPPERS=other["KEY_PEPPERS"].replace("p1:", "p2:"),
        ENCRYPTION_KEYS=other["ENCRYPTION_KEYS"],
    )
    done = manage(env, "restore", file)
    assert done.returncode == 0
    assert "no key of ENCRYPTION_KEYS opens the secrets of 1 tenant(s)" in done.stderr
    assert "KEY_PEPPERS lacks p1" in done.stderr
    assert manage(env, "doctor").returncode == 2


@pytest.mark.committed
def test_a_backup_of_a_newer_release_is_refused(alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "loci.dump"
    run("backup", file)
    env = _environment(tmp_path, fresh_database())
    assert manage(env, "restore", file).returncode == 0
    with psycopg.connect(_conninfo(env["DATABASE_OWNER_URL"])) as session:
        session.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '9999_later', now())")
    newer = tmp_path / "newer.dump"
    assert manage(env, "backup", newer).returncode == 0
    done = manage(_environment(tmp_path, fresh_database()), "restore", newer)
    assert done.returncode == 1 and "newer Loci" in done.stderr and "memory.9999_later" in done.stderr


@pytest.mark.committed
def test_a_backup_of_other_roles_is_refused(alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "loci.dump"
    run("backup", file)
    app, owner = fresh_database()
    done = manage(_environment(tmp_path, (app.replace("//loci_app:", "//another:"), owner)), "restore", file)
    assert done.returncode == 1 and "the names must be the same" in done.stderr


@pytest.mark.committed
def test_a_backup_without_every_table_does_not_count(
    alice: Caller, fresh_database: Fresh, tmp_path: Path, run: Run
) -> None:
    file = tmp_path / "loci.dump"
    run("backup", file)
    env = _environment(tmp_path, fresh_database())
    assert manage(env, "restore", file).returncode == 0
    with psycopg.connect(_conninfo(env["DATABASE_OWNER_URL"])) as session:
        session.execute("DROP TABLE memory_sign")
    done = manage(env, "backup", tmp_path / "lacking.dump")
    assert done.returncode == 1 and "lacks memory_sign" in done.stderr
    assert [path.name for path in tmp_path.glob("*lacking*")] == []


@pytest.mark.committed
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("restore", "nowhere.dump"), "There is no file"),
        (("restore", "text.dump"), "pg_restore failed"),
        (("backup", "text.dump"), "exists"),
        (("backup", "no/such/folder/x.dump"), "cannot be written"),
        (("backup", "new.dump", "--keep", "3"), "--keep goes with a folder"),
        (("backup", "new.dump", "--keep", "0"), "--keep is a number"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    alice: Caller, fails: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], message: str
) -> None:
    (tmp_path / "text.dump").write_text("This is no dump.")
    monkeypatch.chdir(tmp_path)
    assert message in fails(*arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["text.dump"]


def test_the_application_alone_cannot_back_up(tmp_path: Path, db: None) -> None:
    env = environment(tmp_path, DATABASE_OWNER_URL=None, **LOCAL)
    done = manage(env, "backup", tmp_path / "x.dump", "--skip-checks")
    assert done.returncode == 1 and "DATABASE_OWNER_URL is not set" in done.stderr


def test_an_owner_that_does_not_get_in_is_said(tmp_path: Path) -> None:
    done = manage(environment(tmp_path, **LOCAL), "backup", tmp_path / "x.dump")
    assert done.returncode == 1
    assert "The owner does not get in (DATABASE_OWNER_URL)" in done.stderr and len(done.stderr.splitlines()) == 1


def test_programs_too_old_for_the_server_or_without_tls_are_not_taken() -> None:
    with pytest.raises(BackupError, match="of PostgreSQL 99 or newer are needed"):
        find_programs(99, {})
    assert find_programs(15, {}).major >= 15


def test_the_wheels_programs_are_left_aside_for_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    assert find_programs(18, {"sslmode": "prefer"}).major == 18
    with pytest.raises(BackupError, match="with TLS"):
        find_programs(18, {"sslmode": "verify-full"})


def test_no_password_stands_on_a_command_line() -> None:
    found = programs.Programs(Path("/nonexistent"), 18, {"host": "db", "user": "loci_owner", "password": "hush hush"})
    assert found.address() == "host=db user=loci_owner"
