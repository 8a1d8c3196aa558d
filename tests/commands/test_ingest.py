"""ingest: a folder of text files, again and again."""

import os
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from memory.services import ingest as service
from memory.services.lookup import list_memories
from tests.api.answers import problem, stored_rows
from tests.cast import Caller
from tests.commands.conftest import Run


@pytest.fixture(autouse=True)
def words_only(settings: Any) -> None:
    settings.EMBEDDER = "none"


@pytest.fixture
def notes(tmp_path: Path, alice: Caller) -> Path:
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.md").write_text("The parrot sings.\n")
    (folder / "deep" / "b.txt").write_text("The cat sleeps. " * 120)
    (folder / "picture.png").write_bytes(b"\x89PNG\xff")
    (folder / "empty.md").write_text("")
    (folder / "blank.md").write_text(" \n\n")
    return folder


def sources(caller: Caller) -> set[str]:
    return {record.payload["source"] for record in list_memories(caller.scope).records}


def test_text_files_are_stored_under_their_path(notes: Path, alice: Caller, run: Run) -> None:
    assert run("ingest", notes, "--tenant", "acme").startswith("4 files: 4 memories stored, 0 there already, 0 erased")
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt"}
    found = alice.recall("parrot")["results"][0]
    assert found["text"].strip() == "The parrot sings."
    assert found["metadata"]["index_root"] == "notes"
    (listed,) = alice.get("memories?source=notes/a.md").json()["items"]
    assert len(listed["content_hash"]) == 64


def test_running_it_again_changes_nothing(notes: Path, alice: Caller, run: Run) -> None:
    run("ingest", notes, "--tenant", "acme")
    before = [record.version for record in list_memories(alice.scope).records]
    assert "0 memories stored, 4 there already" in run("ingest", notes, "--tenant", "acme")
    assert [record.version for record in list_memories(alice.scope).records] == before


