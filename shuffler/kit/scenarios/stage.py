"""What a scenario is played on: a device with a plain controller, or a whole table with its backup. Virtual time."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmware_sim.program.firmware import Firmware
from protocol import messages as m
from shuffler.host.session import HostSession
from shuffler.journal.entries import DeviceSaid
from shuffler.kit.controller import ControlledDevice
from shuffler.kit.dealt_hands import DealtHands
from shuffler.kit.memory import MemoryDevice
from shuffler.kit.settings import DeviceSettings
from shuffler.kit.table import KitTable, TableSettings
from shuffler.table import TableCore

START_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the ends are made of; other ones where a test wants to see a scenario fail."""

    program: type[Firmware] = Firmware
    session: type[HostSession] = HostSession
    core: type[TableCore] = TableCore


class Stage:
    """The world of one run; `table` or `controller` is there, never both."""

    def __init__(self, device: DeviceSettings, table: TableSettings | None, parts: Parts) -> None:
        self.table: KitTable | None = None
        self.controller: ControlledDevice | None = None
        if table is not None:
            self.table = KitTable(table, device)
        else:
            self.controller = ControlledDevice(device, host=parts.session)
            self.controller.plug_in()
        self._named = 0
        self._dealt = DealtHands()
        self.run(lambda: bool(self.events), START_S)  # PoweredUp

    @property
    def device(self) -> MemoryDevice:
        """The device in use."""
        if self.table is not None:
            return self.table.device
        assert self.controller is not None
        return self.controller

    @property
    def events(self) -> Sequence[m.Event]:
        """Every numbered event that the host has got, once and in order."""
        if self.table is not None:
            return self.table.events
        assert self.controller is not None
        return self.controller.client.seen

    @property
    def groups(self) -> Counter[tuple[str, int, int, int]]:
        """How often each group was taken: device, its memory's epoch, round, group."""
        said = [DeviceSaid("", 0, event) for event in self.events]
        if self.table is not None:
            said = [entry for entry in self.table.entries if isinstance(entry, DeviceSaid)]
        return Counter(
            (each.serial, each.epoch, each.event.round, each.event.group)
            for each in said
            if isinstance(each.event, m.GroupRemoved)
        )

    @property
    def dealt(self) -> DealtHands:
        """The hands of the newest round."""
        if self.table is not None:
            return self.table.dealt
        events = self.events
        while self._named < len(events):
            self._dealt.take(events[self._named])
            self._named += 1
        return self._dealt

    @property
    def now_s(self) -> float:
        """The virtual time."""
        return self.device.now_us / 1e6

    def run(self, done: Callable[[], bool], limit_s: float) -> bool:
        """Let time pass until something holds; False where it does not in time."""
        end = self.device.now_us + int(limit_s * 1_000_000)
        while not done():
            if self.device.now_us >= end:
                return False
            self._step(end)
        return True

    def _step(self, until_us: int) -> None:
        if self.table is not None:
            self.table.pass_time(until_us)
        elif self.controller is not None:
            self.controller.pass_time(until_us)
