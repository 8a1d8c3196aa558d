"""From the shape of a write to items: one sent with `chunk` becomes several."""

from loci.ground.errors import Fault, InvalidRequest
from memory.engine.items import Item
from memory.services.prepare import MAX_CHUNKS, check_metadata_keys, chunked
from memory.shapes.requests import WriteItem, WriteRequest, instant


def items_of(request: WriteRequest) -> list[Item]:
    """The items to store; one sent with `chunk` becomes several."""
    items: list[Item] = []
    for index, given in enumerate(request.items):
        check_metadata_keys(index, given.metadata)
        item = _item(index, given)
        items.extend(chunked(item) if given.chunk else [item])
    if any(given.chunk for given in request.items) and len(items) > MAX_CHUNKS:
        raise InvalidRequest(
            [Fault(("body", "items"), f"expand to more than {MAX_CHUNKS} chunks: send fewer at a time")]
        )
    return items


def _item(index: int, given: WriteItem) -> Item:
    return Item(
        index=index,
        text=given.text,
        source=given.source,
        offset=given.offset,
        namespace=given.namespace,
        event_at=instant(given.timestamp),
        tags=tuple(given.tags),
        metadata=given.metadata,
        kind=given.kind,
        agent=given.agent,
        subject=given.subject,
        confidence=given.confidence,
    )
