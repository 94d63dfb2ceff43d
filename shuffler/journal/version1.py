"""Records of 0.1.0: JSON objects told apart by their keys, notes in prose, events as wire bodies of revision 1.

The only place that reads any of these.
"""

import json
import struct
from typing import Any, NamedTuple

from protocol import messages as m
from protocol.vocabulary import CommitKind
from round_engine.errors import RoundEngineError
from round_engine.ledger import EntryKind as LedgerEntry
from round_engine.ledger import Posting
from round_engine.legacy import Upgrade
from round_engine.operations import from_json as operation_from_json
from shuffler.journal.entries import (
    DealtFrom,
    DeckRefused,
    DeviceSaid,
    Entry,
    LineLost,
    OpeningPosted,
    Operated,
    Remark,
    Unplugged,
)
from shuffler.journal.errors import JournalBroken
from shuffler.journal.layouts import Misfit, layout
from shuffler.journal.past import Named, modern

RIGGED = " rigged or seeded"


class OldEvent(NamedTuple):
    """An event's body in revision 1 of the wire: fixed fields behind number and time, then perhaps an opening."""

    name: str
    format: str
    fields: tuple[str, ...]
    opening: bool = False


EVENTS = {
    0x60: OldEvent("PoweredUp", "IBBI", ("boots", "cause", "interrupted", "round")),
    0x61: OldEvent("DeckLoaded", "H", ("count",)),
    0x63: OldEvent("ShuffleCompleted", "IHBBH16s32s", ("shuffle", "count", "game", "kind", "flags", "nonce", "root")),
    0x64: OldEvent("DeckSorted", "H", ("count",)),
    0x65: OldEvent("DeckVerified", "H?", ("count", "complete")),
    0x66: OldEvent("GroupReady", "IBBB", ("round", "group", "seat", "count")),
    0x67: OldEvent("GroupRemoved", "IBBBI?", ("round", "group", "seat", "count", "shuffle", "withheld"), opening=True),
    0x68: OldEvent("HandDisclosed", "IBBI", ("round", "group", "seat", "shuffle"), opening=True),
    0x69: OldEvent("CardExposed", "IBB", ("round", "group", "seat")),
    0x6A: OldEvent("StubReady", "IH", ("round", "count")),
    0x6B: OldEvent("StubRemoved", "IH", ("round", "count")),
    0x6C: OldEvent("FaultRaised", "BBH", ("code", "place", "detail")),
    0x6D: OldEvent("FaultCleared", "BB", ("code", "how")),
    0x6E: OldEvent("Misdealt", "IBBHH", ("round", "reason", "group", "expected", "seen")),
    0x6F: OldEvent("DoorMoved", "?", ("open",)),
    0x70: OldEvent("ModeChanged", "B", ("mode",)),
    0x71: OldEvent("CountersReported", "IIIII32s",
                   ("shuffles", "rounds", "misdeals", "faults", "log_length", "log_head")),
}  # fmt: skip


class OldReader:
    """Reads the records of one journal in their order."""

    def __init__(self) -> None:
        self._upgrade = Upgrade()
        self._slots: set[tuple[str, str]] = set()  # devices whose newest shuffle commits to places, not faces

    def entries(self, seq: int, body: bytes) -> list[Entry]:
        """The entries of one record; raises JournalBroken."""
        try:
            return [entry for plain in json.loads(body) for entry in self._entries(plain)]
        except (
            ValueError, TypeError, KeyError, IndexError, AttributeError, struct.error, Misfit, RoundEngineError,
        ) as problem:  # fmt: skip
            raise JournalBroken(f"record {seq} can't be read: {problem}") from None

    def _entries(self, plain: dict[str, Any]) -> list[Entry]:
        if "op" in plain:
            postings = _postings(plain.pop("postings", []))
            *first, last = map(operation_from_json, self._upgrade.operations(plain))  # one may have become two
            return [*(Operated(one, ()) for one in first), Operated(last, postings)]
        if "event" in plain:
            return [self._said(plain)]
        if "opened" in plain:
            return [OpeningPosted(_postings(plain["opened"]))]
        return [_note(plain["note"], plain["round"], plain["text"])]

    def _said(self, plain: dict[str, Any]) -> DeviceSaid:
        stream, old, body = (plain["serial"], plain["epoch"]), EVENTS[plain["code"]], bytes.fromhex(plain["body"])
        fixed = struct.Struct(f"<IQ{old.format}")
        names = ("number", "time_ms", *old.fields)
        values: dict[str, Any] = dict(zip(names, fixed.unpack_from(body), strict=True))
        if old.opening:
            values["opening"] = _opening(body[fixed.size :], slots=stream in self._slots)
        elif len(body) != fixed.size:
            raise ValueError(f"{old.name} has {fixed.size} bytes, not {len(body)}")
        event: m.Event = modern(Named("messages", old.name, values))
        if event.number != plain["number"] or old.name != plain["event"]:
            raise ValueError(f"{plain['event']} {plain['number']} is another event than its body")
        if isinstance(event, m.ShuffleCompleted):
            (self._slots.add if event.kind is CommitKind.SLOTS else self._slots.discard)(stream)
        return DeviceSaid(plain["serial"], int(plain["epoch"], 16), event)


def _opening(data: bytes, *, slots: bool) -> Named:
    parts, at = [], 2
    for _ in range(3):
        (count,) = struct.unpack_from("<H", data, at)
        parts.append(data[at + 2 : at + 2 + count])
        at += 2 + count
    codes, salts, proof = parts
    if at != len(data):
        raise ValueError("an opening of another length than it says")
    faces = "places" if slots and "places" in layout(m.Opening).names else "cards"
    first = int.from_bytes(data[:2], "little")
    values = {"first": first, "cards": [], faces: list(codes), "salts": salts, "proof": proof}
    return Named("records", "Opening", values)


def _note(kind: str, round_id: str, text: str) -> Entry:
    match kind:
        case "dealt from":
            return _dealt_from(round_id, text)
        case "line lost":
            return LineLost(text)
        case "unplugged":
            return Unplugged(text)
        case "refused":
            return DeckRefused(text)
    return Remark(round_id, kind, text)


def _dealt_from(round_id: str, text: str) -> DealtFrom:
    """SERIAL/EPOCH/SHUFFLE round NUMBER[ rigged or seeded]; a serial may hold any of these words itself."""
    shuffle_name, number = text.removesuffix(RIGGED).rsplit(" round ", 1)
    serial, epoch, shuffle = shuffle_name.rsplit("/", 2)
    return DealtFrom(
        round_id=round_id, serial=serial, epoch=int(epoch, 16), shuffle=int(shuffle), device_round=int(number),
        rigged=text.endswith(RIGGED),
    )  # fmt: skip


def _postings(rows: list[list[Any]]) -> tuple[Posting, ...]:
    return tuple(Posting(LedgerEntry(row[0]), *row[1:]) for row in rows)
