"""Injections: each strikes now, at a card, at a time, on a condition and by rate, once or again, and is cleared."""

from collections.abc import Callable

import pytest
from device_support import begun, loaded, of, powered

from firmware_sim.control.injections import BY_NAME, INJECTIONS, Condition, Nature, Trigger, parse_condition
from firmware_sim.control.injector import Injector, PowerLost
from firmware_sim.control.world import Outside, World
from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from proofs.bare import Bare
from proofs.controller import Controller
from protocol import messages as m
from protocol.vocabulary import FaultCode, MisdealReason, PowerUpCause

# What is seen of an injection where that is not, or not always, its own fault: another one, a misdeal, an event.
_F, _R = FaultCode, MisdealReason
# fmt: off
LOOKS_LIKE: dict[str, set[object]] = {
    "double_feed":       {_F.DOUBLE_FEED, _R.GROUP_COUNT},
    "card_put_back":     {_F.CARD_PUT_BACK, _F.EARLY_GRAB, _F.CARD_LEFT_IN_TRAY},
    "swapped_card":      {_R.CARD_NOT_IN_DECK},
    "lost_card":         {_R.OUT_OF_ORDER},
    "inserted_card":     {_R.CARD_NOT_IN_DECK},
    "wrong_slot":        {_R.OUT_OF_ORDER},
    "exposed_card":      {m.CardExposed},
    "stray_card":        {_R.OUT_OF_ORDER},
    "cards_left_inside": {_F.CARDS_LEFT_INSIDE, _F.LONG_DECK, _R.OUT_OF_ORDER},
    "power_cut":         {PowerUpCause.POWER_RETURNED},
    "cable_pulled":      {"unplugged"},
}
TRIGGERS = {
    "now":            Trigger(),
    "at a card":      Trigger(at_card=2),
    "at a time":      Trigger(at_us=40_000_000),
    "on a condition": Trigger(when="group=2"),
    "on an event":    Trigger(when="event=GroupReady"),
    "by rate":        Trigger(rate=0.3),
}
# fmt: on


class Noticing(Outside):
    def __init__(self, noticed: list[object]) -> None:
        self._noticed = noticed

    def pull_cable(self) -> None:
        self._noticed.append("unplugged")


def rig(profile: str = "i-deal-plus-style") -> tuple[Bare, Controller, list[object]]:
    """A device just before its first round, a controller, and a list of what is noticed."""
    device = Bare(profiles.load(profile), seed=3)
    controller = Controller(device.do, shoe=device.profile.is_shoe)
    noticed: list[object] = []
    device.outside = Noticing(noticed)
    while device.firmware.deal.state.name != "READY":
        if not controller.act():
            device.step()
    device.events.acknowledge(device.events.last)
    return device, controller, noticed


def play(device: Bare, controller: Controller, noticed: list[object], until: Callable[[], bool]) -> bool:
    for _ in range(1500):
        for event in device.events.after(0):
            match event:
                case m.FaultRaised():
                    noticed.append(event.code)
                case m.Misdealt():
                    noticed.append(event.reason)
                case m.PoweredUp():
                    noticed.append(event.cause)
                case m.CardExposed():
                    noticed.append(m.CardExposed)
        device.events.acknowledge(device.events.last)
        if until():
            return True
        if not controller.act() and not device.step():
            device.run_for(1_000_000)
    return until()


@pytest.mark.parametrize("trigger", TRIGGERS.values(), ids=list(TRIGGERS))
@pytest.mark.parametrize("kind", INJECTIONS, ids=lambda kind: kind.name)
def test_an_injection_strikes_when_its_trigger_says_and_looks_like_what_it_is(kind, trigger: Trigger) -> None:
    device, controller, noticed = rig()
    wanted = LOOKS_LIKE.get(kind.name, {kind.fault})
    device.control.inject(kind.name, trigger, **({"level": 0.5} if kind.name == "worn_reader" else {}))
    if kind.name in ("clock_lost", "self_test_failed"):  # nobody looks until the machine is tested
        play(device, controller, noticed, lambda: len(controller.closed) >= 2)
        assert not wanted & set(noticed)
        device.cut_power()
    assert play(device, controller, noticed, lambda: bool(wanted & set(noticed)))
    assert not [armed for armed in device.control.injector.armed if armed.left]


