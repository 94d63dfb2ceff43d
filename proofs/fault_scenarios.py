"""How each fault of the catalogue is brought about, seen and cured over the wire, and what a profile that can't see it
makes of its cause: two literal tables and their players. Between them they cover every fault on every profile."""

from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.control.injections import INJECTIONS, Kind, Nature, Trigger
from firmware_sim.machine.signals import Pass
from firmware_sim.program.faults import BY_CODE
from firmware_sim.program.panel import Panel
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.cards import UNREADABLE
from protocol.vocabulary import Cleared, ErrorCode, FaultCode, MisdealReason, Role

_F = FaultCode
SHUFFLERS = ("i-deal-style", "i-deal-plus-style", "ace-style")
READERS = ("i-deal-style", "i-deal-plus-style")
ALL = (*SHUFFLERS, "dealing-shoe")
LATER_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Scenario:
    """An injection, when it strikes, where the fault can be seen, and who ends it."""

    code: FaultCode
    injection: str
    trigger: Trigger
    profiles: tuple[str, ...]
    how: Cleared


_DEALER, _HOST, _SELF, _CYCLE = Cleared.BY_DEALER, Cleared.BY_HOST, Cleared.BY_ITSELF, Cleared.BY_POWER_CYCLE


def _card(n: int) -> Trigger:
    return Trigger(at_card=n)


def _when(condition: str, **more: int) -> Trigger:
    return Trigger(when=condition, clear_after_us=more.get("clear_after_us"))


# fmt: off
_TOLD: tuple[Scenario, ...] = (
    Scenario(_F.JAM_COMPARTMENT,     "jam_compartment",     _card(52),                   SHUFFLERS,               _DEALER),
    Scenario(_F.JAM_EXIT,            "jam_exit",            _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.DOUBLE_FEED,         "double_feed",         _card(30),                   (*READERS, "dealing-shoe"), _DEALER),
    Scenario(_F.NO_FEED,             "no_feed",             _card(1),                    ALL,                     _DEALER),
    Scenario(_F.SHORT_DECK,          "short_deck",          _card(7),                    ALL,                     _DEALER),
    Scenario(_F.LONG_DECK,           "long_deck",           _card(7),                    SHUFFLERS,               _DEALER),
    Scenario(_F.DUPLICATE_CARD,      "duplicate_card",      _card(7),                    READERS,                 _DEALER),
    Scenario(_F.FOREIGN_CARD,        "foreign_card",        _card(7),                    READERS,                 _DEALER),
    Scenario(_F.UNREADABLE_CARD,     "unreadable_card",     _card(7),                    READERS,                 _DEALER),
    Scenario(_F.FACE_UP_CARD,        "face_up_card",        _card(7),                    READERS,                 _DEALER),
    Scenario(_F.WRONG_BACK,          "wrong_back",          _card(7),                    ("i-deal-plus-style",),  _DEALER),
    Scenario(_F.CARD_LEFT_IN_TRAY,   "card_left_in_tray",   _when("deal=stub_in_tray"),  ALL,                     _DEALER),
    Scenario(_F.GROUP_REMOVED_SHORT, "group_removed_short", _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.CARD_PUT_BACK,       "card_put_back",       _when("event=HandDisclosed"), SHUFFLERS,              _DEALER),
    Scenario(_F.EARLY_GRAB,          "early_grab",          _when("group=2"),            SHUFFLERS,               _DEALER),
    Scenario(_F.DOOR_OPEN,           "door_open",           _when("group=2"),            ALL,                     _SELF),
    Scenario(_F.TRAY_SENSOR_STUCK,   "tray_sensor_stuck",   _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.MOTOR_STALL,         "motor_stall",         _card(2),                    ALL,                     _DEALER),
    Scenario(_F.OVER_TEMPERATURE,    "over_temperature",    _when("group=2", clear_after_us=LATER_US), ALL,       _SELF),
    Scenario(_F.RANDOM_SOURCE,       "random_source",       _when("infeed=loaded"),      SHUFFLERS,               _HOST),
    Scenario(_F.RANDOM_SOURCE,       "random_source",       Trigger(),                   ("dealing-shoe",),       _HOST),
    Scenario(_F.MEMORY_CORRUPT,      "memory_corrupt",      _when("group=2"),            ALL,                     _HOST),
    Scenario(_F.CLOCK_LOST,          "clock_lost",          Trigger(),                   ALL,                     _HOST),
    Scenario(_F.POWER_CUT,           "power_cut",           _when("group=2"),            ALL,                     _CYCLE),
    Scenario(_F.CABLE_PULLED,        "cable_pulled",        _when("group=2"),            ALL,                     _SELF),
    Scenario(_F.BROWN_OUT_LOOP,      "brown_out_loop",      _when("deal=ready"),         ALL,                     _DEALER),
    Scenario(_F.EVENTS_FULL,         "",                    Trigger(),                   ALL,                     _SELF),
    Scenario(_F.MEMORY_FULL,         "",                    Trigger(),                   ALL,                     _SELF),
    Scenario(_F.CARDS_LEFT_INSIDE,   "cards_left_inside",   Trigger(),                   ALL,                     _DEALER),
    Scenario(_F.SELF_TEST_FAILED,    "self_test_failed",    Trigger(),                   ALL,                     _HOST),
)
# fmt: on


