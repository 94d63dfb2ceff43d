"""The host's end of a cable: TCP, serial ports, USB and USB/IP, opened by URL. Bytes only; no protocol."""

from shuffler.transports.ports import Transport, open_transport

__all__ = ["Transport", "open_transport"]
