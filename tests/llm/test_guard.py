"""Addresses that tenants name: only public ones are called, whatever their names resolve to and whenever."""

import threading
import time
from collections.abc import Sequence
from ipaddress import ip_address

import httpx
import pytest

from memory.engine.language_model import Message, RefusedByPolicy, TimedOut, Unreachable
from memory.stores.llm.config import LanguageModelConfig
from memory.stores.llm.openai import OpenAI
from memory.stores.outbound.addresses import may_call, networks
from memory.stores.outbound.client import LIMITS
from memory.stores.outbound.guard import GuardedTransport
from memory.stores.outbound.lookups import AVOIDED, EACH, SLOW, THREADS, LookUps
from tests.embedders.conftest import Clock
from tests.servers.scripted import ScriptedServer

NOT_PUBLIC = [
    "0.0.0.0",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.9.9.9",
    "169.254.0.1",
    "169.254.169.254",
    "168.63.129.16",
    "100.100.100.200",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.168.1.1",
    "198.18.0.1",
    "203.0.113.5",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "::7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2002:a00:1::1",
    "2001:0:7f00:1:0:0:f5ff:fffe",
    "2001:db8::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fec0::1",
    "ff02::1",
    "100::1",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_what_is_not_public_is_refused(address: str) -> None:
    assert not may_call(ip_address(address))


@pytest.mark.parametrize(
    "address", ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "::ffff:1.1.1.1", "64:ff9b::101:101"]
)
def test_what_is_public_is_allowed(address: str) -> None:
    assert may_call(ip_address(address))


def test_an_operator_allows_networks_but_never_what_gives_credentials() -> None:
    allowed = networks(["10.0.0.0/8", " fd00::/8 ", "0.0.0.0/0", ""])
    assert may_call(ip_address("10.1.2.3"), allowed)
    assert may_call(ip_address("::ffff:10.1.2.3"), allowed)
    assert may_call(ip_address("fd00::7"), allowed)
    assert not may_call(ip_address("fe80::7"), allowed)
    for address in ("169.254.169.254", "::ffff:169.254.169.254", "fd00:ec2::254", "168.63.129.16"):
        assert not may_call(ip_address(address), allowed)
    for odd in ("10.0.0.1/8", "ten", "10.0.0.0/40"):
        with pytest.raises(ValueError, match=odd.partition("/")[0]):
            networks([odd])


class Names:
    """A name service that answers each question with the next of its answers, the last one for ever."""

    def __init__(self, *answers: Sequence[str]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, int]] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append((host, port))
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def ask(
    url: str, names: Names | None = None, allowed: tuple[str, ...] = (), seconds: float = 30, owner: str = ""
) -> str:
    """What a tenant's model at `url` says."""
    more = {} if names is None else {"resolver": names}
    config = LanguageModelConfig("openai", "m", url, "k", allowed=allowed, owner=owner)
    model = OpenAI(config, patience=Clock().patience(), **more)
    return model.chat([Message("user", "x")], max_tokens=5, deadline=time.monotonic() + seconds).text


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "0.0.0.0", "127.1", "2130706433"]
)
def test_this_machine_is_refused_however_it_is_written(server: ScriptedServer, host: str) -> None:
    port = server.url.rpartition(":")[2]
    with pytest.raises((RefusedByPolicy, Unreachable)) as caught:
        ask(f"http://{host}:{port}")
    assert isinstance(caught.value, RefusedByPolicy) or host in ("127.1", "2130706433")
    assert server.requests == []


def test_a_refusal_says_what_an_operator_can_do(server: ScriptedServer) -> None:
    with pytest.raises(RefusedByPolicy, match=r"not public; give a public address.*ALLOWED_PRIVATE_NETWORKS") as caught:
        ask(server.url)
    assert not caught.value.retryable


def test_an_allowed_network_is_called(server: ScriptedServer) -> None:
    assert ask(server.url, allowed=("127.0.0.0/8",)) == "Yes."


def test_a_name_that_resolves_to_a_private_address_is_refused(server: ScriptedServer) -> None:
    port = server.url.rpartition(":")[2]
    for found in (["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::1"], ["fe80::1%eth0"]):
        with pytest.raises(RefusedByPolicy, match=r"model\.example is or resolves to") as caught:
            ask(f"http://model.example:{port}/v1", Names(found))
        assert not any(address in str(caught.value) for address in found)
    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(server: ScriptedServer) -> None:
    """The second answer, which nobody may ask for, would lead elsewhere."""
    port = server.url.rpartition(":")[2]
    names = Names(["127.0.0.1"], ["10.255.255.1"])
    assert ask(f"http://model.example:{port}/v1", names, allowed=("127.0.0.1/32",)) == "Yes."
    assert names.asked == [("model.example", int(port))]
    assert server.requests[0].headers["host"] == f"model.example:{port}"


