"""Long books for benchmarks are sound: the chain holds, everything is replayed, and a table plays on."""

from contextlib import closing
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from benchmarks.bench_table import _table
from benchmarks.long_books import CLOCK, build
from proofs.kills import rules
from shuffler.journal import SqliteJournal, verify
from shuffler.journal.reconcile import reconcile
from shuffler.journal.restart import reopen
from shuffler.journal.signing import HeadSigner


def test_long_books_hold_together_and_are_played_on(tmp_path: Path) -> None:
    path, signer = tmp_path / "long.db", HeadSigner.of(Ed25519PrivateKey.generate())
    rounds = build(path, 100, rules(), signer)
    assert rounds >= 100
    with closing(SqliteJournal(path, clock=lambda: CLOCK, signer=signer)) as books:
        found = reopen(books, rules())
        assert books.base > 2 * (rounds - 30)
        assert found.last_round == rounds
        table = _table(books, 7, found.table, found.last_round)
        table.play(3)
        table.desk.leave("the end")
    assert verify(path, trust=[signer.public]).problem == ""
    reconciled = reconcile(path, rules())
    assert (reconciled.problems, reconciled.rounds) == ([], rounds + 3)
