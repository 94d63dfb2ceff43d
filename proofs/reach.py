"""Which states a device goes through over the wire when it is asked for everything it can do, and which cells of the
tables are ever used by a device: a cell that nothing reaches would be a claim that nobody has tried."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import NamedTuple

from firmware_sim.control.injections import Trigger
from firmware_sim.machine import profile as profiles
from firmware_sim.program.states import States
from proofs.bare import Bare
from proofs.controller import NONCE
from proofs.fault_scenarios import SCENARIOS, perform
from proofs.table import Table, build
from protocol import messages as m
from protocol.vocabulary import DealState, FaultState, InfeedState, Mode, PowerState, Role, RoundState


def visited() -> dict[str, set[int]]:
    """The states of each machine that were seen, by the machine's name in the status."""
    table = Table(build("i-deal-style"))
    seen: dict[str, set[int]] = defaultdict(set)

    def look() -> bool:
        emulator = table.emulator
        if not emulator.is_on:
            seen["power"].add(PowerState.OFF)
            return False
        firmware = emulator.firmware
        for name, state in (
            ("power", firmware.power.state),
            ("infeed", firmware.infeed.state),
            ("deal", firmware.deal.state),
            ("round", firmware.deal.round_state),
            ("fault", firmware.desk.state),
            ("mode", firmware.mode.state),
        ):
            seen[name].add(state)
        return False

    def until(state: InfeedState | DealState) -> None:
        machine = "infeed" if isinstance(state, InfeedState) else "deal"

        def there() -> bool:
            look()
            return bool(getattr(table.emulator.firmware, machine).state is state)

        for _ in range(20_000):
            if there():
                return
            table.step()
        raise AssertionError(f"{machine} never got to {state.name}")

    look()
    table.play(lambda: look() or bool(table.of(m.PoweredUp)))
    table.do(m.Load())
    until(InfeedState.LOADED)
    table.do(m.VerifyDeck())
    until(InfeedState.LOADED)
    table.do(m.Sort())
    until(InfeedState.EMPTY)
    table.play(lambda: look() or table.emulator.firmware.mode.state is Mode.PLAY)
    table.prove(Role.TECHNICIAN)
    table.do(m.ServiceMode(on=True))
    look()
    table.do(m.ServiceMode(on=False))
    table.do(m.Load())
    until(InfeedState.LOADED)
    table.do(m.Shuffle(nonce=NONCE))
    until(DealState.READY)
    table.do(m.Load())  # the second deck, staged while the first is dealt
    until(InfeedState.LOADED)
    table.do(m.Shuffle(nonce=NONCE))
    until(InfeedState.STAGED)
    table.emulator.control.inject("door_open", Trigger(clear_after_us=1_000_000))  # the staged deck is counted anew
    until(InfeedState.RECOUNTING)
    rounds = len(table.controller.closed) + 2
    table.play(lambda: look() or len(table.controller.closed) >= rounds)
    table.emulator.control.inject("stray_card", Trigger(when="group=1"))
    until_misdealt = len(table.of(m.Misdealt)) + 1
    table.play(lambda: look() or len(table.of(m.Misdealt)) >= until_misdealt)
    look()
    table.emulator.switch_off(table.bench.now)
    look()
    table.emulator.switch_on(table.bench.now)
    look()
    return seen


# ------------------------------------------------------------------------------------------------ every cell of a table


class Cell(NamedTuple):
    """An event in a state, by name: numbers of different machines are equal."""

    machine: str
    event: str
    state: str


def cell_of(event: IntEnum, state: IntEnum) -> Cell:
    """The cell where an event meets a state."""
    return Cell(type(state).__name__, event.name, state.name)


@contextmanager
def watched() -> Iterator[set[Cell]]:
    """What is fired at any machine meanwhile."""
    cells: set[Cell] = set()
    fire = States.fire

    def noted(machine: States[IntEnum], event: IntEnum) -> bool:
        cells.add(cell_of(event, machine.state))
        return fire(machine, event)

    States.fire = noted  # type: ignore[method-assign, assignment]
    try:
        yield cells
    finally:
        States.fire = fire  # type: ignore[method-assign]


def travelled() -> set[Cell]:
    """Every cell that a device uses on its way through all states, all faults and some awkward moments."""
    with watched() as cells:
        visited()
        for scenario in SCENARIOS:
            perform(scenario, scenario.profiles[0])
        for moment in MOMENTS:
            moment()
    return cells


def _device(profile: str = "i-deal-style", game: int = 1) -> Bare:
    device = Bare(profiles.load(profile))
    device.run_until(m.PoweredUp)
    device.do(m.SelectGame(game=game))
    return device


