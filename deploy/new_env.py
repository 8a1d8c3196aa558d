"""Make deploy/.env from deploy/.env.example, with new secrets: `python3 deploy/new_env.py --domain loci.example`.

Nothing needs to be installed for it. A file that is there is never touched.
"""

import argparse
import os
import secrets
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "platform"))

from loci.local.envfile import SECRETS  # noqa: E402  (needs the line above)

PASSWORDS = ("POSTGRES_PASSWORD", "LOCI_OWNER_PASSWORD", "LOCI_APP_PASSWORD", "REDIS_PASSWORD")


def filled(example: str, given: dict[str, str]) -> str:
    """The example with `given` and new secrets in the lines that have no value."""
    made = {name: make() for name, make in SECRETS.items()} | {name: secrets.token_urlsafe(32) for name in PASSWORDS}
    lines = []
    for line in example.splitlines():
        name, equals, value = line.partition("=")
        new = (given | made).get(name, "") if equals and not value and not name.startswith("#") else ""
        lines.append(line + new)
    return "\n".join(lines) + "\n"


def main() -> str | None:
    """Write the file; returns why not, if not."""
    parser = argparse.ArgumentParser(description="Make deploy/.env with new secrets.")
    parser.add_argument("--domain", required=True, help="where people reach Loci, such as loci.example")
    parser.add_argument("--email", default="", help="where the certificate authority may write")
    parser.add_argument("--file", type=Path, default=HERE / ".env", help="the file to write (deploy/.env)")
    options = parser.parse_args()
    try:
        handle = os.open(options.file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return f"{options.file} is there already, with the secrets of an installation. It stays as it is."
    except OSError as error:
        return f"{options.file} cannot be written: {error.strerror}."
    with os.fdopen(handle, "w") as file:
        given = {"LOCI_DOMAIN": options.domain, "ACME_EMAIL": options.email or f"admin@{options.domain}"}
        file.write(filled((HERE / ".env.example").read_text(), given))
    print(f"Wrote {options.file}. Keep a copy of KEY_PEPPERS and ENCRYPTION_KEYS where the backups are not.")
    return None


if __name__ == "__main__":
    sys.exit(main())
