"""Model files that come inside an installed PyPI wheel: where they lie, and that they are the right ones."""

import hashlib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from memory.engine.embedding import EmbedderError


@dataclass(frozen=True, slots=True)
class WheelFile:
    """A file of a distribution: `path` is relative to site-packages, `sha256` in hex."""

    distribution: str
    path: str
    sha256: str

    def located(self, provider: str, model: str) -> Path:
        """The file's path. Raises EmbedderError when the wheel is not installed or lacks the file."""
        remedy = f"pip install --force-reinstall {self.distribution}, or choose another EMBEDDER"
        try:
            found = Path(str(distribution(self.distribution).locate_file(self.path)))
        except PackageNotFoundError:
            raise EmbedderError(
                provider, model, f"the package {self.distribution} is not installed", remedy, kind="missing"
            ) from None
        if not found.is_file():
            raise EmbedderError(
                provider, model, f"{self.distribution} is installed without {self.path}", remedy, kind="missing"
            )
        return found

    def verified(self, provider: str, model: str) -> Path:
        """The file's path, its SHA-256 compared (about 1 ms per MB). Raises EmbedderError when it differs."""
        found = self.located(provider, model)
        with found.open("rb") as handle:
            digest = hashlib.file_digest(handle, "sha256").hexdigest()
        if digest != self.sha256:
            raise EmbedderError(
                provider,
                model,
                f"{found.name} is not the file expected (sha256 {digest[:12]}…, not {self.sha256[:12]}…)",
                f"pip install --force-reinstall {self.distribution}",
                kind="missing",
            )
        return found
