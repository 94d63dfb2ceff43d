"""The auditor imports nothing of the product, agrees with sound books, and finds what was planted in others."""

import ast
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs import auditor
from proofs.auditor import audit
from proofs.auditor.shown import ShownRound, shown_rounds
from protocol import messages as m
from round_engine.round.operations import CloseRound, DealGroup, DeclareMisdeal, LockWagers, Settle
from round_engine.rules.rulebook import load
from shuffler.journal import SqliteJournal
from shuffler.journal.chain import chained
from shuffler.journal.codec import decode_record, encode_record
from shuffler.journal.entries import Checkpoint, DealtFrom, DeviceSaid, Entry, HeadSigned, Operated
from shuffler.journal.file import GENESIS
from shuffler.journal.restart import reopen
from shuffler.journal.signing import HeadSigner
from shuffler.table.narration import Narrator
from shuffler.table.players import seated
from shuffler.table.view import view_of
from shuffler.virtual.table import VirtualTable, quick

PRODUCT = ("protocol", "randomness", "round_engine", "firmware_sim", "shuffler", "strict_toml")
KEY = HeadSigner.of(Ed25519PrivateKey.from_private_bytes(b"k" * 32))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """A signed journal of three rounds, and what its screen said."""
    path = tmp_path_factory.mktemp("played") / "books.db"
    lines: list[str] = []
    with closing(SqliteJournal(path, clock=lambda: "2026-01-01", signer=KEY)) as books:
        opened = reopen(books, load("south-dakota"))
        build = quick(Build(profile=load_profile("i-deal-style"), serial="A-1", seed=4))
        table = VirtualTable(opened.table, books, seated("Q-6-4", 2), build)
        table.desk.books.listeners.append(Narrator(view_of(table.core), lambda line: lines.append(f"{line}\n")).show)
        table.play(3)
        table.desk.leave("the end")
    return path.read_bytes(), lines


@pytest.fixture
def book(played: tuple[bytes, list[str]], tmp_path: Path) -> Path:
    path = tmp_path / "books.db"
    path.write_bytes(played[0])
    return path


def test_it_imports_nothing_of_the_product() -> None:
    for path in Path(auditor.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] in PRODUCT], path


def test_sound_books_are_sound(book: Path, played: tuple[bytes, list[str]]) -> None:
    shown = shown_rounds(played[1])
    found = audit(book, shown=shown, device_groups=9, keys=frozenset({KEY.public}))
    assert found.problems == []
    assert (found.rounds, found.settled, found.groups, found.openings, found.signatures) == (3, 3, 9, 9, 1)
    assert [one.outcome for one in shown.values()] == ["settled"] * 3
    assert any(one.won for one in shown.values())


# ------------------------------------------------------------------------------------------------------ planted edits


Edit = Callable[[list[Entry]], list[Entry]]


