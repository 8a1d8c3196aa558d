"""Where Loci is and with which key: from arguments, the environment, or the file that `loci login` writes."""

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from loci_client.errors import NotConfigured

URL = "LOCI_URL"
KEYS = ("LOCI_API_KEY", "LOCI_KEY")


@dataclass(frozen=True)
class Settings:
    """An address and a key."""

    url: str
    api_key: str = field(repr=False)


def config_dir(environ: Mapping[str, str] = os.environ) -> Path:
    """The folder for this user's settings; `$XDG_CONFIG_HOME/loci`, where that is not set `~/.config/loci`."""
    base = environ.get("XDG_CONFIG_HOME") or (environ.get("APPDATA") if sys.platform == "win32" else None)
    return (Path(base) if base else Path.home() / ".config") / "loci"


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """The file that `loci login` writes."""
    return config_dir(environ) / "config.json"


def resolve(url: str | None, api_key: str | None, environ: Mapping[str, str] = os.environ) -> Settings:
    """What is given, completed from the environment and the file. NotConfigured when something is missing.

    The file's key is used for the file's address only: a key does not go to a server that it was not given for.
    """
    saved = _saved(config_file(environ))
    address = address_of(url, environ)
    key = api_key or next((environ[name] for name in KEYS if environ.get(name)), None)
    if not key and saved.get("url") and base_url(saved["url"]) == address:
        key = saved.get("api_key")
    if not key:
        raise NotConfigured(f"There is no key for {address}: set {KEYS[0]}, or run `loci login`.")
    return Settings(address, _clean(key))


def address_of(url: str | None, environ: Mapping[str, str] = os.environ) -> str:
    """The address that is given, else the environment's, else the file's."""
    address = url or environ.get(URL) or _saved(config_file(environ)).get("url")
    if not address:
        raise NotConfigured(f"Say where Loci is: set {URL}, or run `loci login`.")
    return base_url(address)


def base_url(given: str) -> str:
    """The address without a trailing slash and without `/api/v1`."""
    try:
        parsed = httpx.URL(given.strip())
    except httpx.InvalidURL as error:
        raise NotConfigured(f"{given!r} is no address: {error}") from error
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise NotConfigured(f"{given!r} is no address: it starts with https:// or http:// and a host.")
    return given.strip().rstrip("/").removesuffix("/api/v1").rstrip("/")


def _clean(key: str) -> str:
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise NotConfigured("The key holds characters that no key has. Was it copied whole, and nothing else?")
    return key


def _saved(file: Path) -> dict[str, str]:
    try:
        document = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise NotConfigured(f"{file} cannot be read: {error}. `loci login` writes it anew.") from error
    if not isinstance(document, dict):
        raise NotConfigured(f"{file} is none of ours. `loci login` writes it anew.")
    return {name: value for name, value in document.items() if isinstance(value, str)}


def save(settings: Settings, environ: Mapping[str, str] = os.environ) -> Path:
    """Keep address and key in the file, readable by this user only; the file."""
    file = config_file(environ)
    write_json(file, {"url": settings.url, "api_key": settings.api_key})
    return file


def write_json(file: Path, document: Any) -> None:
    """Write a file of ours: whole or not at all, mode 0600."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_whole(file, json.dumps(document, indent=2).encode() + b"\n", mode=0o600)


def write_whole(file: Path, content: bytes, *, mode: int) -> None:
    """Put `content` in the place of the file in one step."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(mode)
        Path(name).replace(file)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
