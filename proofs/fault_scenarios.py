"""How each fault of the catalogue is brought about, seen and cured over the wire: one literal table and its player."""

from dataclasses import dataclass

from firmware_sim.faults import BY_CODE
from firmware_sim.panel import Panel
from firmware_sim.trouble_table import Trigger
from proofs.table import Table, build, objections
from protocol import messages as m
from protocol.vocabulary import Cleared, ErrorCode, FaultCode, FaultState, Role

_F = FaultCode
SHUFFLERS = ("i-deal-style", "i-deal-plus-style", "ace-style")
READERS = ("i-deal-style", "i-deal-plus-style")
ALL = (*SHUFFLERS, "dealing-shoe")
LATER_US = 60_000_000


@dataclass(frozen=True, slots=True)
class Scenario:
    """A trouble, when it strikes, where the fault can be seen, and who ends it."""

    code: FaultCode
    trouble: str
    trigger: Trigger
    profiles: tuple[str, ...]
    how: Cleared


_DEALER, _HOST, _SELF, _CYCLE = Cleared.BY_DEALER, Cleared.BY_HOST, Cleared.BY_ITSELF, Cleared.BY_POWER_CYCLE


def _card(n: int) -> Trigger:
    return Trigger(at_card=n)


def _when(condition: str, **more: int) -> Trigger:
    return Trigger(when=condition, clear_after_us=more.get("clear_after_us"))


