"""The deck in play: rounds, groups, the dealer's cards, the stub, and what is a misdeal."""

import pytest
from device_support import NONCE, begun, dealt, of, ready, refused

from firmware_sim.control.injections import Trigger
from proofs.bare import Bare
from protocol import messages as m
from protocol.vocabulary import (
    DealState,
    ErrorCode,
    FaultCode,
    Interrupted,
    MisdealReason,
    RoundState,
)

_E, _R = ErrorCode, MisdealReason


def at_group(device: Bare, state: DealState = DealState.GROUP_IN_TRAY) -> Bare:
    device.do(m.DealGroup(round=1, groups=0))
    assert device.run(lambda: device.firmware.deal.state is state)
    return device


# ------------------------------------------------------------------------------------------------------------- rounds


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (m.BeginRound(round=5, seats=0), _E.OUT_OF_RANGE, "seats 1 to 7, at least one"),
        (m.BeginRound(round=5, seats=0x80), _E.OUT_OF_RANGE, "seats 1 to 7, at least one"),
        (m.DealGroup(round=1, groups=0), _E.NOT_NOW, "no round has groups left to deal: begin one"),
        (m.CloseDecisions(round=1), _E.WRONG_ROUND, "round 1 is not open"),
        (m.VoidRound(round=1), _E.WRONG_ROUND, "round 1 is not open"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, m.Message) else "",
)
def test_what_can_not_be_done_with_a_ready_deck(command: m.Message, code: ErrorCode, says: str) -> None:
    told, text = refused(ready().do(command))
    assert told is code
    assert says in text


