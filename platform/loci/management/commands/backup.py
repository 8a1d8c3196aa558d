import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from loci.backups.dump import back_up
from loci.backups.errors import BackupError
from loci.ground.commands import LociCommand


class Command(LociCommand):
    """Write the whole database into a file."""

    expected = (BackupError,)
    help = "Write the whole database into a file that `restore` reads. Loci may go on meanwhile."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="the file, or a folder for one that is named by the time")
        parser.add_argument("--overwrite", action="store_true", help="replace a file that is there")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="of a folder's backups only the newest N stay (default: all)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def act(self, options: dict[str, Any]) -> None:
        keep = options["keep"]
        if keep is not None and keep < 1:
            raise CommandError("--keep is a number from 1 on.", returncode=2)
        made = back_up(options["file"], overwrite=options["overwrite"], keep=keep)
        removed = [str(file) for file in made.removed]
        if options["json"]:
            told = {"file": str(made.file), "bytes": made.size, "tables": made.tables, "removed": removed}
            self.stdout.write(json.dumps(told))
            return
        self.stdout.write(f"{made.file}: {made.tables} tables, {made.size:,} bytes.")
        for name in removed:
            self.stdout.write(f"Removed {name}.")
        self.stdout.write("Keep KEY_PEPPERS and ENCRYPTION_KEYS elsewhere: without them it cannot be used.")
