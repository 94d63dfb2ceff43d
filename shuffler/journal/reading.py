"""Reading a journal: records in order, rounds in order, and whether the chain holds. Opens the file read-only."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from round_engine.round.operations import CloseRound, DeclareMisdeal, OpenRound
from shuffler.journal.anchors import Head
from shuffler.journal.chain import verified
from shuffler.journal.codec import SEAL, decode_record
from shuffler.journal.entries import DeviceSaid, Entry, HeadSigned, KeyChanged, Operated
from shuffler.journal.errors import JournalBroken
from shuffler.journal.file import COLUMNS, GENESIS, reading
from shuffler.journal.position import Position
from shuffler.journal.record import Record, record
from shuffler.journal.signing import Trust


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """Whether the chain holds; `problem` says where it does not."""

    records: int
    head: str
    problem: str = ""
    signed_upto: int = 0  # the last record under a signature that was accepted; 0 for none
    signed_by: str = ""


@dataclass(slots=True)
class RoundEntries:
    """All that belongs to one round of the books."""

    round_id: str
    at: str
    opening: OpenRound
    operations: list[Operated] = field(default_factory=list)
    events: list[DeviceSaid] = field(default_factory=list)
    notes: list[Entry] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """settled, void or open."""
        kinds = {type(one.operation) for one in self.operations}
        if CloseRound in kinds:
            return "settled"
        return "void" if DeclareMisdeal in kinds else "open"


def read(path: Path | str) -> Iterator[Record]:
    """Every record in order; raises JournalBroken where the file is no journal."""
    with reading(path) as database:
        for row in verified(database.execute(f"{COLUMNS} ORDER BY seq"), GENESIS):
            yield record(row)


def verify(
    path: Path | str,
    *,
    head: str | None = None,
    trust: Iterable[bytes] = (),
    anchors: Iterable[Head] = (),
    progress: Callable[[int], None] | None = None,
) -> ChainCheck:
    """Recompute the chain and check every signature in it.

    `head` is a hash noted elsewhere that must be in it, so that a cut end is found too; so are the `anchors`, each with
    its record's number. With keys to `trust`, no other signature is accepted, and there must be one.
    """
    keys = Trust(trust)
    wanted: dict[int, set[bytes]] = {}
    for one in anchors:
        wanted.setdefault(one.seq, set()).add(one.hash)
    before, count, noted = GENESIS, 0, head is None
    try:
        with reading(path) as database:
            for row in verified(database.execute(f"{COLUMNS} ORDER BY seq"), GENESIS):
                if row.body[:1] == SEAL:
                    for entry in decode_record(row.seq, row.body):
                        if isinstance(entry, HeadSigned | KeyChanged):
                            keys.take(row.seq, before, entry)
                before, count = row.hash, row.seq
                noted = noted or before.hex() == head
                if wanted.pop(row.seq, {before}) != {before}:
                    raise JournalBroken(f"record {row.seq} is not the one whose hash was noted: it was rewritten")
                if progress is not None and not count % 10_000:
                    progress(count)
    except JournalBroken as problem:
        return ChainCheck(count, before.hex(), str(problem))
    wrong = ""
    if not noted or wanted:
        wrong = "the record that was noted is not there: the end has been cut off, or the journal was rewritten"
    elif keys.given and not keys.signed_upto:
        wrong = "no record is signed by the key that is asked for"
    return ChainCheck(count, before.hex(), wrong, keys.signed_upto, keys.signed_by.hex() if keys.signed_by else "")


def position_of(path: Path | str) -> Position:
    """How far a journal is, and whose it is."""
    position = Position()
    for one in read(path):
        for entry in one.entries:
            position.take(entry)
    return position


def rounds(path: Path | str) -> Iterator[RoundEntries]:
    """The rounds in order, each with its operations, notes and the device events that came while it was open."""
    current: RoundEntries | None = None
    for one in read(path):
        for entry in one.entries:
            if isinstance(entry, Operated) and isinstance(entry.operation, OpenRound):
                if current is not None:
                    yield current
                current = RoundEntries(entry.operation.round_id, one.at, entry.operation)
            if current is None:
                continue
            match entry:
                case Operated():
                    current.operations.append(entry)
                case DeviceSaid():
                    current.events.append(entry)
                case _:
                    current.notes.append(entry)
    if current is not None:
        yield current
