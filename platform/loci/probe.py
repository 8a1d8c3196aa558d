"""Health checks of containers: `python -m loci.probe web [PATH] | worker | beat`, exit code 0 when all is well.

The web server is asked on 127.0.0.1 the way its proxy asks: under the public name. A worker is asked over the broker.
The beat writes its schedule every three minutes. The parts that run every few seconds import no Django.
"""

import http.client
import os
import subprocess
import sys
import time
from urllib.parse import urlsplit

from loci.processes import CELERY, ROOT, environment_of, schedule

USAGE = "usage: python -m loci.probe web [PATH] | worker | beat"
SECONDS = 5
PING_SECONDS = 10
STALE_SECONDS = 600


def web(path: str = "/healthz") -> str:
    """Why the web server does not answer 200 to `path`; empty when it does."""
    public = urlsplit(os.environ.get("PUBLIC_URL") or "http://127.0.0.1:8000")
    port = (os.environ.get("BIND") or ":8000").rpartition(":")[2]
    connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=SECONDS)
    try:
        connection.request("GET", path, headers={"Host": public.netloc, "X-Forwarded-Proto": public.scheme})
        status = connection.getresponse().status
    except (OSError, http.client.HTTPException) as error:
        return f"The web server does not answer on port {port}: {error}"
    finally:
        connection.close()
    return "" if status == 200 else f"The web server answers {status} to {path}."


def worker() -> str:
    """Why this host's worker does not answer over the broker; empty when it does."""
    command = [*CELERY, "inspect", "ping", "--timeout", str(SECONDS), "--destination", f"celery@{os.uname().nodename}"]
    environment = environment_of(os.environ)
    try:
        asked = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, timeout=SECONDS + PING_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "The broker does not answer."
    return "" if asked.returncode == 0 else "The worker does not answer."


def beat() -> str:
    """Why the beat seems to stand still; empty when its schedule was written lately."""
    file = schedule(os.environ)
    # what the file is called in full is for Python's dbm to say
    written = [path.stat().st_mtime for path in file.parent.glob(f"{file.name}*")]
    if not written:
        return f"The beat has not written {file}."
    idle = time.time() - max(written)
    return "" if idle < STALE_SECONDS else f"The beat has not written {file} for {idle:.0f} s."


def main(arguments: list[str]) -> str:
    """Probe what the arguments name; empty when all is well, else what is not."""
    match arguments:
        case ["web"]:
            return web()
        case ["web", path] if path.startswith("/"):
            return web(path)
        case ["worker"]:
            return worker()
        case ["beat"]:
            return beat()
    return USAGE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or 0)
