"""Waiting for one end, by poll and, where there is none, by select."""

import select
import socket

import pytest

from shuffler.transports.ready import Ready


@pytest.mark.parametrize("has_poll", [True, False])
def test_an_end_is_ready_when_something_has_come_or_there_is_room(
    has_poll: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_poll:
        monkeypatch.delattr(select, "poll")
    here, there = socket.socketpair()
    with here, there:
        ready = Ready(here)
        assert not ready.within(0)
        assert Ready(here, writing=True).within(0)
        there.send(b"x")
        assert ready.within(5)
