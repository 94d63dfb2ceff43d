"""One forwarded connection: QEMU starts this for each one the guest opens; it joins it to a port of this machine.

QEMU's own forwarding keeps one connection for good and does not pass on its end; this one does both.
"""

import contextlib
import os
import selectors
import socket
import sys


def main() -> None:
    port = int(sys.argv[1])
    guest = socket.socket(fileno=os.dup(0))
    with guest, socket.create_connection(("127.0.0.1", port)) as server, selectors.DefaultSelector() as ready:
        for end in (guest, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ready.register(guest, selectors.EVENT_READ, server)
        ready.register(server, selectors.EVENT_READ, guest)
        while True:
            for key, _ in ready.select():
                source: socket.socket = key.fileobj  # type: ignore[assignment]
                # QEMU's side holds small packets back until the last one is acknowledged, which takes 40 ms otherwise.
                source.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
                data = source.recv(65536)
                if not data:
                    return
                key.data.sendall(data)


if __name__ == "__main__":
    with contextlib.suppress(OSError):
        main()
