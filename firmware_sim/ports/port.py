"""What a port of a device is. A new kind of port is one module here with two classes: its settings and the port."""

from abc import ABC, abstractmethod
from typing import Protocol

from firmware_sim.ports.runner import DeviceRunner


class Port(ABC):
    """One open way into a device."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The name that a client opens."""

    @abstractmethod
    def drop_client(self) -> None:
        """Pull the cable and put it back: the client loses its connection."""

    def appear(self, there: bool) -> None:  # noqa: B027 - most ports stay
        """The device came to the cable or went: power and cable together. Most ports show neither."""

    @abstractmethod
    async def close(self) -> None:
        """Take the port away."""


class PortSettings(Protocol):
    """A port that is to be opened."""

    async def open(self, runner: DeviceRunner, serial: str) -> Port:
        """Open it for the device of this runner and serial number; raises OSError if it can't be had."""
