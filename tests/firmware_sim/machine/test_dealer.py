"""The people at the table: a dealer at a human pace, who mends what a dealer can and calls for service where not."""

import pytest
from device_support import begun, dealt, loaded, of, powered

from firmware_sim.control.injections import Trigger
from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.dealer import ATTEMPTS, Dealer, Pace, seat_dealer
from firmware_sim.machine.mechanism import Mechanism
from proofs.bare import Bare
from proofs.controller import Controller
from proofs.placement import check_placement
from protocol import messages as m
from protocol.cards import CUT_CARD
from protocol.vocabulary import DealState, FaultCode, InfeedState

SLOW = Pace(lift_us=5_000_000, stub_us=6_000_000, collect_us=7_000_000, load_us=8_000_000, attend_us=9_000_000)


def test_the_decks_of_the_table_lie_aside_and_the_first_goes_into_the_infeed_tray() -> None:
    device = Bare(profiles.load("i-deal-style"))
    device.step()
    assert (len(device.machine.places.infeed), len(device.machine.places.aside)) == (52, 52)
    ace = Bare(profiles.load("ace-style"), hands="manual")
    assert (len(ace.machine.places.infeed), len(ace.machine.places.aside)) == (0, 52)


def test_a_shoes_deck_has_a_cut_card() -> None:
    device = Bare(profiles.load("dealing-shoe"), hands="manual")
    assert [device.machine.faces[card] for card in device.decks[0]].count(CUT_CARD) == 1


def test_hands_are_of_two_kinds_and_others_are_refused() -> None:
    with pytest.raises(BadControl, match="hands are auto or manual, not 'robot'"):
        seat_dealer("robot", Mechanism(profiles.load("ace-style")), profiles.load("ace-style"))


def test_a_group_is_lifted_after_a_moment_and_no_sooner() -> None:
    device = begun(pace=SLOW)
    device.do(m.DealGroup(round=1, groups=1))
    device.run_until(m.GroupReady)
    device.run_for(SLOW.lift_us - 1)
    assert not of(device, m.GroupRemoved)
    device.run_for(1)
    device.step()
    assert len(of(device, m.GroupRemoved)) == 1


def test_with_manual_hands_nobody_does_anything() -> None:
    device = powered(hands="manual")
    device.control.lay_in(device.decks[0])
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    device.do(m.Shuffle(nonce=bytes(16)))
    device.run_until(m.ShuffleCompleted)
    device.do(m.BeginRound(round=1, seats=1))
    device.do(m.DealGroup(round=1, groups=0))
    device.run_until(m.GroupReady)
    device.run_for(3_600_000_000)
    assert device.firmware.deal.state is DealState.GROUP_IN_TRAY


