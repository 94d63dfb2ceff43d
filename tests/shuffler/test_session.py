"""The host's session core: what may be sent when, what is stored before it is, what rides along."""

from protocol import messages as m
from shuffler.session import OPEN_LIMIT, HostSession
from shuffler.store import MemoryStore


class CountingStore(MemoryStore):
    def __init__(self) -> None:
        super().__init__(b"i" * 16)
        self.log: list[str] = []

    def save_command(self, request: int, command: m.Message) -> bool:
        self.log.append(f"save {request}")
        return super().save_command(request, command)

    def flush(self) -> None:
        self.log.append("flush")


def session(store: MemoryStore) -> HostSession:
    return HostSession(store=store, chance=lambda count: bytes(count))


def test_commands_together_are_stored_at_one_go() -> None:
    store = CountingStore()
    host = session(store)
    assert host.submit_together([m.BeginRound(round=1, seats=1), m.GetStatus(), m.DealGroup(round=1, groups=0)]) == [
        1,
        2,
        3,
    ]
    assert store.log == ["save 1", "save 3", "flush"]


def test_no_more_commands_are_open_than_the_device_remembers() -> None:
    host = session(MemoryStore(b"i" * 16))
    assert host.room_for_commands == OPEN_LIMIT
    host.submit_together([m.GetStatus()] * OPEN_LIMIT)
    assert host.room_for_commands == 0
    assert not host.can_submit


def test_a_command_of_an_earlier_life_far_behind_leaves_no_room_and_never_less_than_none() -> None:
    store = MemoryStore(b"i" * 16)
    store.save_command(1, m.BeginRound(round=1, seats=1))
    store._next = 1000
    assert session(store).room_for_commands == 0
