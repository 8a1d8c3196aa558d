"""Connect: each client's configuration, with a placeholder and once with a key."""

import base64
import html
import json
import re
import shlex
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from console.clients import CLIENTS, PLACEHOLDER, Client, Target, manners
from console.handover import ticket_for
from tenants.scope import Role
from tests.cast import Caller
from tests.console.staff import Member, hire
from tests.console.test_keys import all_keys, shown

KEY = "loci_sk_" + "a" * 38
FAR = Target("https://loci.example", KEY)


def form_of(member: Member, **changes: str) -> dict[str, str]:
    return {"ticket": ticket_for(member.scope), "namespaces": "default", "expiry": "90", **changes}


def blocks(page: str) -> list[str]:
    """The texts to copy on a page."""
    return [html.unescape(found) for found in re.findall(r'<pre class="code[^>]*>(.*?)</pre>', page, re.DOTALL)]


def written(slug: str, target: Target = FAR) -> list[Any]:
    """A client's snippets, JSON parsed."""
    texts = [snippet.text for snippet in CLIENTS[slug].write(target)]
    return [json.loads(text) if text.startswith("{") else text for text in texts]


def test_the_start_leads_to_the_first_client(mira: Member) -> None:
    assert mira.get("connect")["Location"] == "/t/acme/connect/claude-code"


@pytest.mark.parametrize("client", CLIENTS.values(), ids=lambda client: client.slug)
def test_each_client_has_a_page_with_a_placeholder(mira: Member, client: Client, settings: Any) -> None:
    settings.PUBLIC_URL = "https://loci.example"
    page = mira.get(f"connect/{client.slug}").content.decode()
    assert f'href="/t/acme/connect/{client.slug}" aria-current="page"' in page
    texts = blocks(page)
    assert [snippet.text for snippet in client.snippets(Target("https://loci.example"))] == texts[
        : len(texts) - client.agent
    ]
    assert "https://loci.example" in "".join(texts) and "loci_sk_" not in "".join(texts)
    assert ("Tell it when to remember" in page) is client.agent


@pytest.mark.parametrize("slug", CLIENTS)
def test_one_press_gives_a_narrow_key_and_fills_it_in_once(mira: Member, slug: str) -> None:
    form = form_of(mira, namespaces="care")
    response = mira.post(f"connect/{slug}", **form)
    secret = shown(response)
    page = response.content.decode()
    assert response.status_code == 201 and "no-store" in response["Cache-Control"]
    assert PLACEHOLDER not in page
    (key,) = all_keys(mira)
    assert re.fullmatch(rf"{CLIENTS[slug].name} · mira · \d{{4}}-\d\d-\d\d \d\d:\d\d", key.name), (
        "the time tells two apart"
    )
    assert (key.scopes, key.namespaces) == (["read", "write"], ["care"])
    assert "In the namespace care, nowhere else." in page
    assert key.expires_at is not None
    assert Caller(mira.scope.tenant, secret).scope.namespaces == {"care"}
    assert f'hx-get="/t/acme/keys/{key.id}?pace=2s"' in page and "Waiting for the first call." in page
    again = mira.post(f"connect/{slug}", **form)
    assert again.status_code == 409 and f'href="/t/acme/connect/{slug}"' in again.content.decode()
    later = mira.get(f"connect/{slug}").content.decode()
    assert f'href="/t/acme/keys/{key.id}/revoke"' in later
    assert secret not in later and f"…{key.tail}" in later and f'href="/t/acme/keys/{key.id}"' in later


def test_agents_get_the_shape_that_they_understand() -> None:
    bearer = {"Authorization": f"Bearer {KEY}"}
    url = "https://loci.example/mcp"
    command, shared, variable = written("claude-code")
    assert shlex.split(command.replace("\\\n", "")) == [
        "claude", "mcp", "add", "--transport", "http", "loci", url, "--scope", "user", "--header",
        f"Authorization: Bearer {KEY}",
    ]  # fmt: skip
    assert shared["mcpServers"]["loci"] == {
        "type": "http", "url": url, "headers": {"Authorization": "Bearer ${LOCI_API_KEY}"},
    }  # fmt: skip
    assert variable == f"export LOCI_API_KEY={KEY}"
    assert written("cursor") == [{"mcpServers": {"loci": {"url": url, "headers": bearer}}}]
    everywhere, vs_code = written("vs-code")
    code, flag, document = shlex.split(everywhere)
    assert (code, flag) == ("code", "--add-mcp")
    assert json.loads(document) == {"name": "loci", **vs_code["servers"]["loci"], "inputs": vs_code["inputs"]}
    assert vs_code["servers"]["loci"]["headers"] == {"Authorization": f"Bearer ${{input:{vs_code['inputs'][0]['id']}}}"}
    two, one = written("opencode")
    assert two["mcp"]["servers"]["loci"] == one["mcp"]["loci"]
    assert one["mcp"]["loci"] == {"type": "remote", "url": url, "oauth": False, "headers": bearer}


