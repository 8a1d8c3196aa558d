import json
import sys
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError, CommandParser
from tqdm import tqdm

from loci.ground.commands import LociCommand
from loci.ground.errors import LociError
from loci.ground.instants import BadInstant
from memory.engine.embedding import EmbedderError
from memory.services.reindex import Done, count_versions, reindex
from tenants.authentication import operator_scope
from tenants.services.tenants import slug_of, tenant_by_slug, tenant_page


class Command(LociCommand):
    """Make the indexes anew from the versions."""

    help = (
        "Make the indexes anew from PostgreSQL's own record, for one tenant or all. Recall goes on meanwhile. A run"
        " that was interrupted says how to go on where it stopped."
    )
    expected = (LociError, BadInstant, EmbedderError)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="its slug (default: all tenants, in order of their ids)")
        parser.add_argument(
            "--after",
            type=UUID,
            help="go on after this version's id, as an interrupted run names it; needs --tenant (default: the first)",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON array, an object for each tenant")

    def act(self, options: dict[str, Any]) -> None:
        if options["after"] and not options["tenant"]:
            raise CommandError("--after needs --tenant: versions of one tenant are done in order.", returncode=2)
        tenants = [tenant_by_slug(options["tenant"])] if options["tenant"] else _all()
        done = []
        for tenant in tenants:
            done.append(self._reindexed(tenant, options["after"]))
            if not options["json"]:
                self.stdout.write("{tenant}: {versions} versions in {seconds:.1f} s".format(**done[-1]))
        if options["json"]:
            self.stdout.write(json.dumps(done))

    def _reindexed(self, tenant: UUID, after: UUID | None) -> dict[str, Any]:
        scope, slug, began = operator_scope(tenant, "reindex"), slug_of(tenant), time.monotonic()
        total, steps = count_versions(scope, after), [Done(0, after)]
        with tqdm(desc=slug, total=total, unit="version", disable=None, file=sys.stderr) as bar:

            def progress(done: Done) -> None:
                bar.update(done.versions - steps[-1].versions)
                steps[:] = [done]

            try:
                versions = reindex(scope, after=after, progress=progress)
            except BaseException:  # Ctrl-C too
                self.stderr.write(_onward(slug, steps[-1]))
                raise
        return {"tenant": slug, "versions": versions, "seconds": round(time.monotonic() - began, 3)}


def _onward(slug: str, last: Done) -> str:
    after = f" --after {last.after}" if last.after else ""
    return f"{slug}: stopped after {last.versions} versions. To go on: reindex --tenant {slug}{after}"


def _all() -> Iterator[UUID]:
    page = tenant_page(None)
    while page:
        yield from page
        page = tenant_page(page[-1])
