"""`platform/` is a source folder that must never become a package: it would shadow Python's own module."""

import platform
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_platform_folder_holds_nothing_but_the_package_loci() -> None:
    found = {path.name for path in (ROOT / "platform").iterdir()} - {"__pycache__"}
    assert found == {"loci"}


def test_importing_platform_gives_the_standard_library() -> None:
    assert platform.__file__ is not None
    assert Path(platform.__file__).resolve().parent == Path(sysconfig.get_path("stdlib")).resolve()
