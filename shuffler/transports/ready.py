"""Waiting for a socket or a descriptor: by `poll`, or by `select` on systems without it."""

import select
import socket


class Ready:
    """Whether one end can be read from, or written to, within a time."""

    def __init__(self, where: int | socket.socket, *, writing: bool = False) -> None:
        self._where, self._writing = where, writing
        self._poll = select.poll() if hasattr(select, "poll") else None
        if self._poll is not None:
            self._poll.register(where, select.POLLOUT if writing else select.POLLIN)

    def within(self, seconds: float) -> bool:
        """Wait for it; false if it was not ready in time."""
        if self._poll is not None:
            return bool(self._poll.poll(seconds * 1000))
        read, write = ([], [self._where]) if self._writing else ([self._where], [])
        return any(select.select(read, write, [], seconds))
