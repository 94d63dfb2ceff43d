"""Whole decks from a device: what comes is what it shuffled, in any state and through any injection."""

from dataclasses import replace
from itertools import islice
from typing import Any

import pytest

from firmware_sim.control.setup import load as load_setup
from protocol import messages as m
from protocol.vocabulary import DealState, Role
from randomness.kernels import parse
from randomness.sources import seeded_source
from shuffler.errors import TimedOut
from shuffler.host.client import Client
from shuffler.host.dealing import ready_deck, wait_until_on
from shuffler.lab.collecting import CannotCollect, DeckCollector
from shuffler.lab.collecting.decks import prove

pytestmark = pytest.mark.slow


def collect(url: str, many: int, **settings: Any) -> list[tuple[int, ...]]:
    with Client.open(url) as client:
        collector = DeckCollector(client, supervisor="sun", patience_s=20, **settings)
        return [deck.cards for deck in islice(collector.decks(), many)]


@pytest.mark.parametrize("seats", [0, 1, 7])
def test_what_is_collected_is_what_the_kernel_made(serve: Any, seats: int) -> None:
    """The first two decks of a seeded device start in factory order: their order is the kernel's own."""
    with serve(seed=8) as devices:
        emulator = devices.served[0].emulator
        boots = emulator.device.boots
        found = collect(devices.url, 3, seats=seats)
    source = seeded_source(8, stream=(boots << 32) + (1 << 1))
    kernel = parse("ejection")
    expected = [tuple(kernel.permutations(52, 1, source)[0].tolist()) for _ in range(2)]
    assert found[:2] == expected
    assert sorted(found[2]) == list(range(52))


@pytest.mark.parametrize("seats", [0, 3])
def test_a_sorted_deck_has_a_known_input_and_comes_out_as_the_kernel_moved_it(serve: Any, seats: int) -> None:
    with serve(seed=8) as devices, Client.open(devices.url) as client:
        boots = devices.served[0].emulator.device.boots
        collector = DeckCollector(client, supervisor="sun", seats=seats, sort=True, patience_s=20)
        found = list(islice(collector.decks(), 5))
    source = seeded_source(8, stream=(boots << 32) + (1 << 1))
    kernel = parse("ejection")
    assert [deck.cards for deck in found] == [tuple(kernel.permutations(52, 1, source)[0].tolist()) for _ in range(5)]
    assert {deck.input for deck in found} == {tuple(range(52))}


def test_decks_of_a_seeded_device_are_marked_and_of_others_not(serve: Any) -> None:
    for seed, marks in ((3, ("seeded",)), (None, ())):
        with serve(seed=seed) as devices, Client.open(devices.url) as client:
            deck = next(DeckCollector(client, supervisor="sun").decks())
            assert deck.marks == marks


def test_a_rigged_deck_is_marked_and_the_next_is_not(serve: Any) -> None:
    with serve() as devices:
        devices.do(lambda one: one.emulator.control.rig_hands({1: "Q♠ K♠ A♠"}))
        with Client.open(devices.url) as client:
            decks = list(islice(DeckCollector(client, supervisor="sun").decks(), 3))
    assert [deck.marks for deck in decks] == [("rigged",), (), ()]
    assert decks[0].cards[:3] == (49, 50, 51)


@pytest.mark.parametrize("injection", ["jam-feeder", "power-cut", "cable-pulled", "sticky-cards"])
def test_injections_on_the_way_lose_nothing_and_repeat_nothing(serve: Any, injection: str) -> None:
    with serve(setup=load_setup(injection)) as devices:
        found = collect(devices.url, 12, seats=2)
    assert len(set(found)) == 12
    assert all(sorted(deck) == list(range(52)) for deck in found)


def test_a_deck_that_was_there_before_is_put_out_and_left_out(serve: Any) -> None:
    with serve() as devices:
        with Client.open(devices.url) as before:
            before.call(m.Load(), 20)
            before.wait_for(m.DeckLoaded, 20)
            before.call(m.Shuffle(nonce=bytes(16)), 20)
            done = before.wait_for(m.ShuffleCompleted, 20)
        with Client.open(devices.url) as client:
            collector = DeckCollector(client, supervisor="sun")
            first = next(collector.decks())
    assert first.shuffle == done.shuffle + 1
    assert collector.left_out == {"not shuffled for this collection": 1}


def test_a_device_that_tells_other_cards_than_it_shuffled_is_found_out(serve: Any) -> None:
    class Liar(DeckCollector):
        def _read_stub(self) -> m.Stub:
            told = super()._read_stub()
            cards = (told.opening.cards[1], told.opening.cards[0], *told.opening.cards[2:])
            return replace(told, opening=replace(told.opening, cards=cards))

    with (
        serve() as devices,
        Client.open(devices.url) as client,
        pytest.raises(CannotCollect, match="do not open the commitment"),
    ):
        next(Liar(client, supervisor="sun").decks())


def test_a_round_that_is_open_is_not_trampled_on(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        wait_until_on(client)
        ready_deck(client)
        assert client.ask(m.GetStatus(), m.Status).deal is DealState.READY
        client.call(m.BeginRound(round=99, seats=1))
        with pytest.raises(CannotCollect, match="round 99 is open"):
            next(DeckCollector(client, supervisor="sun").decks())


def test_nobody_lays_a_deck_in(serve: Any) -> None:
    with serve(hands="manual") as devices, Client.open(devices.url) as client:
        collector = DeckCollector(client, supervisor="sun", patience_s=1.0)
        with pytest.raises(TimedOut, match=r"nothing has moved on the device for 1 s \(InfeedState LOADING"):
            next(collector.decks())


@pytest.mark.parametrize(
    ("profile", "why"),
    [("ace-style", "does not read faces.*certify --from"), ("dealing-shoe", "is a shoe: it does not shuffle")],
)
def test_devices_that_can_not_tell_a_deck(serve: Any, profile: str, why: str) -> None:
    with serve(profile) as devices, Client.open(devices.url) as client, pytest.raises(CannotCollect, match=why):
        DeckCollector(client, supervisor="sun")


def test_a_game_of_53_cards_is_refused(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        games = client.ask(m.ListGames(), m.Games).games
        odd = next(game.game for game in games if game.deck_cards == 53)
        while client.ask(m.GetStatus(), m.Status).power.name != "ON":
            client.next_event(0.05)
        client.call(m.SelectGame(game=odd))
        with pytest.raises(CannotCollect, match=r"1 × 53 cards.*--game"):
            DeckCollector(client, supervisor="sun")


@pytest.mark.parametrize(
    ("settings", "words", "why"),
    [
        ({}, "moon", "does not take these words for the supervisor's"),
        ({"role_keys": {}}, "sun", r"has no supervisor.*--role supervisor=WORDS"),
    ],
)
def test_words_that_are_wrong_and_roles_that_are_not_there(serve: Any, settings: Any, words: str, why: str) -> None:
    with (
        serve(**settings) as devices,
        Client.open(devices.url) as client,
        pytest.raises(CannotCollect, match=why),
    ):
        DeckCollector(client, supervisor=words)


def test_too_many_wrong_words_are_told_as_the_device_tells_it(serve: Any) -> None:
    with serve(speed=1.0) as devices, Client.open(devices.url) as client:
        for _ in range(5):
            with pytest.raises(CannotCollect, match="does not take"):
                prove(client, Role.SUPERVISOR, "moon")
        with pytest.raises(CannotCollect, match="try again in"):
            prove(client, Role.SUPERVISOR, "sun")
