"""TCP keep-alive: the system asks a silent peer whether it is still there, and ends the connection where it is not."""

import socket

# A host that vanished without a word (a killed machine, a cut network) gives its device back after 10 + 3 × 5 s.
KEEPALIVE = (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3))


def keep_alive(raw: socket.socket) -> None:
    """Switch it on; a socket that is not TCP has none and needs none."""
    if raw.family not in (socket.AF_INET, socket.AF_INET6):
        return
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEPALIVE:
        if hasattr(socket, name):  # not every system has all three
            raw.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
