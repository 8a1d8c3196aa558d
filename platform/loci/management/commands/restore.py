from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from loci.backups.errors import BackupError
from loci.backups.restore import restore
from loci.ground.commands import LociCommand
from tenants.services.safekeeping import secrets_fit
from tenants.services.tenants import tenant_page

LOOKED_AT = 500


class Command(LociCommand):
    """Restore what `backup` wrote."""

    expected = (BackupError,)
    help = "Restore a backup into an empty database. Stop web, worker and beat first."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="what `backup` wrote")
        parser.add_argument("--replace", action="store_true", help="drop everything that is in the database first")

    def act(self, options: dict[str, Any]) -> None:
        done = restore(options["file"], replace=options["replace"])
        self.stdout.write(f"Restored {done.tables} tables.")
        if done.left:
            self.stdout.write(f"{len(done.left)} migration(s) are left: manage.py migrate --database=owner")
            return
        for fault in secrets_fit(tenant_page(None, LOOKED_AT)).faults():
            self.stderr.write(f"Careful: {fault}. Put the former value back beside the new one.")
        self.stdout.write("Now `manage.py doctor` says whether all is well.")
