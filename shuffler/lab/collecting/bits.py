"""Raw output of a device's generator: a technician turns service mode on, the laboratory reads, the technician ends it.

What is read here no shuffle ever sees. Leaving service mode spoils decks that lie shuffled in the machine.
"""

from collections import deque
from collections.abc import Callable, Iterator

from protocol import messages as m
from protocol.vocabulary import DeviceFlag, ErrorCode, Mode, Role
from shuffler.errors import Refused
from shuffler.host.client import Client
from shuffler.lab.collecting.decks import MARKS, prove
from shuffler.lab.collecting.errors import CannotCollect

AT_ONCE = 1024
IN_FLIGHT = 8
PATIENCE_S = 30.0


class BitCollector:
    """Reads from one device in service mode, as a context; it leaves the device as it found it."""

    def __init__(self, client: Client, *, technician: str, laboratory: str) -> None:
        self.client = client
        self.info = client.ask(m.GetInfo(), m.Info)
        self._technician = technician
        self._laboratory = laboratory
        self._turned_on = False

    @property
    def marks(self) -> tuple[str, ...]:
        """What the device says of its generator."""
        return tuple(name for flag, name in MARKS if flag in self.info.flags & (DeviceFlag.SEEDED | DeviceFlag.RIGGED))

    def __enter__(self) -> "BitCollector":
        if self.client.ask(m.GetStatus(), m.Status).mode is not Mode.SERVICE:
            prove(self.client, Role.TECHNICIAN, self._technician)
            self._service(on=True)
            self._turned_on = True
        try:
            prove(self.client, Role.LABORATORY, self._laboratory)
        except CannotCollect:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._turned_on and self.client.connected:
            self._turned_on = False
            prove(self.client, Role.TECHNICIAN, self._technician)
            self._service(on=False)

    def chunks(self, size: int, stop: Callable[[], bool] = lambda: False) -> Iterator[bytes]:
        """So many bytes in pieces, several questions on their way at a time."""
        asked = 0
        waiting: deque[int] = deque()
        while waiting or (asked < size and not stop()):
            while asked < size and len(waiting) < IN_FLIGHT and not stop():
                many = min(AT_ONCE, size - asked)
                waiting.append(self.client.submit(m.ReadRandom(count=many), PATIENCE_S))
                asked += many
            if not waiting:
                return
            reply = self.client.wait(waiting.popleft(), PATIENCE_S)
            if isinstance(reply, m.Error):
                raise CannotCollect(f"the device stopped giving bits: {Refused(reply.code, reply.text)}")
            assert isinstance(reply, m.RandomBytes)
            yield reply.data

    def _service(self, *, on: bool) -> None:
        try:
            self.client.call(m.ServiceMode(on=on))
        except Refused as refusal:
            if refusal.code is ErrorCode.NOT_NOW and not on:
                raise CannotCollect(f"the device stays in service mode: {refusal}") from None
            raise CannotCollect(f"service mode can't be turned {'on' if on else 'off'}: {refusal}") from None