def _ordinary(kind: Kind, fault: FaultCode) -> Scenario:
    """A card that sticks: at the tenth card of the first pass that it can strike, until the dealer has freed it."""
    return Scenario(fault, kind.name, _card(10), SHUFFLERS if set(kind.passes) <= _NOT_IN_A_SHOE else ALL, _DEALER)


_NOT_IN_A_SHOE = {Pass.SHUFFLE, Pass.SORT}
_ORDINARY = tuple(
    _ordinary(kind, kind.fault)
    for kind in INJECTIONS
    if kind.nature is Nature.PASS and kind.fault is not None and kind.fault not in {told.code for told in _TOLD}
)
SCENARIOS: tuple[Scenario, ...] = _ORDINARY + _TOLD

Instead = FaultCode | MisdealReason | str | None
EXPOSED, NAMED_UNREADABLE = "CardExposed", "named as unreadable in its hand"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A fault that a profile can't raise: what becomes of its cause there, and why."""

    code: FaultCode
    profile: str
    instead: Instead  # None: nothing at all is seen
    why: str


_R, _ACE, _SHOE = MisdealReason, "ace-style", "dealing-shoe"

# fmt: off
ELSEWHERE: tuple[Elsewhere, ...] = (
    *(Elsewhere(one.code, _SHOE, None, "a shoe does not shuffle") for one in _ORDINARY if one.profiles == SHUFFLERS),
    Elsewhere(_F.JAM_COMPARTMENT, _SHOE, None,                 "a shoe has no compartments"),
    Elsewhere(_F.DOUBLE_FEED,     _ACE,  _F.SHORT_DECK,        "no sensor for thickness: one card fewer is counted"),
    Elsewhere(_F.LONG_DECK,       _SHOE, _R.DUPLICATE_CARD,    "not counted on the way in: found as it is drawn, or by the count of the rest"),
    Elsewhere(_F.DUPLICATE_CARD,  _ACE,  None,                 "faces are not read"),
    Elsewhere(_F.DUPLICATE_CARD,  _SHOE, _R.DUPLICATE_CARD,    "not read on the way in: found as it is drawn"),
    Elsewhere(_F.FOREIGN_CARD,    _ACE,  None,                 "faces are not read"),
    Elsewhere(_F.FOREIGN_CARD,    _SHOE, _R.CARD_NOT_IN_DECK,  "not read on the way in: found as it is drawn"),
    Elsewhere(_F.UNREADABLE_CARD, _ACE,  None,                 "faces are not read"),
    Elsewhere(_F.UNREADABLE_CARD, _SHOE, NAMED_UNREADABLE,     "read as it is drawn: people's eyes have to tell what it is"),
    Elsewhere(_F.FACE_UP_CARD,    _ACE,  None,                 "faces are not read"),
    Elsewhere(_F.FACE_UP_CARD,    _SHOE, EXPOSED,              "read as it is drawn: recorded, no misdeal"),
    Elsewhere(_F.WRONG_BACK,      "i-deal-style", None,        "no sensor for backs"),
    Elsewhere(_F.WRONG_BACK,      _ACE,  None,                 "no sensor for backs"),
    Elsewhere(_F.WRONG_BACK,      _SHOE, None,                 "no sensor for backs"),
    Elsewhere(_F.CARD_PUT_BACK,   _SHOE, _F.EARLY_GRAB,        "the next card is on its way at once: a hand in the tray meanwhile"),
    Elsewhere(_F.EARLY_GRAB,      _SHOE, None,                 "one card at a time: there is no first one of several to take"),
)
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What was seen of one scenario."""

    raised: bool
    told: FaultCode  # what GetStatus said meanwhile
    refused: str  # the text with which a command that moves cards was refused
    panel: Panel | None
    cleared: Cleared | None
    objections: list[str]
    rounds_after: int
    misdeals: int


def perform(scenario: Scenario, profile: str, seed: int = 1) -> Story:
    """Play until the fault comes, look at it, cure it, and play two rounds more."""
    table = Table(build(profile, seed))
    control = table.emulator.control
    table.play(lambda: bool(table.of(m.PoweredUp)))
    told, refused, panel = FaultCode.NONE, "", None
    listen = _no_more
    if scenario.code is FaultCode.EVENTS_FULL:
        listen = _stop_listening(table)
    elif scenario.code is FaultCode.MEMORY_FULL:
        listen = _fill_memory(table)
    else:
        control.inject(scenario.injection, scenario.trigger)
        _provoke(table, scenario)
    raised = table.play(lambda: _is_seen(table, scenario), steps=200_000)
    if BY_CODE[scenario.code].holds and raised:
        panel = control.panel()
        status = table.do(m.GetStatus())
        assert isinstance(status, m.Status)
        told = status.fault_code
        reply = table.do(m.BeginRound(round=4_000_000, seats=1))
        code = ErrorCode.EVENTS_FULL if scenario.code is FaultCode.EVENTS_FULL else ErrorCode.FAULTED
        refused = reply.text if isinstance(reply, m.Error) and reply.code is code else ""
        _cure(table, scenario)
    listen()
    before = len(table.controller.closed)
    table.play(lambda: len(table.controller.closed) >= before + 2, steps=60_000)
    cleared = [event for event in table.of(m.FaultCleared) if isinstance(event, m.FaultCleared)]
    hows = [event.how for event in cleared if event.code is scenario.code]
    return Story(
        raised=raised,
        told=told,
        refused=refused,
        panel=panel,
        cleared=hows[0] if hows else None,
        objections=objections(table),
        rounds_after=len(table.controller.closed) - before,
        misdeals=len(table.of(m.Misdealt)),
    )


def find_instead(row: Elsewhere, seed: int = 1) -> tuple[Instead, list[str]]:
    """Bring the cause about on a profile that can't raise the fault: what is seen first in three rounds, and what is
    wrong with the story."""
    scenario = next(scenario for scenario in SCENARIOS if scenario.code is row.code)
    table = Table(build(row.profile, seed))
    table.play(lambda: bool(table.of(m.PoweredUp)))
    table.emulator.control.inject(scenario.injection, scenario.trigger)
    table.play_rounds(3)
    return next(filter(None, map(_finding, table.events)), None), objections(table)


def _finding(event: m.Event) -> Instead:
    match event:
        case m.FaultRaised():
            return event.code
        case m.Misdealt():
            return event.reason
        case m.CardExposed():
            return EXPOSED
        case m.GroupRemoved() | m.HandDisclosed() if UNREADABLE in event.opening.cards:
            return NAMED_UNREADABLE
    return None


def _is_seen(table: Table, scenario: Scenario) -> bool:
    if scenario.code is FaultCode.POWER_CUT:
        return len(table.of(m.PoweredUp)) > 1
    if scenario.code is FaultCode.CABLE_PULLED:
        return table.sessions > 1
    if scenario.code is FaultCode.MEMORY_FULL:  # the event itself has to wait until there is room for it
        return table.emulator.firmware.desk.code is scenario.code
    return any(isinstance(event, m.FaultRaised) and event.code is scenario.code for event in table.events)


def _provoke(table: Table, scenario: Scenario) -> None:
    """Some things are only looked at when the machine is switched on, or asked to test itself."""
    if scenario.code is FaultCode.CLOCK_LOST:
        table.emulator.control.inject("power_cut")
    elif scenario.code is FaultCode.SELF_TEST_FAILED or (
        scenario.code is FaultCode.RANDOM_SOURCE and scenario.trigger == Trigger()
    ):
        result = table.do(m.SelfTest())
        assert isinstance(result, m.SelfTestResult)
        assert not result.passed


def _cure(table: Table, scenario: Scenario) -> None:
    if scenario.how is not Cleared.BY_HOST:
        return
    if scenario.code is FaultCode.CLOCK_LOST:
        assert isinstance(table.do(m.SetTime(unix_ms=1_800_000_000_000)), m.Time)
        return
    table.prove(Role.SUPERVISOR)
    if scenario.code in (FaultCode.RANDOM_SOURCE, FaultCode.SELF_TEST_FAILED):
        early = table.do(m.ClearFault(code=scenario.code))
        assert isinstance(early, m.Error), "cleared while its cause still stood"
        table.emulator.control.clear(scenario.injection)
    reply = table.do(m.ClearFault(code=scenario.code))
    assert reply == m.Done(), reply


def _stop_listening(table: Table) -> Callable[[], None]:
    """Let the host hold its acknowledgements of events back; what lets it go on again."""
    host = table.host
    host.acknowledges = False

    def listen() -> None:
        host.acknowledges = True
        host._acknowledge()

    return listen


def _fill_memory(table: Table) -> Callable[[], None]:
    """Let every write to the memory fail; what makes room again."""
    store = table.emulator.device.store
    commit = store.commit

    def full() -> None:
        if store.has_changes:
            raise OSError(28, "No space left on device")

    store.commit = full  # type: ignore[method-assign]

    def room() -> None:
        store.commit = commit  # type: ignore[method-assign]

    return room


def _no_more() -> None:
    """The host was listening all the time."""
