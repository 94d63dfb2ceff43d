"""What 0.1.0 kept outside its chain: compared with what the chain says, and dropped when the file is continued."""

import json
import sqlite3
from pathlib import Path
from typing import Any, NamedTuple

from protocol.codec import decode_body
from protocol.errors import ProtocolError
from shuffler.journal.chain import FORMAT
from shuffler.journal.errors import JournalBroken
from shuffler.journal.file import INDEX
from shuffler.journal.position import Position

# Run in the transaction that adds the first record of this version's format.
CONVERT = (
    "DROP TABLE newest",
    "DROP TABLE commands",
    "DROP TABLE states",
    "DELETE FROM meta WHERE key != 'format'",
    f"UPDATE meta SET value = '{FORMAT}' WHERE key = 'format'",
    INDEX,
)


class SavedState(NamedTuple):
    """A table's state beside the chain, and the record after which it held."""

    seq: int
    table: Any
    last_round: Any


def restore_settings(database: sqlite3.Connection, position: Position, path: Path) -> None:
    """Whose table it is into `position`."""
    try:
        meta = {key.decode(): value.decode() for key, value in database.execute("SELECT key, value FROM meta")}
        position.instance = bytes.fromhex(meta["instance"])
        position.settings = {str(key): str(value) for key, value in json.loads(meta["settings"]).items()}
        position.reserved = int(meta.get("reserved", 1))
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise JournalBroken(f"{path}: what 0.1.0 noted beside its records can't be read ({problem})") from None


def restore(database: sqlite3.Connection, position: Position, path: Path) -> None:
    """The host's own numbers into `position`; refuses where they contradict the chain."""
    restore_settings(database, position, path)
    try:
        newest = {
            (serial.decode(), int(epoch, 16)): number
            for serial, epoch, number in database.execute("SELECT serial, epoch, number FROM newest")
        }
        for request, code, body in database.execute("SELECT request, code, body FROM commands"):
            position.commands[request] = decode_body(code, body)
    except (KeyError, ValueError, TypeError, AttributeError, ProtocolError) as problem:
        raise JournalBroken(f"{path}: what 0.1.0 noted beside its records can't be read ({problem})") from None
    if newest != position.newest:
        raise JournalBroken(f"{path}: its records hold other events than it says: it was changed after it was written")


def saved_state(database: sqlite3.Connection, path: Path) -> SavedState | None:
    """The newest state that 0.1.0 saved."""
    row = database.execute("SELECT seq, state FROM states ORDER BY seq DESC LIMIT 1").fetchone()
    if row is None:
        return None
    try:
        saved = json.loads(row[1])
        return SavedState(row[0], saved["table"], saved["last_round"])
    except (ValueError, KeyError, TypeError) as problem:
        raise JournalBroken(f"{path}: the state that 0.1.0 saved can't be read ({problem})") from None
