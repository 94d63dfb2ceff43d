"""Signed books, changed keys, noted heads: what each finds, and what only the next one does."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs.auditor import audit
from round_engine.rules.rulebook import load
from shuffler.journal import JournalBroken, JournalUnwritable, SqliteJournal, read, verify
from shuffler.journal.anchors import CommandAnchor, PathAnchor, read_anchors
from shuffler.journal.chain import chained
from shuffler.journal.codec import decode_record, encode_record
from shuffler.journal.entries import Checkpoint, Entry, HeadAnchored, HeadSigned, KeyChanged
from shuffler.journal.file import GENESIS
from shuffler.journal.reconcile import Audit
from shuffler.journal.restart import OtherRules, reopen
from shuffler.journal.signing import HeadSigner
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

RULES = load("south-dakota")
KEY = HeadSigner.of(Ed25519PrivateKey.from_private_bytes(b"k" * 32))
OTHER = HeadSigner.of(Ed25519PrivateKey.from_private_bytes(b"o" * 32))


def journal(path: Path, **options: Any) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"}, **options)


def play(path: Path, rounds: int = 1, **options: Any) -> None:
    with closing(journal(path, **options)) as books:
        opened = reopen(books, RULES)
        build = quick(Build(profile=load_profile("i-deal-style"), serial=f"S-{books.records}", seed=2))
        table = VirtualTable(opened.table, books, seated("Q-6-4", 2), build, last_round=opened.last_round)
        table.play(rounds)
        table.desk.leave("the end")


def rewrite(path: Path, edit: Any) -> None:
    """What whoever has the file can do: change entries and recompute every later hash."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        rows = database.execute("SELECT seq, at, body FROM records ORDER BY seq").fetchall()
        before = GENESIS
        for seq, at, body in rows:
            new = edit(decode_record(seq, body))
            body = body if new is None else encode_record(new)
            before = chained(before, seq, at.encode(), body)
            database.execute("UPDATE records SET body = ?, hash = ? WHERE seq = ?", (body, before, seq))


def raise_the_meter(entries: list[Entry]) -> list[Entry] | None:
    """+$50,000 on the meter, balanced against the house."""
    if not isinstance(entries[-1], Checkpoint):
        return None
    state = entries[-1].table.to_json()
    state["meters"][0]["amount"] += 5_000_000
    state["balances"]["meter:progressive"] += 5_000_000
    state["balances"]["house"] -= 5_000_000
    return [*entries[:-1], replace(entries[-1], table=type(entries[-1].table).from_json(state))]


def test_a_raised_meter_is_refused_though_the_whole_chain_was_recomputed(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path)
    rewrite(path, raise_the_meter)
    assert verify(path).problem == ""  # nobody signed, nobody noted the head: the chain alone can't tell
    with closing(journal(path)) as books, pytest.raises(JournalBroken, match="checkpoint is not what the records"):
        reopen(books, RULES)
    assert audit(path).problems


def test_an_edit_without_the_hashes_is_refused_at_opening(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("UPDATE records SET at = 'yesterday' WHERE seq = 4")
    with pytest.raises(JournalBroken, match="record 4"):
        journal(path)


def test_checkpoints_are_signed_at_every_close_and_on_the_way(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 30, signer=KEY)
    play(path, 1, signer=KEY)
    entries = [entry for record in read(path) for entry in record.entries]
    signed = [entry for entry in entries if isinstance(entry, HeadSigned)]
    assert len(signed) == sum(isinstance(entry, Checkpoint) for entry in entries) >= 3
    verdict = verify(path, trust=[KEY.public])
    assert (verdict.problem, verdict.signed_upto) == ("", verdict.records - 1)
    assert verdict.signed_by == KEY.public.hex()
    assert "not an accepted key" in verify(path, trust=[OTHER.public]).problem
    found = audit(path, keys=frozenset({KEY.public}))
    assert (found.problems, found.signatures) == ([], len(signed))


def test_it_is_opened_from_the_newest_signed_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 2, signer=KEY)
    with closing(journal(path)) as whole:
        assert whole.base == 0
        state = replayed(whole)
    with closing(journal(path, trust=[KEY.public])) as books:
        assert books.base == max(row.seq for row in read(path) if isinstance(row.entries[-1], Checkpoint)) - 1
        assert replayed(books) == state
        assert books.position.rounds == whole.position.rounds
        assert books.position.newest == whole.position.newest != {}


def test_a_signed_table_that_was_killed_is_opened_from_its_checkpoint(tmp_path: Path) -> None:
    """The checkpoint's record also holds what was pending before it: that must not be replayed a second time."""
    path = tmp_path / "books.db"
    books = journal(path, signer=KEY)
    opened = reopen(books, RULES)
    build = quick(Build(profile=load_profile("i-deal-style"), serial="S-K", seed=2))
    table = VirtualTable(opened.table, books, seated("Q-6-4", 2), build)
    table.play(40)
    books.flush()
    books.close()  # killed
    again = journal(path, signer=KEY)
    assert again.base > 0
    (first, *_) = again.read()
    assert len(first.entries) > 1
    found = reopen(again, RULES)
    assert found.last_round == table.core.round.last_round
    again.close()
    with closing(journal(path)) as whole:
        assert reopen(whole, RULES).table.ledger == found.table.ledger


def replayed(books: SqliteJournal) -> Any:
    audit_ = Audit(RULES, from_checkpoint=bool(books.base))
    for record in books.read():
        audit_.take(record)
    assert audit_.found.stops == []
    assert audit_.table is not None
    return audit_.table.state()


