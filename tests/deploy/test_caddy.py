"""Caddy itself, with the Caddyfile as it stands, before Loci's own web server: what gets through and what does not."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.deploy.files import DEPLOY
from tests.deploy.production import environment
from tests.deploy.served import web
from tests.local.running import free_port, wait_for

CADDY = Path(sys.executable).with_name("caddy")


# a form: Loci reads it before it knows who asks
SLOW = (
    b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    b"Origin: https://localhost\r\nCookie: csrftoken=" + b"a" * 32 + b"\r\n"
    b"Content-Length: 1000\r\n\r\nemail=a"
)


def _caddy(env: dict[str, str], *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([CADDY, *arguments], env=env, capture_output=True, text=True, timeout=60, check=False)


def _environment(folder: Path, **more: str) -> dict[str, str]:
    places = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    return {"PATH": os.defpath, "LOCI_DOMAIN": "localhost", **places, **more}


@pytest.fixture(scope="module")
def adapted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The Caddyfile as Caddy understands it."""
    env = _environment(tmp_path_factory.mktemp("caddy"))
    done = _caddy(env, "adapt", "--config", DEPLOY / "Caddyfile", "--adapter", "caddyfile", "--validate")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@dataclass(frozen=True)
class Proxy:
    """A running Caddy: its ports, and its log."""

    http: int
    https: int
    health: int
    log: Path

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> http.client.HTTPResponse:
        """A request over TLS; the certificate is of Caddy's own authority."""
        trusting = ssl._create_unverified_context()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPSConnection("localhost", self.https, timeout=20, context=trusting)) as connection:
            connection.request(method, path, body, {"Host": "localhost", **given})
            response = connection.getresponse()
            response.body = response.read()  # type: ignore[attr-defined]
            return response


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """Caddy before a web server of a served installation. No database answers: none is needed here."""
    folder = tmp_path_factory.mktemp("proxied")
    served = environment(
        folder, PUBLIC_URL="https://localhost", ALLOWED_HOSTS="localhost", DATABASE_POOL_SIZE="2", WEB_THREADS="2"
    )
    with web(served, folder / "web.log") as upstream:
        found = Proxy(free_port(), free_port(), free_port(), folder / "caddy.log")
        env = _environment(
            folder,
            CADDY_HTTP_PORT=str(found.http),
            CADDY_HTTPS_PORT=str(found.https),
            CADDY_HEALTH_PORT=str(found.health),
            LOCI_UPSTREAM=upstream.removeprefix("http://"),
        )
        config = DEPLOY / "Caddyfile"
        with found.log.open("wb") as log:
            running = subprocess.Popen(
                [CADDY, "run", "--config", config, "--adapter", "caddyfile"], env=env, stdout=log, stderr=log
            )
        try:
            wait_for(lambda: running.poll() is not None or _listens(found), seconds=30)
            assert running.poll() is None, found.log.read_text()
            yield found
        finally:
            running.terminate()
            running.wait(timeout=30)


def _listens(proxy: Proxy) -> bool:
    try:
        return proxy.ask("GET", "/healthz").status == 200
    except OSError:
        return False


def test_the_file_is_formatted_as_caddy_formats_it(tmp_path: Path) -> None:
    assert _caddy(_environment(tmp_path), "fmt", "--diff", DEPLOY / "Caddyfile").returncode == 0


def test_slow_clients_are_limited_in_every_way(adapted: dict[str, Any]) -> None:
    public = [server for server in adapted["apps"]["http"]["servers"].values() if ":443" in server["listen"]]
    seconds = 1_000_000_000
    (server,) = public
    assert server["read_header_timeout"] == 10 * seconds
    assert server["read_timeout"] == 60 * seconds
    assert server["write_timeout"] == 150 * seconds
    assert server["idle_timeout"] == 120 * seconds


def test_its_own_door_for_changes_is_shut(adapted: dict[str, Any]) -> None:
    assert adapted["admin"] == {"disabled": True}


def test_its_own_trust_store_is_left_alone(adapted: dict[str, Any]) -> None:
    assert adapted["apps"]["pki"]["certificate_authorities"]["local"]["install_trust"] is False


