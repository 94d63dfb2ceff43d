"""Journals of 0.1.0: verified, replayed, refused where what was saved differs, then continued in the same file."""

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from round_engine.operations import DeclareMisdeal
from round_engine.rulebook import load
from round_engine.ruleset import RuleSet
from shuffler.journal import JournalBroken, SqliteJournal, read, rounds, verify
from shuffler.journal.chain import FORMAT, FORMAT_1
from shuffler.journal.entries import Checkpoint, Continued, DealtFrom, DeviceSaid, RulesInForce
from shuffler.journal.reading import position_of
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import OtherRules, reopen
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

DATA = Path(__file__).parent / "data"
RULES = {
    "light-and-wonder": "light-and-wonder",
    "open-round": "south-dakota",
    "void": "ten-dollar-house",
    "jackpot": "south-dakota",
    "spoken-serial": "south-dakota",
}
OUTCOMES = {
    "light-and-wonder": ["settled", "settled", "settled"],
    "open-round": ["settled", "open"],
    "void": ["settled", "void", "settled"],
    "jackpot": ["settled", "settled"],
    "spoken-serial": ["settled", "settled"],
}


def rules_of(name: str) -> RuleSet:
    chosen = load(RULES[name])
    return load(RULES[name], changes={"house": {"limit_ceiling": "$300"}}) if chosen.ceiling_required else chosen


def unpacked(name: str, folder: Path) -> Path:
    path = folder / f"{name}.db"
    path.write_bytes(gzip.decompress((DATA / f"{name}.db.gz").read_bytes()))
    return path


def opened(path: Path) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "2026-06-01T00:00:00.000+00:00")


def change(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute(statement, values)


@pytest.mark.parametrize("name", RULES)
def test_it_is_read_as_it_lies_and_left_alone(name: str, tmp_path: Path) -> None:
    path = unpacked(name, tmp_path)
    before = path.read_bytes()
    assert verify(path).problem == ""
    assert [one.outcome for one in rounds(path)] == OUTCOMES[name]
    assert position_of(path).settings == {"rules": RULES[name]}
    problems = reconcile(path, rules_of(name)).problems
    assert problems == (["round R2 was never ended"] if name == "open-round" else [])
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", RULES)
def test_it_is_continued_in_the_same_file(name: str, tmp_path: Path) -> None:
    path, rules = unpacked(name, tmp_path), rules_of(name)
    old_rows = _rows(path)
    books = opened(path)
    assert books.format == FORMAT_1
    found = reopen(books, rules, rules_name=RULES[name])
    assert books.format == FORMAT
    assert found.voided == ("R2" if name == "open-round" else "")
    build = quick(Build(profile=load_profile("i-deal-style"), serial="NEW", seed=5))
    table = VirtualTable(found.table, books, seated("Q-6-4", 3), build, last_round=found.last_round)
    table.play(2)
    table.desk.leave("the end")
    books.close()
    assert _rows(path)[: len(old_rows)] == old_rows
    assert verify(path).problem == ""
    again = reconcile(path, rules)
    assert again.problems == []
    assert again.rounds == len(OUTCOMES[name]) + 2
    once_more = opened(path)
    assert reopen(once_more, rules, rules_name=RULES[name]).table.ledger == found.table.ledger
    once_more.close()
    kinds = [type(entry) for record in read(path) for entry in record.entries]
    assert kinds.count(Continued) == 1
    assert Checkpoint in kinds


def test_a_serial_may_hold_any_words(tmp_path: Path) -> None:
    path = unpacked("spoken-serial", tmp_path)
    entries = [entry for record in read(path) for entry in record.entries]
    dealt = [one for one in entries if isinstance(one, DealtFrom)]
    said = [one for one in entries if isinstance(one, DeviceSaid)]
    assert [(one.serial, one.device_round) for one in dealt] == [("Pit 3 round table", 1), ("Pit 3 round table", 2)]
    assert {one.epoch for one in dealt} == {one.epoch for one in said}


def test_a_raised_meter_in_the_saved_state_is_refused(tmp_path: Path) -> None:
    path = unpacked("light-and-wonder", tmp_path)
    with closing(sqlite3.connect(path)) as database:
        seq, text = database.execute("SELECT seq, state FROM states").fetchone()
    state = json.loads(text)
    state["table"]["meters"][0]["amount"] += 5_000_000  # balanced against the house, so that only a replay can tell
    state["table"]["balances"]["meter:progressive"] += 5_000_000
    state["table"]["balances"]["house"] -= 5_000_000
    change(path, "UPDATE states SET state = ? WHERE seq = ?", json.dumps(state), seq)
    books = opened(path)
    with pytest.raises(JournalBroken, match="is not what its records lead to"):
        reopen(books, rules_of("light-and-wonder"))
    books.close()
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT value FROM meta WHERE key = 'format'").fetchone() == (FORMAT_1,)


def test_other_event_numbers_beside_the_chain_are_refused(tmp_path: Path) -> None:
    path = unpacked("void", tmp_path)
    change(path, "UPDATE newest SET number = number + 8")
    with pytest.raises(JournalBroken, match="other events than it says"):
        opened(path)


def test_other_rules_lead_to_other_payouts_and_are_refused(tmp_path: Path) -> None:
    path = unpacked("jackpot", tmp_path)
    books = opened(path)
    with pytest.raises(JournalBroken, match="not opened with these meters"):
        reopen(books, load("south-dakota-2015"))
    books.close()


def test_it_is_continued_under_other_rules_on_request(tmp_path: Path) -> None:
    path, other = unpacked("jackpot", tmp_path), load("south-dakota-2015")

    def find(entry: RulesInForce) -> RuleSet:
        return load(entry.name)

    books = opened(path)
    reopen(books, load("south-dakota"), rules_name="south-dakota", find_rules=find)
    books.close()
    books = opened(path)
    with pytest.raises(OtherRules, match="south-dakota"):
        reopen(books, other, rules_name="south-dakota-2015", find_rules=find)
    found = reopen(books, other, rules_name="south-dakota-2015", find_rules=find, accept_rules=True)
    assert found.table.rules is other
    books.close()
    assert reconcile(path, other, find_rules=find, settings={"rules": "south-dakota"}).problems == []


def test_an_old_journal_is_not_taken_for_a_signed_one(tmp_path: Path) -> None:
    path = unpacked("void", tmp_path)
    with pytest.raises(JournalBroken, match="not signed"):
        SqliteJournal(path, clock=lambda: "-", trust=[b"k" * 32])


def test_nothing_is_added_before_it_was_replayed(tmp_path: Path) -> None:
    path = unpacked("void", tmp_path)
    books = opened(path)
    books.write([])
    assert books.next_request() > 1
    with pytest.raises(JournalBroken, match=r"written by 0\.1\.0"):
        books.checkpoint(reopen_state())
    books.close()


def reopen_state() -> object:
    from round_engine.table import Table

    return Table(rules_of("void")).state()


def test_the_open_round_is_void_after_it(tmp_path: Path) -> None:
    path = unpacked("open-round", tmp_path)
    books = opened(path)
    reopen(books, rules_of("open-round"))
    books.close()
    *_, last = rounds(path)
    assert isinstance(last.operations[-1].operation, DeclareMisdeal)


def _rows(path: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT seq, at, body, hash FROM records ORDER BY seq").fetchall()