def test_a_name_that_changes_between_requests_is_checked_again(server: ScriptedServer) -> None:
    port = server.url.rpartition(":")[2]
    names = Names(["127.0.0.1"], ["10.0.0.1"])
    transport = GuardedTransport(networks(["127.0.0.1"]), limits=LIMITS, resolver=names)
    with httpx.Client(transport=transport) as client:
        assert client.post(f"http://model.example:{port}/v1/chat/completions", json={"model": "m"}).status_code == 200
        with pytest.raises(httpx.TransportError, match="not public"):
            client.post(f"http://model.example:{port}/v1/chat/completions", json={"model": "m"})


def test_the_next_address_is_tried_when_one_does_not_answer(server: ScriptedServer) -> None:
    port = server.url.rpartition(":")[2]
    names = Names(["127.0.0.2", "127.0.0.1"])
    assert ask(f"http://model.example:{port}/v1", names, allowed=("127.0.0.0/8",)) == "Yes."


def test_a_name_that_is_none_or_is_looked_up_for_ever() -> None:
    def missing(host: str, port: int) -> Sequence[str]:
        raise OSError("no such name")

    release = threading.Event()

    def slow(host: str, port: int) -> Sequence[str]:
        release.wait(30)
        return []

    with pytest.raises(Unreachable):
        ask("http://model.example", missing)  # type: ignore[arg-type]
    with pytest.raises(Unreachable):
        ask("http://model.example", Names([]))
    with pytest.raises(TimedOut):
        ask("http://model.example", slow, seconds=0.2)  # type: ignore[arg-type]
    release.set()


class Hanging:
    """A name service that answers nothing until it is let go; `ended` counts the answers."""

    def __init__(self) -> None:
        self.release, self.ended = threading.Event(), threading.Semaphore(0)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        self.release.wait(30)
        self.ended.release()
        return []


def test_names_that_hang_hold_up_nobody_else(server: ScriptedServer) -> None:
    hanging, port = Hanging(), server.url.rpartition(":")[2]
    try:
        for number in range(20):
            with pytest.raises(TimedOut):
                ask(f"http://n{number}.example", hanging, seconds=0.05, owner="alice")  # type: ignore[arg-type]
        assert len(hanging.asked) == EACH
        names = Names(["127.0.0.1"])
        assert ask(f"http://model.example:{port}/v1", names, allowed=("127.0.0.1/32",), owner="charlie") == "Yes."
    finally:
        hanging.release.set()


def test_a_name_that_is_looked_up_is_waited_for_by_all_who_ask() -> None:
    hanging, look_ups = Hanging(), LookUps(clock=Clock().patience().clock)
    for owner in ("alice", "alice", "alice", "charlie"):
        with pytest.raises(TimeoutError):
            look_ups.addresses(owner, hanging, "slow.example", 443, 0.01)
    hanging.release.set()
    assert hanging.asked == ["slow.example"]


def test_a_name_that_hung_is_left_alone_for_a_while() -> None:
    clock, hanging = Clock(), Hanging()
    look_ups = LookUps(clock=lambda: clock.now)
    with pytest.raises(TimeoutError):
        look_ups.addresses("alice", hanging, "slow.example", 443, 0.01)
    clock.now = SLOW + 1
    with pytest.raises(TimeoutError, match="hangs"):
        look_ups.addresses("alice", hanging, "slow.example", 443, 10)
    hanging.release.set()
    while look_ups.under_way():
        hanging.ended.acquire(timeout=0.01)
    with pytest.raises(TimeoutError, match="a moment ago"):
        look_ups.addresses("alice", hanging, "slow.example", 443, 10)
    assert list(look_ups.addresses("alice", hanging, "other.example", 443, 10)) == []
    clock.now += AVOIDED + 1
    assert list(look_ups.addresses("alice", hanging, "slow.example", 443, 10)) == []
    assert hanging.asked == ["slow.example", "other.example", "slow.example"]


def test_look_ups_have_a_bound() -> None:
    hanging, look_ups = Hanging(), LookUps()
    for number in range(THREADS):
        with pytest.raises(TimeoutError):
            look_ups.addresses(f"tenant {number}", hanging, f"n{number}.example", 443, 0.001)
    with pytest.raises(TimeoutError, match="too many"):
        look_ups.addresses("charlie", hanging, "one.example", 443, 10)
    hanging.release.set()