def test_at_a_time_means_then_and_no_sooner() -> None:
    device = begun()
    at = device.now_us + 3_000_000
    device.control.inject("over_temperature", Trigger(at_us=at))
    device.do(m.DealGroup(round=1, groups=0))
    device.run_until(m.FaultRaised)
    assert device.now_us == at


@pytest.mark.parametrize("card", [1, 17, 52])
def test_at_the_nth_card_means_that_card(card: int) -> None:
    device = powered()
    device.control.inject("jam_feeder", Trigger(at_card=card))
    device.do(m.Load())
    raised = device.run_until(m.FaultRaised)
    assert isinstance(raised, m.FaultRaised)
    assert raised.detail == card - 1  # so many had passed


def test_a_pass_with_fewer_cards_is_left_alone() -> None:
    device = begun(seats=1)
    device.control.inject("jam_exit", Trigger(at_card=4))
    device.do(m.DealGroup(round=1, groups=0))
    device.run(lambda: device.firmware.deal.round_state.name == "DECIDING")
    device.do(m.EjectStub())
    raised = device.run_until(m.FaultRaised)
    assert isinstance(raised, m.FaultRaised)
    assert (raised.code, raised.detail) == (FaultCode.JAM_EXIT, 3)


@pytest.mark.parametrize(("times", "struck"), [(1, 1), (3, 3), (0, 8)])
def test_once_or_so_many_times_or_again_and_again(times: int, struck: int) -> None:
    device, controller, noticed = rig()
    device.control.inject("group_removed_short", Trigger(rate=1.0, times=times))
    play(device, controller, noticed, lambda: len(controller.closed) >= 1)
    assert noticed.count(FaultCode.GROUP_REMOVED_SHORT) == struck


def test_a_rate_is_a_rate() -> None:
    device, controller, noticed = rig()
    device.control.inject("group_removed_short", Trigger(rate=0.2, times=0))
    rounds = 60
    for _ in range(rounds):
        goal = len(controller.closed) + 1
        assert play(device, controller, noticed, lambda goal=goal: len(controller.closed) >= goal)  # type: ignore[misc]
    share = len(noticed) / (8 * rounds)
    assert 0.12 < share < 0.28  # 480 lifts: four standard deviations


def test_what_clears_itself_does_so_after_its_time() -> None:
    device = begun()
    device.control.inject("over_temperature", Trigger(clear_after_us=20_000_000))
    device.step()
    start = device.now_us
    assert device.machine.hot
    device.run_until(m.FaultCleared)
    assert device.now_us == start + 20_000_000 + device.profile.timings.recover_us


@pytest.mark.parametrize("by_hand", [False, True])
def test_a_dealer_clears_a_jam_unless_it_is_said_that_nobody_does(by_hand: bool) -> None:
    device = powered()
    device.control.inject("jam_feeder", Trigger(at_card=3, by_hand=by_hand))
    device.do(m.Load())
    device.run_until(m.FaultRaised)
    device.run_for(120_000_000)
    assert bool(of(device, m.DeckLoaded)) is not by_hand


@pytest.mark.parametrize("retries", [1, 2])
def test_a_jam_that_gives_way_costs_time_and_raises_no_fault(retries: int) -> None:
    plain, device = powered(), powered()
    for one in (plain, device):
        if one is device:
            device.control.inject("jam_feeder", Trigger(at_card=3, retries=retries))
        one.do(m.Load())
        one.run_until(m.DeckLoaded)
    assert not of(device, m.FaultRaised)
    assert device.now_us == plain.now_us + retries * device.profile.timings.retry_us


def test_a_jam_that_needs_more_tries_than_the_machine_has_is_a_fault() -> None:
    device = powered()
    device.control.inject("jam_feeder", Trigger(at_card=3, retries=device.profile.build.jam_retries + 1))
    device.do(m.Load())
    device.run_until(m.FaultRaised)


