"""The version of this package."""

from importlib.metadata import PackageNotFoundError, version

try:
    VERSION = version("loci-memory-client")
except PackageNotFoundError:
    VERSION = "0.1.0"