@pytest.mark.parametrize(
    ("command", "code", "says"),
    [
        (m.BeginRound(round=2, seats=1), _E.NOT_NOW, "round 1 is open: close its decisions or void it first"),
        (m.DealGroup(round=2, groups=0), _E.WRONG_ROUND, "the open round is 1"),
        (m.DealGroup(round=1, groups=9), _E.OUT_OF_RANGE, "8 groups are left in this round"),
        (m.CloseDecisions(round=1), _E.NOT_NOW, "8 groups are still to be dealt in round 1"),
        (m.CloseDecisions(round=2), _E.WRONG_ROUND, "round 2 is not open"),
        (m.EjectStub(), _E.NOT_NOW, "8 groups of round 1 come first: deal them or void it"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, m.Message) else "",
)
def test_what_can_not_be_done_with_a_round_just_begun(command: m.Message, code: ErrorCode, says: str) -> None:
    assert refused(begun().do(command)) == (code, says)


def test_round_numbers_grow() -> None:
    device = dealt(number=7)
    device.do(m.CloseDecisions(round=7))
    device.do(m.EjectStub())
    device.run_until(m.StubRemoved)
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    device.do(m.Shuffle(nonce=NONCE))
    device.run(lambda: device.firmware.deal.state is DealState.READY)
    for number in (6, 7):
        assert refused(device.do(m.BeginRound(round=number, seats=1)))[1] == "round numbers grow: the last one was 7"
    assert device.do(m.BeginRound(round=8, seats=1)) == m.Done()


def test_without_a_deck_no_round_begins_and_while_a_group_is_out_no_other_comes() -> None:
    device = dealt()
    device.do(m.CloseDecisions(round=1))
    told, text = refused(device.do(m.BeginRound(round=2, seats=1)))
    assert (told, text) == (_E.NO_CARDS, "no deck is ready (STUB_INSIDE): load and shuffle one first")
    busy = at_group(begun())
    assert refused(busy.do(m.DealGroup(round=1, groups=1)))[0] is _E.NOT_NOW


def test_as_many_groups_come_as_were_asked_for_each_when_the_one_before_was_taken() -> None:
    device = begun(seats=0b111)
    device.do(m.DealGroup(round=1, groups=2))
    assert device.run(lambda: device.firmware.deal.kept.group == 2)
    device.run_for(60_000_000)
    assert (device.firmware.deal.state, len(of(device, m.GroupReady))) == (DealState.READY, 2)
    device.do(m.DealGroup(round=1, groups=0))
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    assert [event.seat for event in of(device, m.GroupReady)] == [1, 2, 3, 0]


def test_a_players_cards_are_named_when_taken_and_the_dealers_when_the_decisions_are_closed() -> None:
    device = at_group(begun(seats=1))
    assert not of(device, m.GroupRemoved)
    device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    player, dealer = of(device, m.GroupRemoved)
    assert (player.seat, len(player.opening.cards), player.withheld) == (1, 3, False)
    assert (dealer.seat, dealer.opening.cards, dealer.opening.salts, dealer.withheld) == (0, (), b"", True)
    assert not of(device, m.HandDisclosed)
    device.do(m.CloseDecisions(round=1))
    (named,) = of(device, m.HandDisclosed)
    assert named.opening.first == 3
    assert refused(device.do(m.CloseDecisions(round=1)))[0] is _E.WRONG_ROUND


# ------------------------------------------------------------------------------------------------------------ misdeals


def test_after_a_misdeal_there_is_no_further_group_and_all_cards_come_back() -> None:
    device = at_group(begun())
    assert device.do(m.VoidRound(round=1)) == m.Done()
    (misdealt,) = of(device, m.Misdealt)
    assert (misdealt.reason, misdealt.group) == (_R.HOST_VOID, 1)
    assert device.firmware.deal.state is DealState.MISDEALT
    for command in (m.DealGroup(round=1, groups=1), m.BeginRound(round=2, seats=1)):
        assert isinstance(device.do(command), m.Error)
    device.run_for(10_000_000)
    assert device.do(m.EjectStub()) == m.Done()
    device.run_until(m.StubRemoved)
    device.do(m.Load())
    counted = device.run_until(m.DeckLoaded)
    assert isinstance(counted, m.DeckLoaded)
    assert counted.count == 52


def test_a_round_that_is_voided_in_mid_delivery_stops_the_motor_where_it_is() -> None:
    device = begun()
    device.do(m.DealGroup(round=1, groups=0))
    device.run_for(device.profile.timings.motor_start_us + 2 * device.profile.timings.deliver_card_us)
    device.do(m.VoidRound(round=1))
    assert len(device.machine.places.tray) == 2
    device.run_for(300_000)
    assert len(device.machine.places.play) == 50


def test_the_dealers_cards_of_a_void_round_are_never_named() -> None:
    device = dealt()
    device.do(m.VoidRound(round=1))
    assert refused(device.do(m.CloseDecisions(round=1)))[0] is _E.WRONG_ROUND
    assert not of(device, m.HandDisclosed)


def test_the_stub_is_ejected_only_into_an_empty_tray() -> None:
    device = at_group(begun())
    device.do(m.VoidRound(round=1))
    assert refused(device.do(m.EjectStub())) == (_E.NOT_NOW, "cards lie in the tray: take them first")


def test_a_stub_of_another_size_is_a_misdeal_while_decisions_are_open_and_a_fault_after() -> None:
    for closed in (False, True):
        device = dealt("ace-style")
        device.control.inject("lost_card", position=4)
        if closed:
            device.do(m.CloseDecisions(round=1))
        device.do(m.EjectStub())
        device.run_until(m.StubReady)
        assert [event.reason for event in of(device, m.Misdealt)] == ([] if closed else [_R.DECK_COUNT])
        assert [event.code for event in of(device, m.FaultRaised)] == ([FaultCode.SHORT_DECK] if closed else [])


def test_an_exposed_card_is_recorded_and_the_round_goes_on() -> None:
    device = begun(seats=0b11)
    device.control.inject("exposed_card", position=4)
    device.do(m.DealGroup(round=1, groups=0))
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    (exposed,) = of(device, m.CardExposed)
    assert (exposed.group, exposed.seat) == (2, 2)
    assert not of(device, m.Misdealt)
    cards = [card for event in of(device, m.GroupRemoved) for card in event.opening.cards]
    assert all(card < 52 for card in cards)  # what it is was read in the shuffle


def test_cards_drawn_with_no_round_open_spoil_the_deck() -> None:
    device = ready()
    device.control.draw()
    device.step()
    assert device.firmware.deal.state is DealState.STUB_INSIDE
    assert not of(device, m.Misdealt)
    assert device.do(m.EjectStub()) == m.Done()


# --------------------------------------------------------------------------------------------------------- interrupted


def test_an_early_grab_holds_the_machine_and_the_rest_of_the_group_follows() -> None:
    device = begun()
    device.control.inject("early_grab")
    device.do(m.DealGroup(round=1, groups=1))
    raised = device.run_until(m.FaultRaised)
    assert isinstance(raised, m.FaultRaised)
    assert (raised.code, raised.detail) == (FaultCode.EARLY_GRAB, 1)
    device.run_until(m.GroupRemoved)
    (removed,) = of(device, m.GroupRemoved)
    assert (removed.count, len(removed.opening.cards)) == (3, 3)
    assert len(device.machine.places.table) == 3


@pytest.mark.parametrize(
    ("state", "fate"),
    [
        (DealState.READY, Interrupted.RESUMED),
        (DealState.DELIVERING, Interrupted.VOIDED),
        (DealState.GROUP_IN_TRAY, Interrupted.RESUMED),
        (DealState.DEALER_IN_TRAY, Interrupted.RESUMED),
        (DealState.STUB_INSIDE, Interrupted.RESUMED),
    ],
    ids=lambda value: value.name,
)
def test_after_a_power_cut_a_round_goes_on_unless_its_cards_were_moving(state: DealState, fate: Interrupted) -> None:
    device = begun(seats=0b11)
    if state is not DealState.READY:
        device.do(m.DealGroup(round=1, groups=0))
        assert device.run(lambda: device.firmware.deal.state is state)
    device.cut_power()
    up = device.run_until(m.PoweredUp)
    assert isinstance(up, m.PoweredUp)
    assert (up.interrupted, up.round) == (fate, 1)
    assert [event.reason for event in of(device, m.Misdealt)] == ([_R.POWER_CUT] if fate is Interrupted.VOIDED else [])
    if fate is Interrupted.RESUMED and state is not DealState.STUB_INSIDE:
        device.do(m.DealGroup(round=1, groups=0))
        assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
        assert [event.group for event in of(device, m.GroupRemoved)] == [1, 2, 3]


def test_a_stub_whose_delivery_was_cut_is_not_counted() -> None:
    device = dealt()
    device.do(m.CloseDecisions(round=1))
    device.do(m.EjectStub())
    device.run_for(500_000)
    device.cut_power()
    device.run_until(m.PoweredUp)
    out = device.run_until(m.StubRemoved)
    assert isinstance(out, m.StubRemoved)
    assert out.count == m.UNCOUNTED
    assert len(device.machine.places.table) == 52


# ------------------------------------------------------------------------------------------------------------ the shoe


def test_a_shoe_deals_several_rounds_until_the_cut_card_and_finishes_the_round_it_comes_in() -> None:
    device = ready("dealing-shoe")
    number = 0
    while device.firmware.deal.state is DealState.READY:
        number += 1
        assert device.do(m.BeginRound(round=number, seats=0b111)) == m.Done()
        device.do(m.DealGroup(round=number, groups=0))
        assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
        device.do(m.CloseDecisions(round=number))
        device.events.acknowledge(device.events.last)
    assert number == 4  # 48 cards: the cut card lies before the 40th
    assert device.firmware.deal.kept.cut_card_out
    assert refused(device.do(m.BeginRound(round=9, seats=1)))[0] is _E.NO_CARDS
    assert device.do(m.EjectStub()) == m.Done()
    out = device.run_until(m.StubRemoved)
    assert isinstance(out, m.StubRemoved)
    assert out.count == 4


def test_a_shoe_with_too_few_cards_for_the_seats_says_how_many_are_left() -> None:
    device = ready("dealing-shoe")
    for number in (1, 2):
        device.do(m.BeginRound(round=number, seats=0b1111))
        device.do(m.DealGroup(round=number, groups=0))
        device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
        device.do(m.CloseDecisions(round=number))
    told, text = refused(device.do(m.BeginRound(round=3, seats=0x7F)))
    assert (told, text) == (_E.NO_CARDS, "24 cards are needed, 22 are left: eject the rest and load anew")


def test_dealing_stops_before_the_event_memory_is_full_and_goes_on_when_the_host_has_caught_up() -> None:
    device = begun()
    while device.events.room > 50:
        device.firmware.board.emit(m.DoorMoved, open=False)
    device.do(m.DealGroup(round=1, groups=0))
    assert device.run(lambda: device.firmware.desk.code is FaultCode.EVENTS_FULL)
    taken = len(of(device, m.GroupRemoved))
    device.run_for(60_000_000)
    assert len(of(device, m.GroupRemoved)) == taken < 8
    assert device.events.room > 0
    device.events.acknowledge(device.events.last)
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)


def test_a_jam_at_the_exit_resumes_the_group_with_the_cards_that_are_missing() -> None:
    device = begun(seats=1)
    device.control.inject("jam_exit", Trigger(at_card=2))
    device.do(m.DealGroup(round=1, groups=1))
    raised = device.run_until(m.FaultRaised)
    assert isinstance(raised, m.FaultRaised)
    assert len(device.machine.places.tray) == raised.detail == 1
    device.run_until(m.GroupRemoved)
    assert len(device.machine.places.table) == 3


def test_the_store_has_a_copy_of_what_the_deal_works_on() -> None:
    device = begun()
    stored = device.store.get("deal")
    assert stored == device.firmware.deal.kept
    device.firmware.deal.kept.tray = 99
    assert device.store.get("deal").tray == 0
