"""What the device remembers of decks and rounds, whom it tells, and when it forgets."""

from dataclasses import replace

import pytest
from device_support import begun, dealt, refused

from firmware_sim.machine import profile as profiles
from firmware_sim.program.deck import Deck
from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.recall import DeckRecall
from proofs.bare import Bare
from protocol import messages as m
from protocol.commitment import SALT_BYTES
from protocol.messages import UNCOUNTED
from protocol.vocabulary import CommitKind, DeviceFlag, ErrorCode, Role

PROFILE = profiles.load("i-deal-style")
KEPT = PROFILE.build.recall_rounds


def deck(shuffle: int) -> Deck:
    codes = bytes((face + shuffle) % 52 for face in range(52))
    return Deck(
        shuffle=shuffle, epoch=5, game=1, count=52, kind=CommitKind.ORDER, flags=DeviceFlag(0), nonce=bytes(16),
        codes=codes, salts=bytes(52 * SALT_BYTES),
    )  # fmt: skip


@pytest.fixture
def store() -> NvStore:
    return NvStore()


@pytest.fixture
def memory(store: NvStore) -> DeckRecall:
    return DeckRecall(store, PROFILE)


def play(memory: DeckRecall, number: int, seats: int = 0b11) -> Deck:
    played = deck(number)
    memory.keep(played)
    memory.begin(number, played, 0, seats)
    return played


def recalled(memory: DeckRecall, number: int, seat: int, open_groups: int | None = None) -> tuple[int, ...] | ErrorCode:
    reply = memory.recall(number, seat, open_groups)
    if isinstance(reply, m.Error):
        return reply.code
    assert isinstance(reply, m.RecalledHand)
    return reply.cards


def test_a_round_that_ran_to_its_end_can_be_recalled_seat_by_seat(memory: DeckRecall) -> None:
    play(memory, 1)
    assert recalled(memory, 1, 1) == (1, 2, 3)
    assert recalled(memory, 1, 2) == (4, 5, 6)
    assert recalled(memory, 1, 0) == (7, 8, 9)
    assert recalled(memory, 1, 3) is ErrorCode.NOT_FOUND


def test_of_an_open_round_only_groups_that_were_taken_are_told_and_never_the_dealers(memory: DeckRecall) -> None:
    play(memory, 1)
    assert recalled(memory, 1, 1, open_groups=1) == (1, 2, 3)
    assert recalled(memory, 1, 2, open_groups=1) is ErrorCode.NOT_FOUND
    assert recalled(memory, 1, 0, open_groups=3) is ErrorCode.NOT_FOUND


def test_of_a_voided_round_only_what_was_taken_before_is_told(memory: DeckRecall) -> None:
    played = play(memory, 1)
    memory.broke(1, 1)
    assert recalled(memory, 1, 1) == (1, 2, 3)
    assert recalled(memory, 1, 2) is ErrorCode.NOT_FOUND
    assert recalled(memory, 1, 0) is ErrorCode.NOT_FOUND
    assert memory.is_broken(1, played)
    assert not memory.is_broken(1, deck(2))


def test_a_round_that_was_voided_after_all_its_groups_keeps_the_dealers_cards_closed(memory: DeckRecall) -> None:
    play(memory, 1)
    memory.broke(1, 3)
    assert recalled(memory, 1, 0) is ErrorCode.NOT_FOUND


def test_only_so_many_rounds_are_kept_and_their_decks_go_with_them(memory: DeckRecall, store: NvStore) -> None:
    for number in range(1, KEPT + 4):
        play(memory, number)
        memory.stub_taken(deck(number), 43)
    assert recalled(memory, 3, 1) is ErrorCode.NOT_FOUND
    assert recalled(memory, 4, 1) == (4, 5, 6)
    assert memory.deck(3) is None
    assert len(store.keys("deck:")) == KEPT
    assert len(store.keys("round:")) == KEPT


