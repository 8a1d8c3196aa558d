"""Pictures and sounds as small as they get, and the content blocks that hold them."""

import base64
import struct
import zlib

import mcp_types as types


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def pixel() -> bytes:
    """A PNG of one red pixel."""
    header = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0\xff\0\0")
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def silence() -> bytes:
    """A WAV of one silent sample."""
    form = b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16) + b"data" + struct.pack("<Ih", 2, 0)
    return b"RIFF" + struct.pack("<I", len(form)) + form


PNG = base64.b64encode(pixel()).decode()
WAV = base64.b64encode(silence()).decode()


def resource(uri: str, mime_type: str, text: str) -> types.EmbeddedResource:
    """A resource inside an answer."""
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.EmbeddedResource(type="resource", resource=contents)


def image() -> types.ImageContent:
    """The pixel as content."""
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")
