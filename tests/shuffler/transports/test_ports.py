"""A TCP port that is slow, silent or gone is a sentence, and nobody waits for ever."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from shuffler.errors import LinkLost
from shuffler.transports import ports
from shuffler.transports.ports import Transport, open_transport


@contextmanager
def connected() -> Iterator[tuple[Transport, socket.socket]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        transport = open_transport(f"socket://127.0.0.1:{server.getsockname()[1]}")
        peer, _ = server.accept()
        with peer:
            yield transport, peer
        transport.close()


@pytest.mark.parametrize("timeout_s", [0.0, 0.01])
def test_nothing_has_come(timeout_s: float) -> None:
    with connected() as (transport, _):
        assert transport.read(timeout_s) == b""


def test_what_has_come_is_read_and_what_is_written_arrives() -> None:
    with connected() as (transport, peer):
        peer.sendall(b"there")
        assert transport.read(5) == b"there"
        transport.write(b"back")
        assert peer.recv(100) == b"back"


def test_a_peer_that_hangs_up_is_told() -> None:
    with connected() as (transport, peer):
        peer.close()
        with pytest.raises(LinkLost, match="closed the connection"):
            transport.read(5)


def test_a_peer_that_takes_nothing_is_not_waited_for_longer_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "WRITE_S", 0.2)
    with connected() as (transport, _), pytest.raises(LinkLost, match=r"takes no data for 0\.2 s"):
        transport.write(bytes(16 << 20))