def rewrite(path: Path, edit: Edit) -> None:
    """Change entries and recompute every later hash, as whoever has the file can."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        rows = database.execute("SELECT seq, at, body FROM records ORDER BY seq").fetchall()
        before = GENESIS
        for seq, at, body in rows:
            new = encode_record(edit(decode_record(seq, body)))
            before = chained(before, seq, at.encode(), new)
            database.execute("UPDATE records SET body = ?, hash = ? WHERE seq = ?", (new, before, seq))


def once(change: Callable[[Entry], list[Entry] | None]) -> Edit:
    """The first entry that `change` has something for."""
    done = False

    def edit(entries: list[Entry]) -> list[Entry]:
        nonlocal done
        out: list[Entry] = []
        for entry in entries:
            new = None if done else change(entry)
            done = done or new is not None
            out += [entry] if new is None else new
        return out

    return edit


def raised_payout(entry: Entry) -> list[Entry] | None:
    match entry:
        case Operated(Settle(), postings) if any(one.source == "tray" for one in postings):
            at = next(at for at, one in enumerate(postings) if one.source == "tray")
            more = postings[at]._replace(amount=postings[at].amount + 10_000)
            return [Operated(entry.operation, (*postings[:at], more, *postings[at + 1 :]))]
    return None


def raised_meter(entry: Entry) -> list[Entry] | None:
    if not isinstance(entry, Checkpoint):
        return None
    state = entry.table.to_json()
    state["meters"][0]["amount"] += 5_000_000
    state["balances"]["meter:progressive"] += 5_000_000
    state["balances"]["house"] -= 5_000_000
    return [replace(entry, table=type(entry.table).from_json(state))]


def stolen_contribution(entry: Entry) -> list[Entry] | None:
    match entry:
        case Operated(LockWagers(), postings):
            return [Operated(entry.operation, tuple(one for one in postings if not one.target.startswith("meter:")))]
    return None


def is_said(entry: Entry, kind: type[m.Event]) -> bool:
    return isinstance(entry, DeviceSaid) and isinstance(entry.event, kind)


def other_cards_in_the_books(entry: Entry) -> list[Entry] | None:
    match entry:
        case Operated(DealGroup(cards=(first, second, third)), postings):
            return [Operated(replace(entry.operation, cards=(second, first, third)), postings)]
    return None


def other_cards_from_the_device(entry: Entry) -> list[Entry] | None:
    match entry:
        case DeviceSaid(serial, epoch, m.GroupRemoved(withheld=False) as event):
            first, *rest = event.opening.cards
            opening = replace(event.opening, cards=((first + 1) % 52, *rest))
            return [DeviceSaid(serial, epoch, replace(event, opening=opening))]
    return None


def void_instead_of_paid(entry: Entry) -> list[Entry] | None:
    match entry:
        case Operated(CloseRound(), _):
            return [Operated(DeclareMisdeal(reason="a card fell down"), ())]
    return None


def other_key(entry: Entry) -> list[Entry] | None:
    if not isinstance(entry, HeadSigned):
        return None
    return [HeadSigner.of(Ed25519PrivateKey.from_private_bytes(b"x" * 32)).sign(entry.seq, entry.head)]


PLANTED: dict[str, tuple[Callable[[Entry], list[Entry] | None], str]] = {
    "a payout raised": (raised_payout, "balances are not the sum"),
    "the meter raised, balanced against the house": (raised_meter, "balances are not the sum"),
    "a contribution kept from the meter": (stolen_contribution, "balances are not the sum"),
    "a round settled twice": (lambda e: [e, e] if isinstance(e, Operated) and isinstance(e.operation, Settle) else None,
                              "with 2 settlements"),
    "a round closed twice": (lambda e: [e, e] if isinstance(e, Operated) and isinstance(e.operation, CloseRound)
                             else None, "ended twice"),
    "an event lost": (lambda e: [] if is_said(e, m.GroupReady) else None, "no gap is noted"),
    "an event booked twice": (lambda e: [e, e] if is_said(e, m.GroupRemoved) else None, "no gap is noted"),
    "a round's origin lost": (lambda e: [] if isinstance(e, DealtFrom) else None, "is in no round"),
    "a round dealt from twice": (lambda e: [e, e] if isinstance(e, DealtFrom) else None, "and again"),
    "other cards in the books": (other_cards_in_the_books, "other cards than were dealt"),
    "other cards from the device": (other_cards_from_the_device, "does not open the shuffle's root"),
    "a paid round made void": (void_instead_of_paid, "void with 1 settlements"),
    "signed by another key": (other_key, "not the operator's"),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_edit_is_found_though_every_hash_was_recomputed(name: str, book: Path) -> None:
    change, found_by = PLANTED[name]
    rewrite(book, once(change))
    problems = audit(book, keys=frozenset({KEY.public})).problems
    assert any(found_by in problem for problem in problems), problems


def test_a_rewritten_journal_no_longer_has_its_signed_head(book: Path) -> None:
    rewrite(book, once(stolen_contribution))
    assert any("another head is signed" in problem for problem in audit(book).problems)


def test_an_edited_a_removed_and_a_cut_record_are_found(book: Path, tmp_path: Path) -> None:
    head = audit(book).head
    for statement, sign in (
        ("UPDATE records SET at = 'later' WHERE seq = 5", "record 5: its hash does not follow"),
        ("DELETE FROM records WHERE seq = 5", "record 5 is missing"),
        ("DELETE FROM records WHERE seq = (SELECT max(seq) FROM records)", "the head that was noted is not there"),
    ):
        path = tmp_path / "edited.db"
        path.write_bytes(book.read_bytes())
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute(statement)
        assert any(sign in problem for problem in audit(path, head=head).problems)


def test_what_was_shown_and_not_booked_is_found(book: Path, played: tuple[bytes, list[str]]) -> None:
    shown = shown_rounds(played[1])
    name, one = next((name, one) for name, one in shown.items() if one.won)
    spot, cents = next(iter(one.won.items()))
    shown[name] = ShownRound("settled", {spot: cents + 100})
    shown["R9"] = ShownRound("settled")
    problems = audit(book, shown=shown).problems
    assert any(f"round {name}: spot {spot} was shown" in problem for problem in problems)
    assert any("R9 was shown as settled, it is booked as nothing" in problem for problem in problems)


def test_a_group_that_the_device_alone_knows_is_found(book: Path) -> None:
    assert any("the device dealt 10 groups" in problem for problem in audit(book, device_groups=10).problems)
