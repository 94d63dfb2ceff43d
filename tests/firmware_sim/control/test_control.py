"""The control plane: what a tester can do to cards, hands and parts, and what is refused with a reason."""

import pytest
from device_support import begun, dealt, loaded, of, powered, ready

from firmware_sim.control.cards import card_code, card_codes
from firmware_sim.control.control import Control
from firmware_sim.control.injections import Trigger
from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.mechanism import Mechanism
from proofs.bare import Bare
from protocol import messages as m
from protocol.cards import JOKER
from protocol.vocabulary import DealState, DeviceFlag, FaultCode, RoundState


@pytest.mark.parametrize(
    ("name", "code"),
    [("2♣", 0), ("A♣", 12), ("2d", 13), ("10h", 34), ("Th", 34), ("t♥", 34), ("As", 51), ("A♠", 51), ("joker", JOKER)],
)
def test_cards_have_names(name: str, code: int) -> None:
    assert card_code(name) == code


@pytest.mark.parametrize("name", ["", "A", "♠", "1s", "Ax", "AAs", "11h", "queen"])
def test_what_is_no_card_is_refused_with_how_to_write_one(name: str) -> None:
    with pytest.raises(BadControl, match="is not a card: write a rank of 23456789TJQKA and a suit of"):
        card_code(name)


def test_cards_can_be_numbers_and_wrong_numbers_are_refused() -> None:
    assert card_codes("Q♠ Ks") == [49, 50] == card_codes([49, 50])
    for wrong in (53, -1):
        with pytest.raises(BadControl, match=f"{wrong} is not a face"):
            card_codes([0, wrong])


def deal_all(device: Bare) -> dict[int, tuple[int, ...]]:
    """Shuffle, deal seats 1, 2 and 5, close; the hands by seat."""
    device.do(m.Shuffle(nonce=bytes(16)))
    device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.do(m.BeginRound(round=1, seats=0b10011))
    device.do(m.DealGroup(round=1, groups=0))
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    device.do(m.CloseDecisions(round=1))
    hands = {event.seat: event.opening.cards for event in of(device, m.GroupRemoved) if not event.withheld}
    return hands | {event.seat: event.opening.cards for event in of(device, m.HandDisclosed)}


def test_seats_get_the_hands_they_were_promised_and_the_shuffle_is_marked() -> None:
    device = loaded()
    device.control.rig_hands({2: "Q♠ K♠ A♠", 0: [0, 14, 28]}, seats=[1, 2, 5])
    hands = deal_all(device)
    assert (hands[2], hands[0]) == ((49, 50, 51), (0, 14, 28))
    (shuffled,) = of(device, m.ShuffleCompleted)
    assert DeviceFlag.RIGGED in shuffled.flags


def test_the_first_cards_of_a_deck_can_be_set_and_the_rest_is_as_drawn() -> None:
    rigged, plain = loaded(), loaded()
    rigged.control.rig_deck("2♣ 3♣ 4♣ 5♣")
    assert deal_all(rigged)[1] == (0, 1, 2)
    deal_all(plain)
    after = [card for card in plain.machine.places.table + plain.machine.places.play if card not in (0, 1, 2, 3)]
    assert (rigged.machine.places.table + rigged.machine.places.play)[4:] == after


def test_a_shoe_gets_hands_in_rotation() -> None:
    device = Bare(profiles.load("dealing-shoe"))
    device.control.rig_hands({1: "Q♠ K♠ A♠"}, seats=[1, 3])
    device.run_until(m.PoweredUp)
    device.do(m.Load())
    device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.do(m.BeginRound(round=1, seats=0b101))
    device.do(m.DealGroup(round=1, groups=0))
    device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    assert [card for event in of(device, m.GroupRemoved) if event.seat == 1 for card in event.opening.cards] == [
        49,
        50,
        51,
    ]


@pytest.mark.parametrize(
    ("rig", "says"),
    [
        (lambda control: control.rig_hands({2: "Qs"}), "seat 2 gets 3 cards in this round, not 1"),
        (lambda control: control.rig_hands({3: "Qs Ks As"}, seats=[1]), "seat 3 gets 0 cards in this round, not 3"),
        (lambda control: control.rig_hands({1: "Qs Ks As"}, seats=[8]), "Three Card Poker has seats 1 to 7"),
        (lambda control: control.rig_hands({1: "Qs Ks As"}, seats=[]), "Three Card Poker has seats 1 to 7"),
        (lambda control: control.rig_hands({1: "Qs Ks As", 2: "Qs 2c 3c"}), "a card can't be in two hands"),
        (lambda control: control.rig_deck("As As"), "face 51 is asked for more often than the deck has it"),
        (lambda control: control.rig_deck([0] * 60), "60 cards are more than a deck of 53 has"),
        (lambda control: control.inject("gremlins"), "no injection is called 'gremlins'; there are jam_feeder"),
        (lambda control: control.inject("jam_exit", colour=1), "jam_exit has no option 'colour'"),
        (lambda control: control.inject("jam_exit", Trigger(when="rain")), "a condition reads NAME=VALUE"),
        (lambda control: control.inject("lost_card", position=60), "the deck in play has 0 cards, not that one"),
        (lambda control: control.lay_in([999]), "no such cards beside the machine"),
        (lambda control: control.put_back(1), "0 cards lie on the table, 1 can't be put back"),
        (lambda control: control.empty_inside(), "the door is closed: open it first"),
        (lambda control: control.press("SELF-DESTRUCT"), "there is no button 'SELF-DESTRUCT'; there are OK"),
    ],
)
def test_what_makes_no_sense_is_refused(rig, says: str) -> None:
    with pytest.raises(BadControl) as problem:
        rig(powered().control)
    assert says in str(problem.value)


