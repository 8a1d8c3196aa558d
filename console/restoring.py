"""Taking back a retraction, out of the two services that do it: the content is sent again, then what it became."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from loci.ground.errors import Conflict
from memory.engine.items import Item
from memory.engine.types import Record
from memory.services.correct import correct
from memory.services.forget import erase
from memory.services.remember import remember
from tenants.scope import Scope


def restore(scope: Scope, versions: Sequence[Record]) -> None:
    """Make the memory with these versions (newest first, all of them) believed again, as it was last.

    An id stands for the text that was sent first: that text is what brings the memory back.
    """
    newest, oldest = versions[0], versions[-1]
    if newest.payload["known_to"] is None:
        return
    if newest.payload["key"] is not None or len(versions) >= 100:
        raise _beyond_reach()
    said = oldest.payload
    item = Item(
        index=0,
        text=oldest.text,
        source=said["source"],
        offset=said["offset"],
        namespace=said["namespace"],
        says_metadata=False,
    )
    outcome = remember(scope, items=[item])[0]
    if outcome.id != newest.id:  # a key with bound filters wrote it: its ids are its own
        if outcome.id and outcome.status == "stored":
            erase(scope, ids=[outcome.id])
        raise _beyond_reach()
    if newest.text != oldest.text:
        correct(scope, newest.id, text=newest.text)


def _beyond_reach() -> Conflict:
    return Conflict(_("This memory cannot be restored here: send its text again with the key that wrote it."))