def test_a_page_comes_over_tls_with_a_promise_to_stay_there(proxy: Proxy) -> None:
    answer = proxy.ask("GET", "/sign-in")
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    assert "secure" in answer.headers["Set-Cookie"].lower()


def test_without_tls_one_is_sent_to_the_same_page_with_it(proxy: Proxy) -> None:
    with closing(http.client.HTTPConnection("localhost", proxy.http, timeout=20)) as connection:
        connection.request("GET", "/sign-in?next=/", headers={"Host": "localhost"})
        answer = connection.getresponse()
        assert answer.status == 308
        assert answer.headers["Location"].startswith("https://localhost")


def test_what_a_client_says_about_itself_is_not_passed_on(proxy: Proxy) -> None:
    answer = proxy.ask("GET", "/sign-in", X_Forwarded_Proto="http", X_Forwarded_For="203.0.113.9")
    assert answer.status == 200


def test_a_form_is_accepted_under_the_public_name_and_no_other(proxy: Proxy) -> None:
    token = re.search(r"csrftoken=(\w+)", proxy.ask("GET", "/sign-in").headers["Set-Cookie"])[1]  # type: ignore[index]
    given = {"Cookie": f"csrftoken={token}", "Content_Type": "application/x-www-form-urlencoded"}
    form = f"csrfmiddlewaretoken={token}&theme=dark".encode()
    origins = {"https://localhost": 302, "http://localhost": 403, "https://elsewhere.example": 403}
    for origin, status in origins.items():
        assert proxy.ask("POST", "/preferences", form, Origin=origin, **given).status == status, origin


def test_static_files_come_through(proxy: Proxy) -> None:
    page = proxy.ask("GET", "/sign-in").body.decode()  # type: ignore[attr-defined]
    path = page.partition('href="/static/')[2].partition('"')[0]
    assert proxy.ask("GET", f"/static/{path}").status == 200


def test_metrics_are_not_for_the_outside(proxy: Proxy) -> None:
    assert proxy.ask("GET", "/metrics", Authorization="Bearer anything").status == 404


def test_a_body_over_locis_limit_gets_locis_answer(proxy: Proxy) -> None:
    answer = proxy.ask("POST", "/api/v1/memories", b" " * (32 * 1024 * 1024 + 1), Content_Type="application/json")
    assert answer.status == 413
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_body_far_over_the_limit_does_not_reach_loci(proxy: Proxy) -> None:
    try:
        answer = proxy.ask("POST", "/api/v1/memories", b" " * (40 * 1024 * 1024), Content_Type="application/json")
    except OSError:
        return  # it hangs up while we still send
    assert answer.status == 413
    assert "X-Request-ID" not in answer.headers


def test_a_thread_of_locis_never_waits_for_a_slow_body(proxy: Proxy) -> None:
    """More slow clients than Loci has threads, each with a body that does not come; others are still answered."""
    trusting = ssl._create_unverified_context()
    slow = []
    for _ in range(6):
        plain = socket.create_connection(("localhost", proxy.https), timeout=20)
        secured = trusting.wrap_socket(plain, server_hostname="localhost")
        secured.sendall(SLOW)
        slow.append(secured)
    try:
        assert {proxy.ask("GET", "/healthz").status for _ in range(20)} == {200}
    finally:
        for secured in slow:
            secured.close()


def test_the_log_holds_no_key_and_no_question(proxy: Proxy) -> None:
    proxy.ask(
        "GET",
        "/t/acme/search?q=where+is+the+fax",
        X_API_Key="loci_sk_hush",
        Authorization="Bearer loci_sk_hush",
        Cookie="loci_session=hush",
        Referer="https://localhost/t/acme/search?q=fax",
    )
    wait_for(lambda: "/t/acme/search" in proxy.log.read_text(), seconds=10)
    log = proxy.log.read_text()
    assert "fax" not in log and "hush" not in log


def test_a_container_can_tell_that_it_lives(proxy: Proxy) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", proxy.health, timeout=10)) as connection:
        connection.request("GET", "/healthz")
        assert connection.getresponse().status == 200