def test_a_rigged_card_that_the_deck_has_not_is_left_out_and_the_log_says_so() -> None:
    device, plain = loaded(), loaded()
    device.control.rig_deck([JOKER])
    assert deal_all(device) == deal_all(plain)
    (shuffled,) = of(device, m.ShuffleCompleted)
    assert DeviceFlag.RIGGED in shuffled.flags
    page = device.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    left_out = "rigged order left out: the deck has no joker left to put at position 1"
    assert left_out in [line.text for line in page.lines]


def test_the_clock_can_be_turned_on_and_never_back() -> None:
    device = loaded()
    device.do(m.Shuffle(nonce=bytes(16)))
    device.control.advance(3600)
    assert of(device, m.ShuffleCompleted)
    with pytest.raises(BadControl, match="time does not run back: -1 s"):
        device.control.advance(-1)


def test_a_device_that_draws_elsewhere_can_not_be_rigged() -> None:
    profile = profiles.load("ace-style")
    control = Control(
        profile=profile, machine=Mechanism(profile), firmware=lambda: None, engine=None, luck=lambda: 0.5  # type: ignore
    )
    with pytest.raises(BadControl, match="draws its shuffles elsewhere"):
        control.rig_deck("As")
    with pytest.raises(BadControl, match="nobody owns this device's clock"):
        control.advance(1)


def test_the_truth_is_where_the_cards_are() -> None:
    device = begun()
    device.do(m.DealGroup(round=1, groups=1))
    device.run_until(m.GroupReady)
    truth = device.control.truth()
    assert (len(truth.tray), len(truth.play), len(truth.infeed)) == (3, 49, 52)
    assert device.firmware.deal.deck is not None
    assert bytes(truth.tray) == device.firmware.deal.deck.codes[:3]


def test_hands_of_a_tester_are_hands() -> None:
    device = powered(hands="manual")
    control = device.control
    control.lay_in(device.decks[0])
    assert len(control.take_from_infeed()) == 52
    control.lay_in(device.decks[1])
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    control.open_door()
    assert len(control.empty_inside()) == 52
    assert len(control.gather()) == 52


def test_a_card_lifted_and_put_back_is_a_fault_that_clears_when_it_is_taken_again() -> None:
    device = dealt(hands="auto")
    device.do(m.CloseDecisions(round=1))
    device.control.put_back()
    device.step()
    assert device.firmware.desk.code is FaultCode.CARD_PUT_BACK
    device.control.lift()
    device.run_until(m.FaultCleared)


@pytest.mark.parametrize(
    ("button", "before", "does"),
    [
        ("LOAD", powered, lambda device: bool(of(device, m.DeckLoaded))),
        ("SORT", loaded, lambda device: bool(of(device, m.DeckSorted))),
        ("VERIFY", loaded, lambda device: bool(of(device, m.DeckVerified))),
        ("STUB", ready, lambda device: bool(of(device, m.StubReady))),
    ],
)
def test_a_button_does_what_it_says(button: str, before, does) -> None:
    device = before()
    device.control.press(button)
    assert device.run(lambda: does(device))


def test_what_is_active_is_undone_and_what_is_armed_is_cancelled_by_name_or_all() -> None:
    control = powered().control
    control.inject("jam_exit", Trigger(at_card=5))
    control.inject("over_temperature")
    control.inject("over_temperature", Trigger(when="group=2"))
    assert control.clear("over_temperature") == 2
    assert control.clear() == 1
    assert control.clear() == 0


def test_a_shoes_rigged_card_that_the_deck_has_not_is_left_out_and_the_log_says_so() -> None:
    device = Bare(profiles.load("dealing-shoe"))
    device.control.rig_deck([JOKER])
    device.run_until(m.PoweredUp)
    device.do(m.Load())
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    page = device.do(m.ReadLog(after=0, limit=255))
    assert isinstance(page, m.LogPage)
    left_out = "rigged order left out: the deck has no joker left to put at position 1"
    assert left_out in [line.text for line in page.lines]