def test_an_interrupted_run_goes_on_where_it_stopped(
    notes: Path, alice: Caller, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    remember, calls = service.remember, []

    def interrupted(*args: Any, **options: Any) -> Any:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return remember(*args, **options)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(service, "remember", interrupted)
        call_command("ingest", notes, "--tenant", "acme")
    assert sources(alice) == {"notes/a.md"}
    assert "3 memories stored, 1 there already" in run("ingest", notes, "--tenant", "acme")


def test_prune_erases_what_the_folder_no_longer_holds_and_nothing_else(notes: Path, alice: Caller, run: Run) -> None:
    alice.remember("By hand.", source="notes/a.md")
    run("ingest", notes, "--tenant", "acme")
    (notes / "a.md").write_text("The parrot whistles.\n")
    (notes / "deep" / "b.txt").unlink()
    assert "1 memories stored, 0 there already, 4 erased" in run("ingest", notes, "--tenant", "acme", "--prune")
    assert {text.strip() for text in alice.found("parrot cat hand")} == {"The parrot whistles.", "By hand."}


def test_two_folders_with_roots_of_their_own_do_not_prune_each_other(notes: Path, alice: Caller, run: Run) -> None:
    run("ingest", notes, "--tenant", "acme", "--root", "one")
    other = notes.parent / "other"
    other.mkdir()
    (other / "c.md").write_text("A fish swims.")
    assert "0 erased" in run("ingest", other, "--tenant", "acme", "--root", "two", "--prune")
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt", "other/c.md"}


def test_recreate_does_not_start_without_a_yes(notes: Path, alice: Caller, run: Run) -> None:
    run("ingest", notes, "--tenant", "acme")
    with pytest.raises(CommandError) as caught:
        call_command("ingest", notes, "--tenant", "acme", "--recreate")
    assert caught.value.returncode == 2
    assert "--yes" in str(caught.value)
    assert len(sources(alice)) == 2
    shown = run("ingest", notes, "--tenant", "acme", "--recreate", "--yes")
    assert shown.startswith("Erased 4 memories of notes.")
    assert "4 memories stored" in shown


def exit_code(*args: Any) -> int:
    with pytest.raises(SystemExit) as caught:
        call_command(*args)
    code = caught.value.code
    assert isinstance(code, int)
    return code


def test_a_file_that_is_not_utf8_fails_alone(notes: Path, alice: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    (notes / "0.md").write_bytes(b"caf\xe9")
    assert exit_code("ingest", notes, "--tenant", "acme") == 1
    shown = capsys.readouterr()
    assert "0.md: UnicodeDecodeError" in shown.err
    assert "4 memories stored" in shown.out and "1 files failed" in shown.out
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt"}


def test_a_file_that_cannot_be_read_fails_alone_and_nothing_is_pruned(
    notes: Path, alice: Caller, run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run("ingest", notes, "--tenant", "acme")
    (notes / "deep" / "b.txt").unlink()
    read = Path.read_bytes

    def denied(path: Path) -> bytes:
        if path.name == "a.md":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert exit_code("ingest", notes, "--tenant", "acme", "--prune") == 1
    shown = capsys.readouterr()
    assert "Permission denied" in shown.err and "Nothing was pruned" in shown.err
    assert "0 erased, 1 files failed" in shown.out
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt"}


@pytest.mark.parametrize("name", ["a|b.md", "new\nline.md", "x" * 250 + ".md", os.fsdecode(b"caf\xe9.md")])
def test_a_file_with_a_name_that_cannot_be_a_source_fails_alone(
    notes: Path, alice: Caller, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (notes / name).write_text("Oddly named.")
    if len(name) > 200:  # long, but a rightful source
        call_command("ingest", notes, "--tenant", "acme")
        assert len(sources(alice)) == 3
        return
    assert exit_code("ingest", notes, "--tenant", "acme") == 1
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt"}
    assert "1 files failed" in capsys.readouterr().out


def test_symbolic_links_are_not_followed(notes: Path, alice: Caller, run: Run) -> None:
    outside = notes.parent / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("The vault code is 1234.")
    (notes / "link.md").symlink_to(outside / "secret.md")
    (notes / "folder").symlink_to(outside)
    (notes / "loop").symlink_to(notes)
    (notes / "dangling.md").symlink_to(notes / "nothing")
    run("ingest", notes, "--tenant", "acme")
    assert sources(alice) == {"notes/a.md", "notes/deep/b.txt"}
    assert alice.found("vault code") == [] or "1234" not in str(alice.found("vault code"))


def test_a_single_file_stands_for_itself(notes: Path, alice: Caller, run: Run) -> None:
    assert "1 files: 1 memories stored" in run("ingest", notes / "a.md", "--tenant", "acme")
    assert sources(alice) == {"a.md"}


def test_a_byte_order_mark_and_nul_are_no_text(notes: Path, alice: Caller, run: Run) -> None:
    (notes / "bom.md").write_bytes(b"\xef\xbb\xbfMarked\0 text.")
    run("ingest", notes / "bom.md", "--tenant", "acme")
    assert alice.found("marked") == ["Marked text."]


def test_a_full_quota_is_one_line(notes: Path, alice: Caller, run: Run, fails: Run) -> None:
    run("set_quota", "acme", "memories=0")
    assert "limit of 0 memories" in fails("ingest", notes, "--tenant", "acme")
    assert stored_rows(alice.tenant) == {}


def test_the_root_of_an_ingest_cannot_be_claimed_by_rest(alice: Caller) -> None:
    body = {"items": [{"text": "x", "metadata": {"index_root": "notes"}}]}
    problem(alice.post("memories", body), 400, "rule_broken")


def test_only_what_is_included_is_read_and_nothing_is_pruned_by_it(
    notes: Path, alice: Caller, run: Run, fails: Run
) -> None:
    run("ingest", notes, "--tenant", "acme", "--include", "a.*")
    assert sources(alice) == {"notes/a.md"}
    assert "would erase the rest" in fails("ingest", notes, "--tenant", "acme", "--include", "a.*", "--prune")


def test_what_is_excluded_is_left_out(notes: Path, alice: Caller, run: Run) -> None:
    run("ingest", notes, "--tenant", "acme", "--exclude", "deep/*", "--exclude", "blank.md")
    assert sources(alice) == {"notes/a.md"}
