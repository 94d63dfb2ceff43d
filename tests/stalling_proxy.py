"""A proxy whose connections can go dead without being closed, as after a machine has slept."""

import contextlib
import selectors
import socket
import threading


class StallingProxy:
    """Between a browser and a port of this machine; `stall` lets nothing more through on the connections there are."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._dead: set[socket.socket] = set()
        self._closed_to_new = False
        self._ending = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "StallingProxy":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending = True
        self._thread.join(60)
        for one in (*self._pairs, self._listener):
            one.close()
        self._selector.close()

    def stall(self) -> None:
        """Every connection goes dead, and new ones get no answer."""
        self._closed_to_new = True
        self._dead |= set(self._pairs)

    def flow(self) -> None:
        """New connections are carried again; those that went dead stay dead."""
        self._dead |= set(self._pairs)
        self._closed_to_new = False

    def _run(self) -> None:
        while not self._ending:
            for key, _ in self._selector.select(0.05):
                if key.fileobj is self._listener:
                    self._meet()
                else:
                    assert isinstance(key.fileobj, socket.socket)
                    self._carry(key.fileobj)

    def _meet(self) -> None:
        client, _ = self._listener.accept()
        server = socket.create_connection(("127.0.0.1", self._target))
        for one, other in ((client, server), (server, client)):
            self._pairs[one] = other
            self._selector.register(one, selectors.EVENT_READ)
            if self._closed_to_new:
                self._dead.add(one)

    def _carry(self, source: socket.socket) -> None:
        with contextlib.suppress(OSError):
            data = source.recv(65536)
            if source in self._dead:
                if not data:
                    self._selector.unregister(source)
                return
            if data:
                self._pairs[source].sendall(data)
                return
        for one in (source, self._pairs[source]):
            with contextlib.suppress(KeyError, ValueError):
                self._selector.unregister(one)
            one.close()
