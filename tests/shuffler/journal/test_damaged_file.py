"""A file whose pages were damaged: a sentence, never a traceback. `make proof-journal-flips` tries every byte."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from shuffler.journal import JournalError, SqliteJournal, read


def journal(path: Path) -> SqliteJournal:
    return SqliteJournal(path, clock=lambda: "now")


@pytest.mark.parametrize("use", [lambda path: list(read(path)), lambda path: journal(path).close()])
@pytest.mark.parametrize(
    ("statement", "why"),
    [
        ("DELETE FROM records", "record 1 is missing"),
        ("UPDATE meta SET value = 12345678901 WHERE key = 'format'", "other types"),
        ("DELETE FROM meta", "does not say its format"),
    ],
)
def test_is_a_sentence(tmp_path: Path, use: Callable[[Path], object], statement: str, why: str) -> None:
    path = tmp_path / "books.db"
    journal(path).close()
    with closing(sqlite3.connect(path)) as database:
        if "meta" in statement:  # as a damaged page may: without the column's own rules
            database.executescript(
                "CREATE TABLE other (key, value); INSERT INTO other SELECT * FROM meta; DROP TABLE meta;"
                " ALTER TABLE other RENAME TO meta;"
            )
        database.execute(statement)
        database.commit()
    with pytest.raises(JournalError, match=why):
        use(path)


def test_a_cell_without_a_value_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    journal(path).close()
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            "CREATE TABLE other (key, value); INSERT INTO other SELECT * FROM meta;"
            " INSERT INTO other VALUES (NULL, NULL); DROP TABLE meta; ALTER TABLE other RENAME TO meta;"
        )
    with pytest.raises(JournalError, match="other types"):
        list(read(path))