def _loaded(profile: str = "i-deal-style", game: int = 1) -> Bare:
    device = _device(profile, game)
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    return device


def _ready(profile: str = "i-deal-style", game: int = 1) -> Bare:
    device = _loaded(profile, game)
    device.do(m.Shuffle(nonce=NONCE))
    device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.machine.begin_step()
    return device


def _dealt(game: int = 1) -> Bare:
    device = _ready(game=game)
    device.do(m.BeginRound(round=1, seats=0b11))
    device.do(m.DealGroup(round=1, groups=0))
    device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    return device


def _door(device: Bare) -> None:
    device.control.open_door()
    device.step()
    device.control.close_door()
    device.run_until(m.FaultCleared)


def _door_while_sorting() -> None:
    for command in (None, m.Shuffle(nonce=NONCE), m.Sort(), m.VerifyDeck()):
        device = _loaded()
        if command is not None:
            device.do(command)
        _door(device)
        device.run_until(m.DeckLoaded)


def _emptied_in_the_dark(device: Bare) -> None:
    device.store.commit()
    device.machine.move_door(True)
    device.machine.empty_inside()
    device.machine.move_door(False)
    device.cut_power()
    device.run_until(m.PoweredUp)


def _decks_gone() -> None:
    _emptied_in_the_dark(_loaded())
    _emptied_in_the_dark(_staged())
    _emptied_in_the_dark(_ready())
    closed = _dealt()
    closed.do(m.CloseDecisions(round=1))
    _emptied_in_the_dark(closed)
    void = _dealt()
    void.do(m.VoidRound(round=1))
    _emptied_in_the_dark(void)


def _staged() -> Bare:
    device = _ready()
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    device.do(m.Shuffle(nonce=NONCE))
    device.run_until(m.ShuffleCompleted)
    return device


def _two_at_once() -> None:
    for command in (m.Shuffle(nonce=NONCE), m.Sort(), m.VerifyDeck()):
        device = _loaded()
        device.control.inject("double_feed", Trigger(at_card=20))
        device.do(command)
        device.run_until(m.FaultRaised)
        device.run_until(m.DeckLoaded)
    hidden = _loaded("ace-style")
    hidden.control.inject("double_feed", Trigger(at_card=20))
    hidden.do(m.Shuffle(nonce=NONCE))
    hidden.run_until(m.FaultRaised)


def _short_after_the_door() -> None:
    device = _loaded()
    device.control.open_door()
    device.step()
    device.machine.places.move(device.machine.places.stack[-1:], "stack", "dropped")
    device.control.close_door()
    device.run_until(m.FaultCleared)
    device.run_until(m.FaultRaised)


def _void_early_and_late() -> None:
    early = _ready()
    early.do(m.BeginRound(round=1, seats=1))
    early.do(m.VoidRound(round=1))
    for state in (DealState.GROUP_IN_TRAY, DealState.DEALER_IN_TRAY):
        late = _ready()
        late.do(m.BeginRound(round=1, seats=1))
        late.do(m.DealGroup(round=1, groups=0))
        late.run(lambda late=late, state=state: late.firmware.deal.state is state)  # type: ignore[misc]
        late.do(m.VoidRound(round=1))


def _one_group_and_no_more() -> None:
    device = _ready()
    device.do(m.BeginRound(round=1, seats=1))
    device.do(m.DealGroup(round=1, groups=1))
    device.run_until(m.GroupRemoved)


def _past_the_stub() -> None:
    device = _dealt()
    device.control.draw()
    device.run_until(m.Misdealt)


def _door_while_it_recovers() -> None:
    device = _loaded()
    device.control.inject("jam_transport", Trigger(at_card=9))
    device.do(m.Shuffle(nonce=NONCE))
    device.run(lambda: device.firmware.desk.state is FaultState.RECOVERING)
    _door(device)


def _no_round_at_all() -> None:
    _ready().do(m.EjectStub())


def _dealer_first() -> None:
    _dealt(game=2)


def _switched_off_at_once() -> None:
    table = Table(build("i-deal-style"))
    table.emulator.switch_off(0)


MOMENTS: tuple[Callable[[], None], ...] = (
    _door_while_sorting,
    _decks_gone,
    _two_at_once,
    _short_after_the_door,
    _void_early_and_late,
    _one_group_and_no_more,
    _past_the_stub,
    _door_while_it_recovers,
    _no_round_at_all,
    _dealer_first,
    _switched_off_at_once,
)