def test_cursor_and_vs_code_can_be_set_up_by_a_link_that_holds_the_same() -> None:
    for client in CLIENTS.values():
        install = client.install(FAR)
        assert (install is not None) is (client.slug in ("cursor", "vs-code"))
        assert client.install(Target("https://loci.example")) is None, "without a key there is nothing to install"
    cursor, code = (urlsplit(CLIENTS[slug].link(FAR)) for slug in ("cursor", "vs-code"))  # type: ignore[misc]
    asked = parse_qs(cursor.query)
    assert (cursor.scheme, cursor.netloc, asked["name"]) == ("cursor", "anysphere.cursor-deeplink", ["loci"])
    assert json.loads(base64.b64decode(asked["config"][0])) == written("cursor")[0]["mcpServers"]["loci"]
    document = json.loads(unquote(code.query))
    assert (code.scheme, code.path, document["name"]) == ("vscode", "mcp/install", "loci")
    assert KEY not in code.query, "VS Code asks for it"


def test_a_page_for_a_program_says_nothing_of_chats_and_agents(mira: Member) -> None:
    for slug in ("curl", "python"):
        page = mira.get(f"connect/{slug}").content.decode()
        assert "Call Loci from" in page
        assert not any(word in page for word in ("Restart", "new chat", "No tools", "Tell curl", "Tell Python"))


def test_what_an_agent_is_told_is_the_same_from_the_page_and_from_the_command() -> None:
    from loci_client.cli.connect import MANNERS

    assert manners() == MANNERS


def test_the_bridge_of_claude_desktop_is_told_of_an_address_without_tls_that_is_not_here() -> None:
    for url, plain in (("https://loci.example", False), ("http://127.0.0.1:8000", False), ("http://10.0.0.5", True)):
        (document,) = written("claude-desktop", Target(url, KEY))
        bridge = document["mcpServers"]["loci"]
        assert ("--allow-http" in bridge["args"]) is plain
        assert bridge["args"][-2:] == ["--header", "Authorization:${LOCI_AUTH}"]
        assert bridge["env"] == {"LOCI_AUTH": f"Bearer {KEY}"}


def test_the_calls_for_curl_are_good_calls(mira: Member) -> None:
    secret = shown(mira.post("connect/curl", **form_of(mira)))
    caller = Caller(mira.scope.tenant, secret)
    texts = written("curl", Target("http://testserver", secret))
    store, ask = (shlex.split(text.replace("\\\n", "")) for text in texts)
    for words in (store, ask):
        assert words[words.index("-H") + 1] == f"Authorization: Bearer {secret}"
        (url,) = (word for word in words if word.startswith("http"))
        answer = caller.post(url.removeprefix("http://testserver"), json.loads(words[-1]))
        assert answer.status_code == 200
    assert answer.json()["results"][0]["text"] == "Dana prefers secure message to fax."


def test_the_program_in_python_compiles() -> None:
    install, program = written("python")
    venv, pip = install.splitlines()
    assert (venv, pip.rpartition("/")[0]) == (
        "python3 -m venv ~/.loci",
        "~/.loci/bin/pip install https://loci.example/sdk",
    )
    compile(program, "program", "exec")
    assert KEY in program


@pytest.mark.parametrize("role", [Role.DEVELOPER, Role.VIEWER])
def test_who_creates_no_keys_sees_the_configuration_and_whom_to_ask(mira: Member, role: Role) -> None:
    member = hire(mira.scope.tenant, "acme", "ben@acme.example", role)
    page = member.get("connect/cursor").content.decode()
    assert PLACEHOLDER in page and "Ask an owner or admin of Acme" in page
    assert "<form method" not in page and "Create key for" not in page


@pytest.mark.parametrize(
    ("changes", "said"), [({"namespaces": "a|b"}, "is no namespace"), ({"expiry": "x"}, "x is not")]
)
def test_what_is_wrong_is_said(mira: Member, changes: dict[str, str], said: str) -> None:
    response = mira.post("connect/curl", **form_of(mira, **changes))
    assert response.status_code == 422 and said in response.content.decode()
    assert all_keys(mira) == []


def test_an_unknown_client_is_a_page_that_is_not_there(mira: Member) -> None:
    assert mira.get("connect/abacus").status_code == 404
    assert mira.post("connect/abacus", **form_of(mira)).status_code == 404
    assert all_keys(mira) == []
