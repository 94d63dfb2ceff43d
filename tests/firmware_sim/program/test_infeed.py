"""The coming deck: counted and read on the way in, shuffled, held against the pack, committed to, staged."""

from collections.abc import Callable

import pytest
from device_support import NONCE, loaded, of, powered, ready

from firmware_sim.control.injections import Trigger
from firmware_sim.machine.mechanism import CardDefect
from proofs.bare import Bare
from protocol import messages as m
from protocol.cards import FOREIGN
from protocol.limits import EVENTS
from protocol.vocabulary import CommitKind, DealState, FaultCode, InfeedState, Mode

_F = FaultCode


def lay_in(device: Bare, change: Callable[[Bare, list[int]], None]) -> None:
    """A deck that was tampered with lies in the infeed tray and is loaded."""
    deck = device.decks[0]
    device.control.lay_in(deck)
    change(device, device.machine.places.infeed)
    assert device.do(m.Load()) == m.Done()
    device.run(lambda: bool(of(device, m.DeckLoaded) or of(device, m.FaultRaised)))


def drop(device: Bare, deck: list[int]) -> None:
    device.machine.places.move(deck[-1:], "infeed", "dropped")


def odd(**defect) -> Callable[[Bare, list[int]], None]:
    def change(device: Bare, deck: list[int]) -> None:
        device.machine.defects[deck[9]] = CardDefect(**defect)

    return change


def face(code: int, at: int = 9) -> Callable[[Bare, list[int]], None]:
    def change(device: Bare, deck: list[int]) -> None:
        device.machine.faces[deck[at]] = code

    return change


def both(*changes: Callable[[Bare, list[int]], None]) -> Callable[[Bare, list[int]], None]:
    def change(device: Bare, deck: list[int]) -> None:
        for one in changes:
            one(device, deck)

    return change


def add(device: Bare, deck: list[int]) -> None:
    (card,) = device.machine.introduce([3])
    device.machine.places.move((card,), "aside", "infeed")


# fmt: off
OBJECTIONS = [
    ("short",               drop,                                        _F.SHORT_DECK,      51),
    ("long",                add,                                         _F.LONG_DECK,       53),
    ("a joker too many",    face(52),                                    _F.FOREIGN_CARD,    52),
    ("foreign",             face(FOREIGN),                               _F.FOREIGN_CARD,    FOREIGN),
    ("twice",               face(4),                                     _F.DUPLICATE_CARD,  4),
    ("face up",             odd(face_up=True),                           _F.FACE_UP_CARD,    1),
    ("unreadable",          odd(unreadable=True),                        _F.UNREADABLE_CARD, 1),
    ("wrong back",          odd(back="other"),                           _F.WRONG_BACK,      1),
    ("the count first",     both(drop, face(FOREIGN)),                   _F.SHORT_DECK,      51),
    ("backs before faces",  both(odd(back="other"), face(FOREIGN, 3)),   _F.WRONG_BACK,      1),
    ("boxed before foreign", both(odd(face_up=True), face(FOREIGN, 3)),  _F.FACE_UP_CARD,    1),
]
# fmt: on


@pytest.mark.parametrize(("name", "change", "code", "detail"), OBJECTIONS, ids=[row[0] for row in OBJECTIONS])
def test_a_deck_is_rejected_for_the_plainest_thing_that_is_wrong_with_it(name, change, code, detail) -> None:
    device = powered("i-deal-plus-style", hands="manual")
    lay_in(device, change)
    (raised,) = of(device, m.FaultRaised)
    assert (raised.code, raised.detail) == (code, detail)
    assert device.firmware.infeed.state is InfeedState.LOADING
    assert not device.machine.next_deck_inside  # it was given back


def test_a_rejected_deck_is_taken_in_again_once_the_fault_is_cleared() -> None:
    device = powered(hands="manual")
    lay_in(device, odd(unreadable=True))
    device.machine.defects.clear()
    device.control.press("OK")
    device.run_until(m.DeckLoaded)
    assert device.firmware.infeed.state is InfeedState.LOADED


def test_loading_waits_for_a_deck_to_be_laid_in() -> None:
    device = powered(hands="manual")
    assert device.do(m.Load()) == m.Done()
    device.run_for(60_000_000)
    assert device.firmware.infeed.state is InfeedState.LOADING
    device.control.lay_in(device.decks[0])
    device.run_until(m.DeckLoaded)


def test_progress_is_told_in_passing_by_count_alone_and_never_at_the_end() -> None:
    device = loaded()
    device.passed.clear()
    device.do(m.Shuffle(nonce=NONCE))
    device.run_until(m.ShuffleCompleted)
    told = [event for event in device.passed if isinstance(event, m.ShuffleProgressed)]
    assert [(event.done, event.total, event.number) for event in told] == [(13, 52, 0), (26, 52, 0), (39, 52, 0)]


