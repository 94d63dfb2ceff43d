"""The firmware from load to stub, through its seam alone."""

from itertools import pairwise

import pytest

from firmware_sim.machine import profile as profiles
from proofs.bare import SERIAL, Bare
from protocol import messages as m
from protocol.commitment import Context, opens
from protocol.vocabulary import CommitKind, DealState, ErrorCode, PowerState, RoundState

SHUFFLERS = [name for name in profiles.names() if not profiles.load(name).is_shoe]
NONCE = bytes(range(16))


def ready(name: str) -> Bare:
    device = Bare(profiles.load(name))
    device.run_until(m.PoweredUp)
    assert device.do(m.Load()) == m.Done()
    device.run_until(m.DeckLoaded)
    if not device.profile.is_shoe:
        assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    return device


def deal_round(device: Bare, number: int, seats: int = 0x7F) -> None:
    assert device.do(m.BeginRound(round=number, seats=seats)) == m.Done()
    assert device.do(m.DealGroup(round=number, groups=0)) == m.Done()
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    assert device.do(m.CloseDecisions(round=number)) == m.Done()


def events(device: Bare, kind: type[m.Event]) -> list[m.Event]:
    return [event for event in device.events.after(0) if isinstance(event, kind)]


def test_commands_that_move_cards_wait_for_the_self_test() -> None:
    device = Bare(profiles.load("i-deal-style"))
    reply = device.do(m.Load())
    assert isinstance(reply, m.Error)
    assert reply.code is ErrorCode.NOT_NOW
    status = device.do(m.GetStatus())
    assert isinstance(status, m.Status)
    assert status.power is PowerState.SELF_TEST


@pytest.mark.parametrize("name", SHUFFLERS)
def test_a_round_from_load_to_stub(name: str) -> None:
    device = ready(name)
    deal_round(device, 1)
    assert device.do(m.EjectStub()) == m.Done()
    removed = device.run_until(m.StubRemoved)
    assert isinstance(removed, m.StubRemoved)
    assert removed.count == 28
    groups = events(device, m.GroupRemoved)
    assert [group.seat for group in groups if isinstance(group, m.GroupRemoved)] == [1, 2, 3, 4, 5, 6, 7, 0]
    assert [event.number for event in device.events.after(0)] == list(range(1, device.events.last + 1))


@pytest.mark.parametrize("name", SHUFFLERS)
def test_every_group_opens_the_commitment_and_the_dealers_only_after_closing(name: str) -> None:
    device = ready(name)
    deal_round(device, 1)
    shuffled, *_ = events(device, m.ShuffleCompleted)
    assert isinstance(shuffled, m.ShuffleCompleted)
    context = Context(
        serial=SERIAL, epoch=device.events.epoch, shuffle=shuffled.shuffle, game=shuffled.game, count=52, nonce=NONCE
    )
    openings = []
    for event in events(device, m.GroupRemoved):
        assert isinstance(event, m.GroupRemoved)
        assert event.withheld is (event.seat == m.DEALER_SEAT)
        assert (event.opening.codes == ()) is event.withheld
        openings += [] if event.withheld else [event.opening]
    disclosed, *rest = events(device, m.HandDisclosed)
    assert isinstance(disclosed, m.HandDisclosed)
    assert not rest
    openings.append(disclosed.opening)
    assert all(opens(context, shuffled.root, opening) for opening in openings)
    codes = [code for opening in openings for code in opening.codes]
    assert len(set(codes)) == 24
    assert any(opening.cards for opening in openings) is (name != "ace-style")
    assert [a.first + len(a.codes) == b.first for a, b in pairwise(openings)] == [True] * 7


def test_a_shoe_deals_one_card_at_a_time_in_rotation() -> None:
    device = ready("dealing-shoe")
    deal_round(device, 1, seats=0b101)
    taken = [event for event in events(device, m.GroupRemoved) if isinstance(event, m.GroupRemoved)]
    assert [event.seat for event in taken] == [1, 3, 0] * 3
    assert {event.count for event in taken} == {1}
    assert [event.withheld for event in taken] == [False, False, True] * 3
    assert len(events(device, m.HandDisclosed)) == 3
    assert device.do(m.BeginRound(round=2, seats=1)) == m.Done()


def test_two_decks_in_turn_the_next_is_staged_while_this_one_is_dealt() -> None:
    device = ready("i-deal-style")
    assert device.do(m.BeginRound(round=1, seats=1)) == m.Done()
    assert device.do(m.Load()) == m.Done()
    device.run_until(m.DeckLoaded)
    assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()
    assert device.do(m.DealGroup(round=1, groups=0)) == m.Done()
    second = device.run_until(m.ShuffleCompleted)
    assert isinstance(second, m.ShuffleCompleted)
    assert second.shuffle == 2
    assert device.do(m.CloseDecisions(round=1)) == m.Done()
    assert device.do(m.EjectStub()) == m.Done()
    device.run_until(m.StubRemoved)
    status = device.do(m.GetStatus())
    assert isinstance(status, m.Status)
    assert (status.deal, status.shuffle) == (DealState.READY, 2)


@pytest.mark.parametrize("name", profiles.names())
def test_no_card_is_lost_over_many_rounds(name: str) -> None:
    device = ready(name)
    everything = sorted(device.machine.places.all())
    for number in range(1, 6):
        deal_round(device, number, seats=1)
        assert sorted(device.machine.places.all()) == everything
        if not device.profile.is_shoe:
            assert device.do(m.EjectStub()) == m.Done()
            device.run_until(m.StubRemoved)
            assert device.do(m.Load()) == m.Done()
            device.run_until(m.DeckLoaded)
            assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()
            device.run_until(m.ShuffleCompleted)
            device.run(lambda: device.firmware.deal.state is DealState.READY)


def test_what_a_profile_cannot_commit_to_is_said() -> None:
    info = ready("ace-style").do(m.GetInfo())
    assert isinstance(info, m.Info)
    assert info.commits is CommitKind.SLOTS