def test_the_deck_of_the_last_stub_is_kept_however_old(memory: DeckRecall) -> None:
    memory.keep(deck(1))
    memory.stub_taken(deck(1), 28)
    for number in range(2, KEPT + 8):
        play(memory, number)
    assert memory.deck(1) is not None


def test_decks_that_no_round_was_dealt_from_do_not_pile_up(memory: DeckRecall, store: NvStore) -> None:
    for number in range(1, 50):
        memory.keep(deck(number))
        memory.stub_taken(deck(number), 52)
    assert store.keys("deck:") == ["deck:49"]


def test_a_stub_is_opened_from_where_it_began(memory: DeckRecall) -> None:
    played = play(memory, 1)
    memory.stub_taken(played, 28)
    reply = memory.read_stub("S")
    assert isinstance(reply, m.Stub)
    assert (reply.shuffle, reply.opening.first, len(reply.opening.cards)) == (1, 24, 28)
    assert bytes(reply.opening.cards) == played.codes[24:]


def test_of_a_stub_that_was_not_counted_nothing_is_told(memory: DeckRecall) -> None:
    memory.stub_taken(play(memory, 1), UNCOUNTED)
    reply = memory.read_stub("S")
    assert isinstance(reply, m.Stub)
    assert reply.opening.cards == ()


def test_before_any_stub_was_taken_there_is_none_to_read(memory: DeckRecall) -> None:
    reply = memory.read_stub("S")
    assert isinstance(reply, m.Error)
    assert reply.code is ErrorCode.NOT_FOUND


def test_a_round_of_a_game_that_is_not_on_the_menu_any_more_is_an_error_and_nothing_raises(store: NvStore) -> None:
    play(DeckRecall(store, PROFILE), 1)
    other = replace(PROFILE, games=tuple(game for game in PROFILE.games if game.game != 1))
    reply = DeckRecall(store, other).recall(1, 1, None)
    assert isinstance(reply, m.Error)
    assert (reply.code, reply.text) == (ErrorCode.NOT_FOUND, "round 1 was dealt with game 1, which is not on the menu")


def test_a_round_whose_deck_is_not_in_memory_is_an_error(store: NvStore, memory: DeckRecall) -> None:
    play(memory, 1)
    store.put("deck:1", None)
    reply = memory.recall(1, 1, None)
    assert isinstance(reply, m.Error)
    assert (reply.code, reply.text) == (ErrorCode.NOT_FOUND, "the deck of round 1 is not in memory")


@pytest.mark.parametrize("point", [begun, dealt], ids=["dealing", "deciding"])
@pytest.mark.parametrize("loss", ["game", "deck"])
def test_a_device_with_the_memory_of_another_menu_answers_every_command(point, loss: str) -> None:
    before = point()
    if loss == "deck":
        before.store.put("deck:1", None)
        before.store.commit()
        menu = PROFILE
    else:
        menu = replace(PROFILE, games=tuple(game for game in PROFILE.games if game.game != 1))
    device = Bare(menu, store=before.store)
    device.run_until(m.PoweredUp)
    device.run_for(60_000_000)
    commands = [
        m.RecallHand(round=1, seat=1), m.DealGroup(round=1, groups=0), m.CloseDecisions(round=1), m.EjectStub(),
        m.VoidRound(round=1), m.ReadStub(), m.GetStatus(), m.Load(),
    ]  # fmt: skip
    for command in commands:
        device.do(command, Role.SUPERVISOR)
        device.run_for(30_000_000)
    assert refused(device.do(m.RecallHand(round=1, seat=1), Role.SUPERVISOR))[0] is ErrorCode.NOT_FOUND
    assert any("is not in memory" in line or "not on the menu" in line for line in log(device))


def log(device: Bare) -> list[str]:
    page = device.do(m.ReadLog(after=0, limit=255), Role.SUPERVISOR)
    assert isinstance(page, m.LogPage)
    return [line.text for line in page.lines]