def test_two_decks_are_used_in_turn() -> None:
    device = powered()
    homes = []
    for number in range(1, 5):
        device.do(m.Load())
        device.run_until(m.DeckLoaded)
        homes.append(device.machine.places.stack[0] // 52)
        device.do(m.Shuffle(nonce=bytes(16)))
        device.run(lambda: device.firmware.deal.state is DealState.READY)
        device.do(m.BeginRound(round=number, seats=1))
        device.do(m.DealGroup(round=number, groups=0))
        device.run(lambda: device.firmware.deal.state is DealState.STUB_INSIDE)
        device.do(m.CloseDecisions(round=number))
        device.do(m.EjectStub())
        device.run_until(m.StubRemoved)
        assert sorted(device.machine.places.all()) == list(range(104))
    assert homes == [0, 1, 0, 1]


def test_cards_are_collected_once_the_round_is_over_and_not_before() -> None:
    device = dealt(seats=1)
    device.do(m.EjectStub())
    device.run_until(m.StubRemoved)
    device.run_for(600_000_000)
    assert len(device.machine.places.table) == 52  # players still decide
    device.do(m.CloseDecisions(round=1))
    device.run_for(600_000_000)
    assert not device.machine.places.table


def test_a_fault_is_attended_to_after_a_while_and_again_only_so_often() -> None:
    device = loaded()
    device.control.inject("jam_exit", Trigger(at_card=1, by_hand=True))
    device.do(m.Shuffle(nonce=bytes(16)))
    device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.do(m.BeginRound(round=1, seats=1))
    device.do(m.DealGroup(round=1, groups=0))
    device.run_until(m.FaultRaised)
    presses: list[str] = []
    press = device.machine.press
    device.machine.press = lambda button: (presses.append(button), press(button))[1]  # type: ignore[method-assign]
    device.run_for(600_000_000)
    assert presses == ["OK"] * ATTEMPTS
    assert device.firmware.desk.code is FaultCode.JAM_EXIT
    device.control.clear("jam_exit")
    device.control.press("OK")
    device.run_until(m.GroupRemoved)


def test_what_is_for_service_is_left_to_service() -> None:
    device = loaded()
    device.control.inject("random_source")
    device.do(m.Shuffle(nonce=bytes(16)))
    device.run_for(600_000_000)
    assert [event.code for event in of(device, m.FaultRaised)] == [FaultCode.RANDOM_SOURCE]
    assert device.firmware.desk.code is FaultCode.RANDOM_SOURCE
    assert device.machine.noise.stuck_share


def test_a_deck_that_is_not_one_is_taken_out_put_right_and_laid_in_again() -> None:
    device = powered()
    device.run_for(2_000_000)
    device.control.inject("short_deck")
    device.do(m.Load())
    device.run_until(m.FaultRaised)
    assert len(device.machine.places.dropped) == 1
    device.run_until(m.DeckLoaded)
    assert device.machine.places.dropped == []
    assert device.firmware.infeed.state is InfeedState.LOADED


def test_a_sorted_deck_is_put_back_to_be_shuffled() -> None:
    device = loaded()
    device.do(m.Sort())
    device.run_until(m.DeckSorted)
    device.run_for(60_000_000)
    assert len(device.machine.places.infeed) == 52
    device.do(m.Load())
    device.run_until(m.DeckLoaded)


def test_forgotten_cards_are_taken_out_through_the_door() -> None:
    device = powered()
    device.control.inject("cards_left_inside")
    device.do(m.Load())
    assert device.firmware.desk.code is FaultCode.CARDS_LEFT_INSIDE
    device.run_until(m.DeckLoaded)
    assert not device.machine.places.rack


def test_a_card_missing_from_a_shoe_is_found_by_the_count_of_the_rest_and_put_back_into_the_next() -> None:
    device = Bare(profiles.load("dealing-shoe"))
    controller = Controller(device.do, shoe=True)
    device.control.inject("short_deck", Trigger(at_card=7))
    found: list[FaultCode] = []
    while len(controller.closed) < 8:
        if not controller.act():
            device.step()
        found += [event.code for event in of(device, m.FaultRaised)]
        device.events.acknowledge(device.events.last)
    assert found == [FaultCode.SHORT_DECK]
    assert device.machine.places.dropped == []


def test_a_stray_card_is_counted_out_of_a_deck_that_is_too_long_and_stays_out() -> None:
    device = Bare(profiles.load("i-deal-style"))
    controller = Controller(device.do)
    device.step()  # the first deck is laid in
    stray = device.machine.introduce([17])
    device.machine.put_in_infeed([*device.machine.take_from_infeed(), *stray])
    found: list[FaultCode] = []
    while len(controller.closed) < 4:
        if not controller.act():
            device.step()
        found += [event.code for event in of(device, m.FaultRaised)]
        device.events.acknowledge(device.events.last)
    assert set(found) == {FaultCode.LONG_DECK}
    assert len(found) <= ATTEMPTS
    assert stray[0] in device.machine.places.aside


def test_a_deck_for_a_game_with_a_joker_gets_one_and_gives_it_back() -> None:
    device = powered()
    assert device.do(m.SelectGame(game=5)) == m.Done()
    assert device.do(m.Load()) == m.Done()
    loaded = device.run_until(m.DeckLoaded)
    assert isinstance(loaded, m.DeckLoaded)
    assert loaded.count == 53
    assert [event.code for event in of(device, m.FaultRaised)] == [FaultCode.SHORT_DECK]  # it lay there already
    device.do(m.Shuffle(nonce=bytes(16)))
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.do(m.EjectStub())
    assert device.run(lambda: device.firmware.deal.state is DealState.NO_DECK)
    device.run_for(20_000_000)
    assert device.do(m.SelectGame(game=1)) == m.Done()
    assert device.do(m.Load()) == m.Done()
    device.run_until(m.DeckLoaded)
    assert len(device.machine.places.stack) == 52


def test_a_dealer_tries_three_times_to_put_the_same_deck_right_and_then_leaves_it() -> None:
    device = powered()
    people = device.machine.people
    assert isinstance(people, Dealer)
    people._with_jokers = lambda deck: deck  # type: ignore[method-assign]  # has none
    device.do(m.SelectGame(game=5))
    device.do(m.Load())
    device.run_for(600_000_000)
    assert [event.code for event in of(device, m.FaultRaised)] == [FaultCode.SHORT_DECK] * 4
    assert device.firmware.desk.code is FaultCode.SHORT_DECK
    # and the host has a way out: the game that the deck is for
    assert device.do(m.SelectGame(game=1)) == m.Done()
    device.run_until(m.DeckLoaded)


def test_a_dealer_lays_in_a_deck_that_somebody_else_has_put_aside() -> None:
    device = powered()
    device.control.take_from_infeed()
    device.do(m.Load())
    device.run_until(m.DeckLoaded)


def test_a_deck_that_a_tester_has_taken_is_not_laid_in_a_second_time() -> None:
    device = powered()
    assert device.run(lambda: bool(device.machine.places.infeed))
    device.control.lay_in()  # the other deck, which the dealer had in mind
    device.control.take_from_infeed()
    device.control.lay_in(device.decks[1])
    device.control.take_from_infeed()
    device.run_for(120_000_000)
    check_placement(device.machine)
    assert sorted(device.machine.places.infeed) in (device.decks[0], device.decks[1])
