"""A device with a firmware that only counts: for tests of the wire."""

from random import Random

from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.nvstore import NvStore
from firmware_sim.unit.device import Device
from protocol import messages as m
from protocol.vocabulary import ErrorCode, Role
from shuffler.host.session import HostSession
from shuffler.host.store import HostStore, MemoryStore


class CountingFirmware:
    """Executes SelectGame by counting it in the store (odd games are refused) and answers each with an event."""

    def __init__(self, store: NvStore, events: EventQueue) -> None:
        self._store = store
        self._events = events

    def drain(self) -> tuple[m.Event, ...]:
        return ()

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        if isinstance(command, m.SelectGame):
            if command.game % 2:
                return m.Error(code=ErrorCode.NOT_FOUND, text="odd games are not on the menu")
            self._store.put("decks", self._store.get("decks", 0) + 1)
            self.emit(now_us, command.game)
            return m.Done()
        if isinstance(command, m.VoidRound):
            self._store.put(f"did:{command.round}", self._store.get(f"did:{command.round}", 0) + 1)
            return m.Done()
        if isinstance(command, m.GetCounters):
            return m.Counters(
                shuffles=self._store.get("decks", 0), rounds=0, groups=0, cards=0, misdeals=0, faults=0,
                power_ups=0, log_length=0, log_head=bytes(32),
            )  # fmt: skip
        return m.Error(code=ErrorCode.UNSUPPORTED, text="not here")

    def emit(self, now_us: int, count: int) -> m.Event:
        return self._events.append(m.DeckLoaded, now_us, count=count)

    def tick(self, now_us: int) -> None:
        pass

    def memory_failed(self, now_us: int) -> None:
        pass

    def memory_returned(self, now_us: int) -> None:
        pass

    def next_deadline(self) -> int | None:
        return None


def chance_of(seed: int):
    source = Random(seed)
    return source.randbytes


def counting_device(
    seed: int = 1, store: NvStore | None = None, key: bytes | None = None, now: int = 0, **more
) -> Device:
    store = store or NvStore()
    chance = chance_of(seed)
    events = EventQueue(store, lambda: int.from_bytes(chance(8), "little"))
    boots = store.get("boots", 0) + 1
    store.put("boots", boots)
    return Device(
        firmware=CountingFirmware(store, events), store=store, events=events, serial="TEST-1", boots=boots,
        chance=chance, key=key, now=now, **more,
    )  # fmt: skip


def host_session(seed: int = 2, store: HostStore | None = None, key: bytes | None = None) -> HostSession:
    chance = chance_of(seed)
    return HostSession(store=store or MemoryStore(chance(16)), chance=chance, key=key)
