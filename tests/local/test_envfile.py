"""`var/loci.env` keeps its secrets and the reader's own lines, and renews its addresses."""

from pathlib import Path

from cryptography.fernet import Fernet

from loci.local import envfile


def test_it_is_written_for_the_owner_only(tmp_path: Path) -> None:
    envfile.renew(tmp_path / "loci.env", {})
    assert (tmp_path / "loci.env").stat().st_mode & 0o777 == 0o600


def test_secrets_are_kept_and_addresses_are_renewed(tmp_path: Path) -> None:
    first = envfile.renew(tmp_path / "loci.env", {"DATABASE_URL": "one"})
    second = envfile.renew(tmp_path / "loci.env", {"DATABASE_URL": "two"})
    assert {name: first[name] for name in envfile.SECRETS} == {name: second[name] for name in envfile.SECRETS}
    assert second["DATABASE_URL"] == "two"
    assert (tmp_path / "loci.env").read_text().count("DATABASE_URL=") == 1


def test_your_own_lines_stay(tmp_path: Path) -> None:
    (tmp_path / "loci.env").write_text("# mine\nEMBEDDER=static\nSECRET_KEY=chosen\n")
    values = envfile.renew(tmp_path / "loci.env", {})
    assert (values["EMBEDDER"], values["SECRET_KEY"]) == ("static", "chosen")
    assert (tmp_path / "loci.env").read_text().startswith("# mine\nEMBEDDER=static\nSECRET_KEY=chosen\n")


def test_the_encryption_key_is_one_that_fernet_takes(tmp_path: Path) -> None:
    values = envfile.renew(tmp_path / "loci.env", {})
    Fernet(values["ENCRYPTION_KEYS"]).encrypt(b"text")


def test_the_pepper_has_an_id(tmp_path: Path) -> None:
    identifier, _, pepper = envfile.renew(tmp_path / "loci.env", {})["KEY_PEPPERS"].partition(":")
    assert identifier == "p1"
    assert len(pepper) == 64
