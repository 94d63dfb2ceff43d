"""The host's session core: what may be sent when, what is stored before it is, what rides along."""

import pytest
from bench_support import counting_device, host_session

from firmware_sim.program.nvstore import NvStore, VolatileMedium
from protocol import messages as m
from protocol.framing import Framer
from protocol.vocabulary import ErrorCode, Fate, ResetReason
from shuffler.errors import LocalHostError
from shuffler.host.session import (
    OPEN_LIMIT,
    Disconnected,
    EventArrived,
    Happening,
    HostSession,
    SetBack,
    fate_of,
)
from shuffler.host.store import MemoryStore
from shuffler.timeouts import USUAL
from shuffler.virtual.bench import VirtualBench


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
    with pytest.raises(LocalHostError, match="too many commands"):
        host.submit(m.GetStatus())


def test_a_command_of_an_earlier_life_far_behind_leaves_no_room_and_never_less_than_none() -> None:
    store = MemoryStore(b"i" * 16)
    store.save_command(1, m.BeginRound(round=1, seats=1))
    store._next = 1000
    assert session(store).room_for_commands == 0


# ------------------------------------------------------------------------------------------- a memory that was set back


def line_with_events(count: int) -> tuple[VirtualBench, VolatileMedium]:
    medium = VolatileMedium()
    line = VirtualBench(host_session(), counting_device(store=NvStore(medium)))
    line.plug()
    for _ in range(count):
        line.host.submit(m.SelectGame(game=2))
    line.run(lambda _: line.device.events.acknowledged == count)
    return line, medium


def reconnect(line: VirtualBench, memory: bytes, more_events: int = 0) -> list[Happening]:
    device = counting_device(seed=8, store=NvStore(VolatileMedium(memory)), now=line.now)
    for _ in range(more_events):
        device.firmware.emit(0, 99)
    device.store.commit()
    line.pull()
    line.replace_device(device)
    found = line.plug()
    line.run(lambda new: found.extend(new) or line.host.is_up or any(isinstance(h, SetBack) for h in found))
    return found


def test_a_memory_set_back_to_an_earlier_state_is_found_and_nothing_is_taken_from_it() -> None:
    line, medium = line_with_events(2)
    earlier = medium.read()
    for _ in range(3):
        line.host.submit(m.SelectGame(game=2))
    line.run(lambda _: line.device.events.acknowledged == 5)
    epoch = line.device.events.epoch
    found = reconnect(line, earlier)
    back = SetBack(serial="TEST-1", epoch=epoch, stored=5, found=2)
    assert back in found
    assert Disconnected(ResetReason.SET_BACK, back.text, refused=True) in found
    assert not line.host.is_up
    assert "event 5 is stored here, the device is at 2" in back.text


def test_event_numbers_used_a_second_time_are_found_even_where_the_newest_looks_right() -> None:
    line, medium = line_with_events(2)
    earlier = medium.read()
    for _ in range(3):
        line.host.submit(m.SelectGame(game=2))
    line.run(lambda _: line.device.events.acknowledged == 5)
    found = reconnect(line, earlier, more_events=4)  # 3 to 6 again, with other words
    line.run(lambda new: found.extend(new) or any(isinstance(h, SetBack) for h in found))
    assert not [h for h in found if isinstance(h, EventArrived)]


def test_a_memory_as_it_was_left_is_taken_up_again() -> None:
    line, medium = line_with_events(3)
    assert not [h for h in reconnect(line, medium.read()) if isinstance(h, SetBack)]
    assert line.host.is_up


def test_a_device_that_was_set_back_is_tried_again_after_a_while_and_taken_once_its_memory_is_new() -> None:
    line, medium = line_with_events(2)
    earlier = medium.read()
    line.host.submit(m.SelectGame(game=2))
    line.run(lambda _: line.device.events.acknowledged == 3)
    reconnect(line, earlier)
    tried = line.now
    line.replace_device(counting_device(seed=9, now=line.now))
    line.run(lambda _: line.host.is_up)
    assert line.now - tried >= USUAL.hold_off_us


@pytest.mark.parametrize(
    ("reply", "fate"),
    [
        (m.Done(), Fate.DONE),
        (m.Error(code=ErrorCode.NOT_NOW, text=""), Fate.REFUSED),
        (m.Error(code=ErrorCode.STALE_REQUEST, text=""), Fate.NEVER_EXECUTED),
        (m.Error(code=ErrorCode.FORGOTTEN, text=""), Fate.FORGOTTEN),
        (m.FateTold(command=1, fate=Fate.FORGOTTEN, code=0), Fate.FORGOTTEN),
        (m.FateTold(command=1, fate=Fate.DONE, code=0), Fate.DONE),
    ],
)
def test_an_answer_says_what_became_of_its_command(reply: m.Message, fate: Fate) -> None:
    assert fate_of(reply) is fate


def test_no_command_leaves_before_every_event_of_the_welcome_has_come() -> None:
    line, _ = line_with_events(2)
    line.pull()
    line.device.firmware._events.append(m.DeckLoaded, 0, count=9)  # happened meanwhile
    line.device.store.commit()
    line.host.submit(m.SelectGame(game=2))
    line.capture = []
    line.plug()
    line.run(lambda _: not line.host.open_commands)
    frames = Framer().feed(b"".join(line.capture))
    kinds = [frame.message for frame in frames if frame.sequence]
    loaded, chosen = m.DeckLoaded.entry.number, m.SelectGame.entry.number
    assert kinds.index(loaded) < kinds.index(chosen)
