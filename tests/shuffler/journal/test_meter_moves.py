"""The outbox of shared meters: written by the journal itself, in the same record as the move at the table."""

from pathlib import Path

import pytest

from round_engine.hands.cards import parse_hand
from round_engine.round.operations import BackOut, DeclareMisdeal, RevealDealer
from round_engine.rules.rulebook import load
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal import SqliteJournal, read
from shuffler.journal.entries import AwardAsked, AwardFixed, Entry, MeterLinked, MeterMoved, MoveKind, Operated
from shuffler.journal.meter_moves import MeterMoves
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.table.booked_round import BookedRound

RULES = load("south-dakota", sides=["bad-beat"])
LINK = MeterLinked(wager="bad_beat", meter="m", table="t1", transfer=17, reserve_transfer=0)


def play(booked: BookedRound, hand: str = "9♥ 8♥ 7♥", *, settle: bool = True) -> None:
    booked.open((SpotWagers.of(spot=1, player="ann", ante=500, bad_beat=100),), f"s{booked.last_round}", rotation=False)
    booked.deal(1, parse_hand(hand), f"s{booked.last_round - 1}", rotation=False)
    booked.deal(0, None, f"s{booked.last_round - 1}", rotation=False)
    booked.decide(1, True)
    booked.dealer_cards = tuple(parse_hand("K♠ Q♠ J♠"))
    if settle:
        booked.settle()


def moves_of(*entries: Entry) -> list[MeterMoved]:
    outbox, found = MeterMoves(), []
    for entry in entries:
        outbox.take(entry)
        for move in outbox.owed(entry):
            outbox.take(move)
            found.append(move)
    return found


def booked_round() -> BookedRound:
    return BookedRound(Table(RULES), dealer="dealer", supervisor="supervisor", prefix="R", last_round=0)


def test_a_table_without_a_shared_meter_owes_nothing() -> None:
    booked = booked_round()
    play(booked)
    assert moves_of(*booked.entries) == []


def test_linking_owes_what_the_meter_held_above_its_seed() -> None:
    (move,) = moves_of(LINK)
    assert (move.kind, move.change, move.nth) == (MoveKind.TRANSFER, 17, 1)


def test_a_round_owes_its_contribution_and_its_award_each_under_its_key() -> None:
    booked = booked_round()
    play(booked)
    moves = moves_of(LINK, *booked.entries)
    assert [(one.number, one.round_id, one.spot, one.kind, one.nth) for one in moves[1:]] == [
        (2, "R1", 0, MoveKind.CONTRIBUTION, 1),
        (3, "R1", 1, MoveKind.AWARD, 1),
    ]
    assert moves[1].change == 26
    assert (moves[2].prize, moves[2].seed, moves[2].change) == (1_000_026, 1_000_000, -26)


def test_an_award_that_is_backed_out_and_keyed_again_has_a_key_of_its_own() -> None:
    booked = booked_round()
    play(booked, settle=False)
    booked._do(RevealDealer(cards=tuple(booked.dealer_cards)))
    booked._key_awards()
    booked._do(BackOut(wager="bad_beat", record=1, reason="too early", by="supervisor"))
    booked.settle()
    moves = [one for one in moves_of(LINK, *booked.entries) if one.spot]
    assert [(one.kind, one.nth) for one in moves] == [
        (MoveKind.AWARD, 1), (MoveKind.BACK_OUT, 1), (MoveKind.AWARD, 2),
    ]  # fmt: skip
    assert sum(one.change for one in moves[:2]) == 0


def test_a_misdeal_owes_the_contribution_back_and_frees_what_was_asked_for() -> None:
    booked = booked_round()
    booked.open((SpotWagers.of(spot=1, player="ann", ante=500, bad_beat=100),), "s", rotation=False)
    booked.entries.append(AwardAsked(meter="m", round_id="R1", spots=(1,), nths=(1,), percents=(100,)))
    booked.misdeal("a card fell")
    moves = moves_of(LINK, *booked.entries)
    assert [(one.kind, one.change) for one in moves[2:]] == [(MoveKind.VOID, -26), (MoveKind.RELEASE, 0)]


def test_the_ticket_of_a_fixed_prize_goes_with_its_award() -> None:
    booked = booked_round()
    play(booked)
    paying = [i for i, one in enumerate(booked.entries) if isinstance(one, Operated) and len(one.postings) > 1]
    at = next(i for i in paying if i > 3)
    fixed = AwardFixed(meter="m", round_id="R1", spot=1, ticket=9, prize=1_000_026)
    entries = [*booked.entries[: at - 1], fixed, *booked.entries[at - 1 :]]
    award = next(one for one in moves_of(LINK, *entries) if one.kind is MoveKind.AWARD)
    assert award.ticket == 9


def journal(path: Path) -> tuple[SqliteJournal, BookedRound]:
    books = SqliteJournal(path, clock=lambda: "-")
    opened = reopen(books, RULES)
    if not books.position.meters.links:
        books.write([LINK])
    booked = BookedRound(
        opened.table, dealer="dealer", supervisor="supervisor", prefix="R", last_round=opened.last_round
    )
    return books, booked


def test_moves_are_in_the_record_of_their_round_and_go_on_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    for _ in range(2):
        books, booked = journal(path)
        play(booked)
        books.write(booked.entries)
        books.checkpoint(booked.table.state())
        books.close()
    moves = [entry for record in read(path) for entry in record.entries if isinstance(entry, MeterMoved)]
    assert [move.number for move in moves] == [1, 2, 3, 4, 5]
    for record in read(path):
        kinds = [type(entry) for entry in record.entries]
        assert MeterMoved not in kinds or Operated in kinds or MeterLinked in kinds
    assert not reconcile(path, RULES).problems


def test_a_move_that_is_left_out_or_changed_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "books.db"
    books, booked = journal(path)
    play(booked)
    honest = MeterMoves.owed
    monkeypatch.setattr(MeterMoves, "owed", lambda self, entry: honest(self, entry)[: 0 if self.newest > 1 else None])
    books.write(booked.entries)
    books.flush()
    books.close()
    monkeypatch.undo()
    assert any("meter" in problem for problem in reconcile(path, RULES).problems)


def test_a_round_that_waits_for_a_shared_meter_is_left_open_where_that_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    books, booked = journal(path)

    class Never:
        def follow(self, table):
            return ()

        def fix(self, table, round_id, dues):
            from shuffler.table.shared_meters import Fixing

            return Fixing(ready=False)

    booked.meters = Never()
    play(booked)
    assert booked.awaits_meter
    books.write(booked.entries)
    books.flush()
    books.close()
    again = SqliteJournal(path, clock=lambda: "-")
    opened = reopen(again, RULES, resume=True)
    assert opened.voided == ""
    resumed = BookedRound(opened.table, dealer="dealer", supervisor="supervisor", prefix="R", last_round=1)
    assert resumed.awaits_meter
    assert resumed.settle()
    again.write(resumed.entries)
    again.flush()
    again.close()
    assert not reconcile(path, RULES).problems


def test_without_that_it_is_void(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    books, booked = journal(path)
    play(booked, settle=False)
    books.write(booked.entries)
    books.flush()
    books.close()
    again = SqliteJournal(path, clock=lambda: "-")
    assert reopen(again, RULES).voided == "R1"
    last = [entry for record in read(path) for entry in record.entries if isinstance(entry, Operated)][-1]
    assert isinstance(last.operation, DeclareMisdeal)
    again.close()
