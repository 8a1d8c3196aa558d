import sys
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from loci.ground.commands import LociCommand
from loci.ground.errors import RuleBroken
from memory.services.ingest import FileOutcome, Folder, folder_at, ingest_file, prune, recreate
from tenants.authentication import operator_scope
from tenants.scope import Scope
from tenants.services.tenants import tenant_by_slug


class Command(LociCommand):
    """Store the text files of a folder."""

    help = (
        "Store the .md and .txt files of a folder, each up to 32 MB, in windows of at most 800 characters. Run it again"
        " after changes, or to go on after an interruption: what is there unchanged is passed over."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="a folder, or one file")
        parser.add_argument("--tenant", required=True, help="the tenant's slug (required)")
        parser.add_argument("--root", help="name of the folder in metadata.index_root (default: its own name)")
        parser.add_argument("--namespace", default="default", help="where the memories go (default: default)")
        parser.add_argument(
            "--exclude", action="append", default=[], metavar="PATTERN",
            help="leave out files whose path below the folder is like this, such as 'drafts/*'; may be given again"
            " (default: none)",
        )  # fmt: skip
        parser.add_argument(
            "--include", action="append", default=[], metavar="PATTERN",
            help="only files whose path below the folder is like this; may be given again (default: all)",
        )  # fmt: skip
        parser.add_argument(
            "--prune",
            action="store_true",
            help="erase memories of this folder that it no longer holds; not when a file could not be read",
        )
        parser.add_argument("--recreate", action="store_true", help="erase all memories of this folder first (asks)")
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def act(self, options: dict[str, Any]) -> None:
        if options["include"] and (options["prune"] or options["recreate"]):
            raise RuleBroken("--include reads a part of the folder; --prune and --recreate would erase the rest.")
        folder = folder_at(
            options["path"], options["root"], options["namespace"], options["exclude"], options["include"]
        )
        scope = operator_scope(tenant_by_slug(options["tenant"]), "ingest")
        if options["recreate"]:
            _confirm(folder, options["yes"])
            self.stdout.write(f"Erased {recreate(scope, folder)} memories of {folder.root}.")
        outcomes, ids = _ingest(scope, folder)
        pruned = self._pruned(scope, folder, outcomes, ids) if options["prune"] else 0
        self._report(outcomes, pruned)

    def _pruned(self, scope: Scope, folder: Folder, outcomes: list[FileOutcome], ids: set[UUID]) -> int:
        """Nothing is pruned when a file could not be read: what it held cannot be told from what is gone."""
        if any(outcome.error for outcome in outcomes):
            self.stderr.write("Nothing was pruned, because a file could not be read.")
            return 0
        return prune(scope, folder, ids)

    def _report(self, outcomes: list[FileOutcome], pruned: int) -> None:
        failed = [outcome for outcome in outcomes if outcome.error]
        for outcome in failed:
            name = str(outcome.path).encode(errors="backslashreplace").decode()  # it need not be UTF-8
            self.stderr.write(f"{name}: {outcome.error}")
        self.stdout.write(
            f"{len(outcomes)} files: {sum(o.stored for o in outcomes)} memories stored,"
            f" {sum(o.duplicates for o in outcomes)} there already, {pruned} erased, {len(failed)} files failed."
        )
        if failed:
            sys.exit(1)


def _ingest(scope: Scope, folder: Folder) -> tuple[list[FileOutcome], set[UUID]]:
    outcomes, ids = [], set()
    for path in tqdm(folder.files(), unit="file", disable=None, file=sys.stderr):
        outcome, made = ingest_file(scope, folder, path)
        outcomes.append(outcome)
        ids |= made
    return outcomes, ids


def _confirm(folder: Folder, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError("--recreate erases memories: add --yes when there is no terminal to ask at.", returncode=2)
    if input(f"Erase all memories of {folder.root} first? [y/N] ").strip().lower() not in ("y", "yes"):
        raise CommandError("Nothing was changed.", returncode=1)