def test_two_injections_that_strike_at_the_same_card_both_strike() -> None:
    device = begun()
    device.control.inject("over_temperature", Trigger(at_card=2))
    device.control.inject("door_open", Trigger(at_card=2))
    device.do(m.DealGroup(round=1, groups=1))
    device.run(lambda: len(of(device, m.FaultRaised)) == 2)
    assert {event.code for event in of(device, m.FaultRaised)} == {_F.OVER_TEMPERATURE, _F.DOOR_OPEN}


def test_an_injection_of_a_card_waits_for_a_deck_that_has_it_and_now_is_refused_without_one() -> None:
    device = loaded()
    with pytest.raises(BadControl, match="the deck in play has 0 cards"):
        device.control.inject("swapped_card", position=30)
    device.control.inject("swapped_card", Trigger(when="deal=ready"), position=30)
    device.do(m.Shuffle(nonce=bytes(16)))
    device.run(lambda: device.firmware.deal.state.name == "READY")
    device.do(m.BeginRound(round=1, seats=0x7F))
    device.do(m.DealGroup(round=1, groups=1))
    device.run_until(m.GroupReady)
    assert len(device.machine.places.dropped) == 1


@pytest.mark.parametrize("value", [True, False])
def test_a_tray_sensor_sticks_at_either_value(value: bool) -> None:
    device = begun()
    device.control.inject("tray_sensor_stuck", value=value)
    assert device.machine.tray_occupied is value
    device.do(m.DealGroup(round=1, groups=0))
    device.run(lambda: bool(of(device, m.FaultRaised)))
    assert [event.code for event in of(device, m.FaultRaised)] == [FaultCode.TRAY_SENSOR_STUCK]


def test_without_an_owner_of_power_and_cable_the_supply_can_not_fail() -> None:
    machine = begun().machine
    injector = Injector(machine, sees_double=True, jam_retries=1, luck=lambda: 0.5, world=World())
    with pytest.raises(BadControl, match="nobody owns this device's cable"):
        injector.inject("cable_pulled")
    with pytest.raises(PowerLost, match="BROWN_OUT, 3 times"):
        injector.inject("brown_out_loop")


def test_conditions_are_fields_of_the_status_or_events() -> None:
    assert parse_condition(" deal = ready ") == Condition("deal", "ready")
    for wrong in ("", "deal", "colour=red", "=READY"):
        with pytest.raises(BadControl, match="a condition reads NAME=VALUE"):
            parse_condition(wrong)


def test_a_condition_holds_by_name_or_number() -> None:
    status = begun(number=3).do(m.GetStatus())
    assert isinstance(status, m.Status)
    for text in ("deal=ready", "deal=1", "round=3", "door_open=0"):
        assert parse_condition(text).holds(status, set())
    assert not parse_condition("deal=no_deck").holds(status, set())
    assert parse_condition("event=GroupReady").holds(status, {"GroupReady"})


def test_every_name_is_told_once_and_every_nature_is_there() -> None:
    assert len(BY_NAME) == len(INJECTIONS)
    assert {kind.nature for kind in INJECTIONS} == set(Nature)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"at_card": 1, "rate": 0.5}, "not both at_card and rate"),
        ({"at_us": -1}, "at_us is at least 0"),
        ({"at_card": 0}, "at_card is at least 1"),
        ({"rate": 1.5}, "a rate is from 0 to 1"),
        ({"times": -1}, "times is at least 0"),
    ],
)
def test_a_trigger_that_can_not_be_meant_is_refused(given: dict, reason: str) -> None:
    with pytest.raises(BadControl, match=reason):
        Trigger(**given)


@pytest.mark.parametrize(
    ("name", "more", "reason"),
    [
        ("jam_exit", {"level": 0.5}, "jam_exit has no option 'level': it has none"),
        ("lost_card", {"face": 3}, "lost_card has no option 'face': it has position"),
        ("jam_exitt", {}, "no injection is called 'jam_exitt'"),
    ],
)
def test_an_option_or_a_name_that_would_be_ignored_is_refused(name: str, more: dict, reason: str) -> None:
    device = powered()
    with pytest.raises(BadControl, match=reason):
        device.control.inject(name, **more)
    assert device.control.injector.armed == []
