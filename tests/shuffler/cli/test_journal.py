"""`shuffler journal`: every verb on good, signed, damaged, missing and foreign files; one exit code for one fault."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from typer.testing import CliRunner, Result

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.unit.emulator import Build
from proofs.journal_flips import damaged
from protocol import messages as m
from round_engine.rules.rulebook import load
from shuffler.cli import app
from shuffler.journal import SqliteJournal
from shuffler.journal.restart import reopen
from shuffler.table.players import seated
from shuffler.virtual.table import VirtualTable, quick

VERBS = (
    ("list",), ("show", "R1"), ("verify",), ("reconcile",), ("replay",), ("export",), ("export", "--format", "csv"),
)  # fmt: skip
FAULTS = {
    "missing": 2, "empty": 1, "text": 1, "another database": 1, "cut": 1, "0xff in a body": 1, "edited": 1,
}  # fmt: skip


def journal(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["journal", *map(str, arguments)])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("played") / "books.db"
    with closing(SqliteJournal(path, clock=lambda: "2026-01-01", settings={"rules": "south-dakota"})) as books:
        opened = reopen(books, load("south-dakota"), rules_name="south-dakota")
        build = quick(Build(profile=load_profile("i-deal-style"), serial="C-1", seed=4))
        table = VirtualTable(opened.table, books, seated("Q-6-4", 2), build)
        table.play(2)
        table.desk.leave("the end")
    return path.read_bytes()


@pytest.fixture
def book(played: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "books.db"
    path.write_bytes(played)
    return path


def key_files(folder: Path, name: str) -> tuple[Path, Path]:
    key = Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b"."))
    private, public = folder / f"{name}.pem", folder / f"{name}.pub"
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    public.write_bytes(key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    return private, public


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_a_good_journal_is_read(verb: tuple[str, ...], book: Path) -> None:
    result = journal(verb[0], book, *verb[1:])
    assert result.exit_code == 0, result.output
    assert result.output


def test_a_gap_is_a_warning_in_the_list(book: Path) -> None:
    with closing(SqliteJournal(book, clock=lambda: "2026-01-02")) as books:
        reopen(books, load("south-dakota"), rules_name="south-dakota")
        books.store_event("C-1", 77, m.DoorMoved(number=9, time_ms=1, open=True))
        books.flush()
    assert "WARNING: events of the device are missing" in journal("list", book).output
    assert "WARNING: record" in journal("reconcile", book).output
    assert journal("reconcile", book).exit_code == 0


def test_export_names_every_field(book: Path) -> None:
    lines = [json.loads(line) for line in journal("export", book).output.splitlines()]
    ops = [line["op"] for line in lines if "op" in line]
    assert ops.count("OpenRound") == ops.count("CloseRound") == 2
    group = next(line for line in lines if line.get("event") == "GroupRemoved")
    assert len(bytes.fromhex(group["opening"]["salts"])) == 96
    kinds = {line["entry"] for line in lines if "entry" in line}
    assert kinds >= {"JournalBegun", "RulesInForce", "Checkpoint", "DealtFrom"}
    rows = journal("export", book, "--format", "csv").output.splitlines()
    assert rows[0].startswith("seq,at,op,entry,spot")
    assert any(",Settle," in row for row in rows)


def test_a_file_is_named_once(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no journal")
    assert journal("verify", tmp_path / "text").stderr.count(str(tmp_path)) == 1


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
@pytest.mark.parametrize(("fault", "code"), FAULTS.items(), ids=FAULTS)
def test_one_fault_has_one_exit_code_and_a_sentence(verb: tuple[str, ...], fault: str, code: int, book: Path) -> None:
    data = book.read_bytes()
    if fault == "missing":
        book.unlink()
    elif fault == "empty":
        book.write_bytes(b"")
    elif fault == "text":
        book.write_text("not a journal, only text" * 100, encoding="ascii")
    elif fault == "another database":
        book.unlink()
        with closing(sqlite3.connect(book)) as database:
            database.execute("CREATE TABLE other (x)")
    elif fault == "cut":
        book.write_bytes(damaged(data, "cut", len(data) // 2))
    else:
        with closing(sqlite3.connect(book, isolation_level=None)) as database:
            if fault == "edited":
                database.execute("UPDATE records SET at = 'x' WHERE seq = 4")
            else:
                (body,) = database.execute("SELECT body FROM records WHERE seq = 4").fetchone()
                database.execute("UPDATE records SET body = ? WHERE seq = 4", (body[:9] + b"\xff" + body[10:],))
    result = journal(verb[0], book, *verb[1:])
    assert result.exit_code == code, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert "books.db" in result.stderr or "record" in result.stderr


def test_sign_verify_and_change_the_key(book: Path, tmp_path: Path) -> None:
    first, first_public = key_files(tmp_path, "first")
    second, second_public = key_files(tmp_path, "second")
    assert "could have rewritten" in journal("verify", book).output
    assert journal("verify", book, "--key", first_public).exit_code == 1
    assert journal("sign", book, "--key", first).exit_code == 0
    assert "signed up to record" in journal("verify", book, "--key", first_public).output
    assert journal("verify", book, "--key", second_public).exit_code == 1
    assert journal("change-key", book, "--new", second).exit_code == 2
    assert journal("change-key", book, "--old", first, "--new", second).exit_code == 0
    assert journal("verify", book, "--key", first_public).exit_code == 0
    third, third_public = key_files(tmp_path, "third")
    assert journal("change-key", book, "--lost", "--new", third).exit_code == 0
    assert journal("verify", book, "--key", first_public).exit_code == 1
    assert journal("verify", book, "--key", first_public, "--key", third_public).exit_code == 0
    assert journal("reconcile", book).exit_code == 0
