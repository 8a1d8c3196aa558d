"""Server-sent events. Lines end with LF, CR or CRLF and with nothing else: a JSON text may hold U+2028, at which a
general splitter of lines would cut."""

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class Events:
    """Takes in bytes as they come, gives the data of each event that is complete."""

    def __init__(self) -> None:
        self._buffer = b""
        self._data: list[bytes] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The data of the events that `chunk` completes, in order; events without data are passed over."""
        self._buffer += chunk
        while found := _LINE_END.search(self._buffer):
            if found[0] == b"\r" and found.end() == len(self._buffer):
                return  # an LF may follow
            line, self._buffer = self._buffer[: found.start()], self._buffer[found.end() :]
            yield from self._take(line)

    def end(self) -> Iterator[str]:
        """The data of a last event that the stream's end cut off behind its last line."""
        if self._buffer:
            yield from self._take(self._buffer.rstrip(b"\r"))
        self._buffer = b""
        yield from self._take(b"")

    def _take(self, line: bytes) -> Iterator[str]:
        if not line:
            data, self._data = b"\n".join(self._data), []
            if data:
                yield data.decode("utf-8", "replace")
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" "))