def test_a_rewritten_journal_is_refused_by_its_key(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 2, signer=KEY)
    rewrite(path, raise_the_meter)
    with pytest.raises(JournalBroken, match="signs another head"):
        journal(path, signer=KEY)
    assert "signs another head" in verify(path).problem


def test_a_journal_without_signatures_is_not_taken_for_a_signed_one(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path)
    with pytest.raises(JournalBroken, match="not signed by the key"):
        journal(path, signer=KEY)
    assert "no record is signed" in verify(path, trust=[KEY.public]).problem
    with closing(journal(path, signer=KEY, adopt=True)) as books:
        books.checkpoint(reopen(books, RULES).table.state())
    assert verify(path, trust=[KEY.public]).problem == ""


def test_a_key_is_handed_over_and_a_lost_one_is_declared(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1, signer=KEY)
    with closing(journal(path, signer=KEY)) as books:
        state = reopen(books, RULES).table.state()
        books.checkpoint(state)
        books.change_key(KEY.hand_over(books.records, books.head, OTHER.public), OTHER)
        books.checkpoint(state)
    assert verify(path, trust=[KEY.public]).problem == ""
    assert audit(path, keys=frozenset({KEY.public})).problems == []
    play(path, 1, signer=OTHER)
    third = HeadSigner.of(Ed25519PrivateKey.from_private_bytes(b"3" * 32))
    with closing(journal(path)) as books:
        state = reopen(books, RULES).table.state()
        books.change_key(KeyChanged(old=b"", new=third.public, signature=b""), third)
        books.checkpoint(state)
    assert "is lost" in verify(path, trust=[KEY.public]).problem
    assert verify(path, trust=[KEY.public, third.public]).problem == ""
    assert audit(path, keys=frozenset({KEY.public})).problems
    assert audit(path, keys=frozenset({KEY.public, third.public})).problems == []


def test_a_journal_set_back_is_found_by_its_anchor(tmp_path: Path) -> None:
    path, notes = tmp_path / "books.db", PathAnchor(tmp_path / "heads.jsonl")
    play(path, signer=KEY, anchors=[notes])
    older = path.read_bytes()
    play(path, signer=KEY, anchors=[notes])
    assert any(isinstance(entry, HeadAnchored) for record in read(path) for entry in record.entries)
    assert verify(path, anchors=read_anchors(notes.path)).problem == ""
    path.write_bytes(older)
    assert verify(path, trust=[KEY.public]).problem == ""  # an older copy is a good journal
    assert "noted is not there" in verify(path, anchors=read_anchors(notes.path)).problem
    with pytest.raises(JournalBroken, match="set back"):
        journal(path, signer=KEY, anchors=[notes])
    path.unlink()
    with pytest.raises(JournalBroken, match="another journal"):
        journal(path, signer=KEY, anchors=[notes])


def test_a_command_takes_the_head(tmp_path: Path) -> None:
    script = tmp_path / "note"
    script.write_text(f"#!/bin/sh\necho $1 $2 $3 >> {tmp_path}/noted\n")
    script.chmod(0o755)
    path = tmp_path / "books.db"
    play(path, anchors=[CommandAnchor([str(script)])])
    instance, seq, head = (tmp_path / "noted").read_text().split()
    assert verify(path, head=head).problem == ""
    assert int(seq) == verify(path).records - 1  # the last record says where the head was noted
    assert len(instance) == 32
    with pytest.raises(JournalUnwritable, match="can't be noted"):
        play(path, anchors=[CommandAnchor(["/no/such/program"])])


def test_other_rules_are_refused_and_accepted_on_request(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path)
    changed = load("south-dakota", changes={"house": {"seats": 5}})
    with closing(journal(path)) as books:
        with pytest.raises(OtherRules, match="--accept-rules"):
            reopen(books, changed, find_rules=lambda _: RULES)
        opened = reopen(books, changed, rules_name="five seats", accept_rules=True, find_rules=lambda _: RULES)
        assert opened.table.rules is changed
        assert opened.last_round == 1
    with closing(journal(path)) as books:
        again = reopen(books, changed, find_rules=lambda _: RULES)
        assert again.table.ledger == opened.table.ledger
        assert again.warnings == ()
    with closing(journal(path)) as books:  # the first rules are gone: what was played under them is not replayed
        assert "is not here" in reopen(books, changed).warnings[0]
    rewrite(path, raise_the_meter)  # … but no money comes from nowhere
    with closing(journal(path)) as books, pytest.raises(JournalBroken, match="checkpoint is not what the records"):
        reopen(books, changed)


def test_a_forged_first_checkpoint_is_refused_where_no_meter_was_opened(tmp_path: Path) -> None:
    path, rules = tmp_path / "books.db", load("ten-dollar-house")
    with closing(journal(path)) as books:
        books.checkpoint(reopen(books, rules).table.state())

    def forge(entries: list[Entry]) -> list[Entry] | None:
        if not isinstance(entries[-1], Checkpoint):
            return None
        state = entries[-1].table.to_json() | {"balances": {"tray": 5_000_000, "house": -5_000_000}}
        return [*entries[:-1], replace(entries[-1], table=type(entries[-1].table).from_json(state))]

    rewrite(path, forge)
    with closing(journal(path)) as books, pytest.raises(JournalBroken, match="checkpoint is not what the records"):
        reopen(books, rules)
