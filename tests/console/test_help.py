"""Help, addresses that lead nowhere, and the SDK to install from here."""

import csv
import io
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Any

from django.test import Client

from console import wheel
from tests.console.staff import Member


def test_help_explains_the_words_to_anybody_and_leads_to_the_references(mira: Member, gina: Member) -> None:
    for page in (Client().get("/help"), mira.get("help"), Client().get("/docs")):
        text = page.content.decode()
        assert page.status_code == 200 and "Namespace" in text and 'href="/api/v1/docs"' in text
        assert wheel.path() in text
    assert 'href="/t/acme/help"' in mira.get("").content.decode()
    assert gina.client.get(mira.at("help")).status_code == 404


def test_an_address_that_is_no_page_is_not_said_to_be_erased(mira: Member) -> None:
    wrong = mira.client.get("/nowhere").content.decode()
    assert "Loci has no page here." in wrong and "Look at how the address is written" in wrong
    assert "It may have been erased" not in wrong and 'href="/help"' in wrong
    gone = mira.get("memories/0195f0c0-0000-7000-8000-000000000000").content.decode()
    assert "It may have been erased" in gone


def test_the_sdk_installs_from_this_site_and_its_command_runs(tmp_path: Path, db: None) -> None:
    answer = Client().get(wheel.path())
    assert answer.status_code == 200 and answer["Content-Type"] == "application/zip"
    file = tmp_path / wheel.name()
    file.write_bytes(answer.content)
    target = tmp_path / "here"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(target), str(file)]
    subprocess.run(pip, check=True, capture_output=True)
    ran = subprocess.run([target / "bin" / "loci", "--help"], env={"PYTHONPATH": str(target)}, capture_output=True)
    assert ran.returncode == 0 and b"connect" in ran.stdout


def test_the_package_says_what_it_is_and_holds_every_source() -> None:
    packed = zipfile.ZipFile(io.BytesIO(wheel.built()))
    (info,) = {name.partition("/")[0] for name in packed.namelist()} - {"loci_client"}
    said = Parser().parsestr(packed.read(f"{info}/METADATA").decode())
    assert (said["Name"], said["Requires-Dist"]) == ("loci-memory-client", "httpx>=0.28,<1")
    sources = Path(__file__).parents[2] / "sdk" / "python"
    written = {file.relative_to(sources).as_posix() for file in (sources / "loci_client").rglob("*.py")}
    assert written | {"loci_client/py.typed"} == {name for name in packed.namelist() if name.startswith("loci_client/")}
    recorded = {row[0] for row in csv.reader(io.StringIO(packed.read(f"{info}/RECORD").decode()))}
    assert recorded == set(packed.namelist())


def test_another_version_of_the_sdk_is_not_there(db: None, settings: Any) -> None:
    page = Client().get("/sdk/loci_memory_client-0.0.1-py3-none-any.whl")
    assert page.status_code == 404 and "in another version" in page.content.decode()
