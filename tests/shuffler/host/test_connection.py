"""The one reconnect policy: when a port is opened, how long until the next try, what is said meanwhile."""

from random import Random

import pytest

from protocol.device_link import DeviceLink, Identity
from shuffler.host.connection import Connection
from shuffler.host.session import Connected, HostSession
from shuffler.host.store import MemoryStore
from shuffler.timeouts import USUAL

REOPEN_US, REOPEN_MAX_US, STALE_US = USUAL.reopen_us, USUAL.reopen_max_us, USUAL.stale_us

KEY = bytes(range(32))
URL = "socket://pit:7001"


def connection(key: bytes | None = None) -> Connection:
    chance = Random(1).randbytes
    return Connection(HostSession(store=MemoryStore(b"i" * 16), chance=chance, key=key), URL)


def device(key: bytes | None = None) -> DeviceLink:
    told = Identity(
        serial="SB-1", epoch=1, boots=1, last_event=0, acknowledged_event=0, command_memory=64, known_instance=False
    )
    return DeviceLink(identity=lambda hello: told, chance=Random(2).randbytes, key=key)


def exchange(host: Connection, link: DeviceLink, now: int) -> list:
    happenings: list = []
    for _ in range(4):
        link.receive(host.data_to_send(now), now)
        happenings += host.receive(link.data_to_send(now), now)
    return happenings


def test_a_port_that_can_not_be_opened_is_tried_less_and_less_often() -> None:
    host = connection()
    now, waits = 0, []
    for _ in range(8):
        assert host.wants_port(now)
        host.not_opened("no such port", now)
        due = host.next_deadline()
        assert due is not None
        assert not host.wants_port(due - 1)
        waits.append(due - now)
        now = due
    assert waits[:3] == [REOPEN_US, 2 * REOPEN_US, 4 * REOPEN_US]
    assert waits[-1] == REOPEN_MAX_US
    assert host.waits_for == "no such port"
    assert host.silent_us(now) == now


def test_only_a_welcome_makes_the_next_wait_short_again() -> None:
    host = connection()
    for now in (0, 10_000_000):
        host.opened(now)
        host.lose("it was shut", now)
    assert host.next_deadline() == 10_000_000 + 2 * REOPEN_US
    host.opened(20_000_000)
    assert any(isinstance(one, Connected) for one in exchange(host, device(), 20_000_000))
    host.lose("the cable was pulled", 30_000_000)
    assert host.next_deadline() == 30_000_000 + REOPEN_US
    assert (host.silent_us(31_000_000), host.lost) == (1_000_000, "the cable was pulled")


def test_nothing_leaves_while_the_port_is_closed_and_a_hello_when_it_opens() -> None:
    host = connection()
    assert host.data_to_send(0) == b""
    host.opened(0)
    assert host.data_to_send(0)


def test_a_port_on_which_nobody_answers_is_opened_anew() -> None:
    host = connection()
    host.opened(0)
    assert not host.wants_close(STALE_US - 1)
    assert host.wants_close(STALE_US)
    exchange(host, device(), 1)
    assert not host.wants_close(STALE_US)


def test_a_session_that_falls_silent_says_hello_at_once_and_later_wants_a_new_port() -> None:
    host = connection()
    host.opened(0)
    exchange(host, device(), 0)
    now = 0
    while host.session.is_up:
        due = host.next_deadline()
        assert due is not None
        now = max(now, due)
        host.tick(now)
        if host.session.is_up:
            host.data_to_send(now)
    assert now == 3_000_000
    assert host.data_to_send(now)
    assert not host.wants_close(now + STALE_US - 1)
    assert host.wants_close(now + STALE_US)


def test_a_refused_hello_is_not_repeated_at_once() -> None:
    host, link = connection(), device(KEY)
    host.opened(0)
    exchange(host, link, 0)
    assert host.refusal is not None
    assert host.waits_for.startswith(f"{URL} refuses the session (secure required): a key is set")
    assert host.data_to_send(1) == b""
    host.tick(REOPEN_US - 1)
    assert host.data_to_send(REOPEN_US - 1) == b""
    host.tick(REOPEN_US)
    assert host.data_to_send(REOPEN_US)


@pytest.mark.parametrize(
    ("mine", "theirs", "says"),
    [
        (KEY, bytes(32), "answers with another key than this one"),
        (KEY, None, "answers, but not with a key: no key is set in this device"),
        (None, KEY, "secure required"),
    ],
)
def test_a_key_that_does_not_fit_is_said_so(mine: bytes | None, theirs: bytes | None, says: str) -> None:
    host = connection(mine)
    host.opened(0)
    assert exchange(host, device(theirs), 0) == [] or mine is None
    assert says in host.waits_for


def test_another_protocol_is_said_so_and_so_is_silence() -> None:
    host = connection()
    host.opened(0)
    assert host.waits_for == f"no device answers on {URL}: is it switched on?"
    host.receive(b"HTTP/1.1 400 Bad Request\r\n\r\n", 0)
    assert "not in this protocol" in host.waits_for


def test_another_port_is_tried_at_once() -> None:
    host = connection()
    for now in range(5):
        host.not_opened("no such port", now)
    assert not host.wants_port(5)
    host.move("socket://backup:7001")
    assert host.wants_port(5)
    assert host.silent_us(5) == 0