# fmt: off
SCENARIOS: tuple[Scenario, ...] = (
    Scenario(_F.JAM_FEEDER,          "jam_feeder",          _card(10),                   ALL,                     _DEALER),
    Scenario(_F.JAM_TRANSPORT,       "jam_transport",       _card(10),                   SHUFFLERS,               _DEALER),
    Scenario(_F.JAM_COMPARTMENT,     "jam_compartment",     _card(52),                   SHUFFLERS,               _DEALER),
    Scenario(_F.JAM_EXIT,            "jam_exit",            _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.DOUBLE_FEED,         "double_feed",         _card(30),                   (*READERS, "dealing-shoe"), _DEALER),
    Scenario(_F.NO_FEED,             "no_feed",             _card(1),                    ALL,                     _DEALER),
    Scenario(_F.SHORT_DECK,          "short_deck",          _card(7),                    SHUFFLERS,               _DEALER),
    Scenario(_F.LONG_DECK,           "long_deck",           _card(7),                    SHUFFLERS,               _DEALER),
    Scenario(_F.DUPLICATE_CARD,      "duplicate_card",      _card(7),                    READERS,                 _DEALER),
    Scenario(_F.FOREIGN_CARD,        "foreign_card",        _card(7),                    READERS,                 _DEALER),
    Scenario(_F.UNREADABLE_CARD,     "unreadable_card",     _card(7),                    READERS,                 _DEALER),
    Scenario(_F.FACE_UP_CARD,        "face_up_card",        _card(7),                    READERS,                 _DEALER),
    Scenario(_F.WRONG_BACK,          "wrong_back",          _card(7),                    ("i-deal-plus-style",),  _DEALER),
    Scenario(_F.CARD_LEFT_IN_TRAY,   "card_left_in_tray",   _when("deal=STUB_IN_TRAY"),  ALL,                     _DEALER),
    Scenario(_F.GROUP_REMOVED_SHORT, "group_removed_short", _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.CARD_PUT_BACK,       "card_put_back",       _when("event=HandDisclosed"), SHUFFLERS,              _DEALER),
    Scenario(_F.EARLY_GRAB,          "early_grab",          _when("group=2"),            SHUFFLERS,               _DEALER),
    Scenario(_F.DOOR_OPEN,           "door_open",           _when("group=2"),            ALL,                     _SELF),
    Scenario(_F.TRAY_SENSOR_STUCK,   "tray_sensor_stuck",   _when("group=2"),            ALL,                     _DEALER),
    Scenario(_F.MOTOR_STALL,         "motor_stall",         _card(2),                    ALL,                     _DEALER),
    Scenario(_F.OVER_TEMPERATURE,    "over_temperature",    _when("group=2", clear_after_us=LATER_US), ALL,       _SELF),
    Scenario(_F.RANDOM_SOURCE,       "random_source",       _when("infeed=LOADED"),      SHUFFLERS,               _HOST),
    Scenario(_F.MEMORY_CORRUPT,      "memory_corrupt",      _when("group=2"),            ALL,                     _HOST),
    Scenario(_F.CLOCK_LOST,          "clock_lost",          Trigger(),                   ALL,                     _HOST),
    Scenario(_F.POWER_CUT,           "power_cut",           _when("group=2"),            ALL,                     _CYCLE),
    Scenario(_F.CABLE_PULLED,        "cable_pulled",        _when("group=2"),            ALL,                     _SELF),
    Scenario(_F.BROWN_OUT_LOOP,      "brown_out_loop",      _when("deal=READY"),         ALL,                     _DEALER),
    Scenario(_F.EVENTS_FULL,         "",                    Trigger(),                   ALL,                     _SELF),
    Scenario(_F.CARDS_LEFT_INSIDE,   "cards_left_inside",   Trigger(),                   ALL,                     _DEALER),
    Scenario(_F.SELF_TEST_FAILED,    "self_test_failed",    Trigger(),                   ALL,                     _HOST),
)
# fmt: on


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What was seen of one scenario."""

    raised: bool
    refused: bool  # a command that moves cards was refused with the fault's cure
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
    refused, panel = False, None
    if scenario.code is FaultCode.EVENTS_FULL:
        raised = _stop_listening(table)
    else:
        control.inject(scenario.trouble, scenario.trigger)
        _provoke(table, scenario)
        raised = table.play(lambda: _is_seen(table, scenario), steps=60_000)
    if BY_CODE[scenario.code].holds and raised and scenario.code is not FaultCode.EVENTS_FULL:
        if table.do(m.GetStatus()).fault is not FaultState.CLEAR:  # type: ignore[attr-defined]
            panel = control.panel()
            reply = table.do(m.BeginRound(round=4_000_000, seats=1))
            refused = isinstance(reply, m.Error) and reply.code is ErrorCode.FAULTED
        _cure(table, scenario)
    before = len(table.controller.closed)
    table.play(lambda: len(table.controller.closed) >= before + 2, steps=60_000)
    cleared = [event for event in table.of(m.FaultCleared) if isinstance(event, m.FaultCleared)]
    hows = [event.how for event in cleared if event.code is scenario.code]
    return Story(
        raised=raised,
        refused=refused,
        panel=panel,
        cleared=hows[0] if hows else None,
        objections=objections(table),
        rounds_after=len(table.controller.closed) - before,
        misdeals=len(table.of(m.Misdealt)),
    )


def _is_seen(table: Table, scenario: Scenario) -> bool:
    if scenario.code is FaultCode.POWER_CUT:
        return len(table.of(m.PoweredUp)) > 1
    if scenario.code is FaultCode.CABLE_PULLED:
        return table.sessions > 1
    return any(isinstance(event, m.FaultRaised) and event.code is scenario.code for event in table.events)


def _provoke(table: Table, scenario: Scenario) -> None:
    """Some things are only looked at when the machine is switched on, or asked to test itself."""
    if scenario.code is FaultCode.CLOCK_LOST:
        table.emulator.control.inject("power_cut")
    elif scenario.code is FaultCode.SELF_TEST_FAILED:
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
        table.emulator.control.mend(scenario.trouble)
    reply = table.do(m.ClearFault(code=scenario.code))
    assert reply == m.Done(), reply


def _stop_listening(table: Table) -> bool:
    """Let the host stop acknowledging: its acknowledgements are held back until the device stops."""
    host, keep = table.host, table.host._acknowledge
    host._acknowledge = lambda: setattr(host, "_ack_at", None)  # type: ignore[method-assign]
    scenario = next(scenario for scenario in SCENARIOS if scenario.code is FaultCode.EVENTS_FULL)
    raised = table.play(lambda: _is_seen(table, scenario), steps=200_000)
    host._acknowledge = keep  # type: ignore[method-assign]
    host._acknowledge()
    return raised