@pytest.mark.parametrize("profile", ["i-deal-style", "ace-style"])
def test_what_is_committed_to_is_what_lies_in_the_rack(profile: str) -> None:
    device = ready(profile)
    deck = device.firmware.deal.deck
    assert deck is not None
    faces = bytes(device.machine.faces[card] for card in device.machine.places.play)
    if deck.kind is CommitKind.ORDER:
        assert deck.codes == faces
    else:  # places of the feed, which lay in factory order
        assert deck.kind is CommitKind.SLOTS
        assert deck.codes == faces
    (shuffled,) = of(device, m.ShuffleCompleted)
    assert (shuffled.count, shuffled.nonce) == (52, NONCE)
    assert shuffled.root == deck.commitment(device.firmware.board.serial).root


def test_a_card_that_hides_beneath_another_in_the_shuffle_is_missed_and_the_deck_rejected() -> None:
    device = loaded("ace-style")
    device.control.inject("double_feed", Trigger(at_card=20))
    device.do(m.Shuffle(nonce=NONCE))
    raised = device.run_until(m.FaultRaised)
    assert isinstance(raised, m.FaultRaised)
    assert (raised.code, raised.detail) == (_F.SHORT_DECK, 51)
    assert not of(device, m.ShuffleCompleted)


def test_a_fault_in_the_shuffle_draws_a_fresh_order_afterwards() -> None:
    undisturbed, device = ready(), loaded()
    device.control.inject("jam_transport", Trigger(at_card=20))
    device.do(m.Shuffle(nonce=NONCE))
    device.run_until(m.FaultRaised)
    device.run_until(m.ShuffleCompleted)
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.machine.begin_step()
    assert device.machine.places.play != undisturbed.machine.places.play


def test_hands_inside_spoil_a_staged_deck_and_it_is_counted_anew_and_shuffled_again() -> None:
    device = ready()
    device.do(m.Load())
    device.run_until(m.DeckLoaded)
    device.do(m.Shuffle(nonce=NONCE))
    device.run_until(m.ShuffleCompleted)
    assert device.firmware.infeed.state is InfeedState.STAGED
    device.control.open_door()
    device.step()
    assert device.firmware.infeed.state is InfeedState.RECOUNTING
    device.control.close_door()
    device.run_until(m.DeckLoaded)
    assert device.firmware.infeed.state is InfeedState.LOADED
    assert device.firmware.infeed.staged is None


@pytest.mark.parametrize(
    ("state", "after"),
    [
        (InfeedState.SHUFFLING, InfeedState.SHUFFLING),
        (InfeedState.VERIFYING, InfeedState.RECOUNTING),
    ],
    ids=lambda state: state.name,
)
def test_a_power_cut_before_the_commitment_leaves_nothing_that_was_shuffled(
    state: InfeedState, after: InfeedState
) -> None:
    device = loaded()
    device.do(m.Shuffle(nonce=NONCE))
    device.run(lambda: device.firmware.infeed.state is state)
    device.cut_power()
    device.run_until(m.PoweredUp)
    assert device.firmware.infeed.state is after
    assert not of(device, m.ShuffleCompleted)


def test_a_staged_deck_outlasts_a_power_cut_and_comes_into_play() -> None:
    device = loaded()
    device.do(m.Shuffle(nonce=NONCE))
    device.run_until(m.ShuffleCompleted)
    device.cut_power()
    device.run_until(m.PoweredUp)
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.machine.begin_step()
    assert len(device.machine.places.play) == 52


def test_a_deck_that_was_taken_out_in_the_dark_is_forgotten() -> None:
    device = loaded()
    device.store.commit()
    device.machine.move_door(True)
    device.machine.empty_inside()
    device.machine.move_door(False)
    device.cut_power()
    device.run_until(m.PoweredUp)
    assert device.firmware.infeed.state is InfeedState.EMPTY


def test_a_host_that_never_acknowledges_can_not_fill_the_memory_by_loading_and_sorting() -> None:
    device = powered()
    for _ in range(2 * EVENTS):
        if device.firmware.desk.code is FaultCode.EVENTS_FULL:
            break
        assert device.do(m.Load()) == m.Done()
        device.run(lambda: device.firmware.infeed.state is not InfeedState.LOADING or device.firmware.board.held)
        if not device.firmware.board.held:
            assert device.do(m.Sort()) == m.Done()
            device.run(lambda: device.firmware.mode.state is Mode.PLAY)
    assert device.firmware.desk.code is FaultCode.EVENTS_FULL
    assert 0 < device.events.room < 48
    device.events.acknowledge(device.events.last)
    device.run_until(m.FaultCleared)
    device.run_until(m.DeckLoaded)
