"""The SQLite file behind a journal: how it is opened, what its errors mean, whether it is still the same file."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple

from shuffler.journal.chain import FORMAT, NAME, genesis
from shuffler.journal.errors import JournalBroken, JournalError, JournalUnreadable, JournalUnwritable, JournalVanished
from shuffler.journal.rows import LAYOUTS_TEXT

GENESIS = genesis(LAYOUTS_TEXT)
META = (("format", f"{NAME}/{FORMAT}"), ("layouts", LAYOUTS_TEXT))

# Checkpoints and signatures are found without reading what is between them; `E`, x'45', is everything else.
INDEX = "CREATE INDEX kinds ON records (substr(body, 1, 1)) WHERE substr(body, 1, 1) <> x'45'"
SCHEMA = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE records (seq INTEGER PRIMARY KEY, at TEXT NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL);
{INDEX};
"""
PAGE_BYTES = 8192  # hold two or three records of a seven-seat table; SQLite's 4,096 hold one, and are half empty
LOG_PAGES = 256  # of the write-ahead log; written over in place it is durable in half the time of one that still grows
COLUMNS = "SELECT seq, at, body, hash FROM records"
OF_KIND = f"{COLUMNS} WHERE substr(body, 1, 1) = ? AND substr(body, 1, 1) <> x'45'"
NEWEST_FIRST = "ORDER BY seq DESC LIMIT 1"

# What sqlite3 raises; a damaged schema makes it choke on its own message.
SQL_ERRORS = (sqlite3.Error, UnicodeDecodeError)

Connect = Callable[[Path, bool], sqlite3.Connection]


class FileIdentity(NamedTuple):
    """Which file a path leads to."""

    device: int
    inode: int

    @classmethod
    def of(cls, path: str) -> "FileIdentity | None":
        """None where there is no file."""
        try:
            found = os.stat(path)
        except OSError:
            return None
        return cls(found.st_dev, found.st_ino)


def connect(path: Path, create: bool) -> sqlite3.Connection:
    """A connection for writing; text comes as bytes, because a damaged file may hold any."""
    mode = "rwc" if create else "rw"
    if create:  # only its owner may read it; SQLite gives its log the same rights
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    database = sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True, isolation_level=None)
    database.text_factory = bytes
    try:
        database.execute(f"PRAGMA page_size={PAGE_BYTES}")  # of a new file
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
    except BaseException:
        database.close()
        raise
    return database


@contextmanager
def reading(path: Path | str) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a journal; whatever SQLite says inside becomes a JournalError."""
    path = Path(path)
    try:
        if not path.is_file():
            raise JournalUnreadable(f"{path}: there is no such journal")
        with ExitStack() as stack:
            database = stack.enter_context(closing(_open_for_reading(path, stack)))
            check_format(database, path)
            yield database
    except SQL_ERRORS as problem:
        raise meaning(problem, path, writing=False) from problem
    except OSError as problem:
        raise JournalUnreadable(f"{path}: can't be read ({problem.strerror})") from None


def _open_for_reading(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """In place where SQLite can; from a copy where the folder can't be written and a write-ahead log lies there."""
    if not os.access(path, os.R_OK):
        raise JournalUnreadable(f"{path}: may not be read")
    log = path.with_name(path.name + "-wal")
    if os.access(path.parent, os.W_OK) and os.access(path, os.W_OK):
        options = "mode=ro"
    elif log.exists() and log.stat().st_size:
        copy = Path(stack.enter_context(tempfile.TemporaryDirectory())) / path.name
        shutil.copyfile(path, copy)
        shutil.copyfile(log, copy.with_name(log.name))
        path, options = copy, "mode=rw"
    else:
        options = "mode=ro&immutable=1"
    database = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, isolation_level=None)
    database.text_factory = bytes
    return database


def check_format(database: sqlite3.Connection, path: Path) -> None:
    """Raise JournalBroken if the file has another format or other layouts than this program."""
    rows = database.execute("SELECT key, value FROM meta").fetchall()
    if any(type(cell) is not bytes for row in rows for cell in row):
        raise JournalBroken(f"{path}: not a journal: its settings have other types")
    found = dict(rows)
    name, _, number = found.get(b"format", b"").decode(errors="replace").partition("/")
    if name != NAME or not number:
        raise JournalBroken(f"{path}: not a journal: it does not say its format")
    if number != str(FORMAT):
        raise JournalBroken(
            f"{path}: this journal was written in format {number}; this program reads format {FORMAT}: use the program"
            " that wrote it"
        )
    if found != {key.encode(): value.encode() for key, value in META}:
        raise JournalBroken(
            f"{path}: this journal's entries have other fields than this program's: use the program that wrote it, or"
            " the file was changed"
        )


def meaning(problem: Exception, path: Path, *, writing: bool) -> JournalError:
    """An error of SQLite in the journal's words."""
    text = repr(problem.object) if isinstance(problem, UnicodeDecodeError) else str(problem)
    if any(sign in text for sign in ("not a database", "malformed", "no such table", "no such column", "unsupported")):
        return JournalBroken(f"{path}: not a journal, or damaged ({text})")
    if writing:
        return JournalUnwritable(f"{path}: {text}; nothing more is dealt until the journal can be written")
    if "unable to open" in text or "locked" in text:
        return JournalUnreadable(f"{path}: can't be read ({text})")
    return JournalBroken(f"{path}: damaged ({text})")


def gone(path: Path) -> JournalVanished:
    """What to say when the path leads elsewhere."""
    return JournalVanished(
        f"{path}: the journal was deleted or replaced while the table was running; what was written since then is in no"
        " file. Nothing more is dealt: put the right file back and start again"
    )
