"""Entries of a record as dictionaries by field name, whichever version wrote it: zlib, JSON, the file's own schema."""

import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from proofs.auditor.file import Row, Unsound

Named = dict[str, Any]

# 0.1.0 kept events as wire bodies; these three are read here, with the offsets of the protocol's reference.
GROUP_REMOVED, HAND_DISCLOSED, SHUFFLE_COMPLETED = 0x67, 0x68, 0x63
# A schema is needed to read a schema: this layout never changes.
FIRST_LAYOUTS = {"entries": {"SchemaInForce": ["version", "layouts"]}}


class Reader:
    """Follows the schema as the file changes it."""

    def __init__(self) -> None:
        self._layouts: dict[str, dict[str, list[str]]] = FIRST_LAYOUTS
        self._tail = b""

    def entries(self, row: Row) -> Iterator[Named]:
        try:
            if row.body.startswith(b"["):
                yield from map(_old_entry, json.loads(row.body))
                return
            data = zlib.decompress(row.body[1:])
            length = int.from_bytes(data[:4], "little")
            self._tail = data[4 + length :]
            for plain in json.loads(data[4 : 4 + length]):
                entry = self._of("entries", plain)
                if entry["name"] == "SchemaInForce":
                    self._layouts = entry["layouts"]
                yield entry
            if self._tail:
                raise Unsound(f"record {row.seq}: bytes are left over")
        except (ValueError, KeyError, TypeError, IndexError, zlib.error, struct.error) as problem:
            raise Unsound(f"record {row.seq} can't be read: {problem!r}") from None

    def _of(self, section: str, plain: list[Any]) -> Named:
        return {"name": plain[0]} | self._fields(self._layouts[section][plain[0]], plain[1:])

    def _fields(self, layout: list[str], plain: list[Any]) -> Named:
        if len(layout) != len(plain):
            raise ValueError(f"{len(plain)} fields for {layout}")
        found = {}
        for text, value in zip(layout, plain, strict=True):
            name, _, mark = text.partition(":")
            found[name] = self._value(mark, value)
        return found

    def _value(self, mark: str, value: Any) -> Any:
        if not mark or value is None:
            return value
        if mark == "bytes":
            taken, self._tail = self._tail[:value], self._tail[value:]
            if len(taken) != value:
                raise ValueError("the tail is too short")
            return taken
        if mark in ("operation", "message"):
            return self._of(mark + "s", value)
        if mark.startswith("["):
            return [self._value(mark[1:-1], one) for one in value]
        return self._fields(self._layouts["records"][mark], value)


# ------------------------------------------------------------------------------------------------------------ 0.1.0


def _old_entry(plain: Named) -> Named:
    if "op" in plain:
        postings = [_posting(row) for row in plain.pop("postings", [])]
        return {"name": "Operated", "operation": {"name": plain.pop("op"), **plain}, "postings": postings}
    if "event" in plain:
        body = bytes.fromhex(plain["body"])
        event = {"name": plain["event"], "number": plain["number"], **_old_event(plain["code"], body)}
        return {"name": "DeviceSaid", "serial": plain["serial"], "epoch": int(plain["epoch"], 16), "event": event}
    if "opened" in plain:
        return {"name": "OpeningPosted", "postings": [_posting(row) for row in plain["opened"]]}
    if plain["note"] == "dealt from":
        name, number = plain["text"].removesuffix(" rigged or seeded").rsplit(" round ", 1)
        serial, epoch, _ = name.rsplit("/", 2)
        return {"name": "DealtFrom", "round_id": plain["round"], "serial": serial, "epoch": int(epoch, 16),
                "device_round": int(number)}  # fmt: skip
    return {"name": "Remark", "text": plain["text"]}


def _posting(row: list[Any]) -> Named:
    names = ("entry", "spot", "wager", "amount", "source", "target", "row", "clause", "note")
    return dict(zip(names, row, strict=True))


def _old_event(code: int, body: bytes) -> Named:
    if code == SHUFFLE_COMPLETED:
        shuffle, count, game, kind = struct.unpack_from("<IHBB", body, 12)
        return {"shuffle": shuffle, "count": count, "game": game, "kind": kind, "nonce": body[22:38],
                "root": body[38:70]}  # fmt: skip
    if code == GROUP_REMOVED:
        round_, group, seat, count, shuffle, withheld = struct.unpack_from("<IBBBIB", body, 12)
        return {"round": round_, "group": group, "seat": seat, "count": count, "shuffle": shuffle,
                "withheld": bool(withheld), "opening": _opening(body[24:])}  # fmt: skip
    if code == HAND_DISCLOSED:
        round_, group, seat, shuffle = struct.unpack_from("<IBBI", body, 12)
        return {"round": round_, "group": group, "seat": seat, "shuffle": shuffle, "opening": _opening(body[22:])}
    return {}


def _opening(data: bytes) -> Named:
    parts, at = [], 2
    for _ in range(3):
        (count,) = struct.unpack_from("<H", data, at)
        parts.append(data[at + 2 : at + 2 + count])
        at += 2 + count
    cards, salts, proof = parts
    return {"first": struct.unpack_from("<H", data)[0], "cards": list(cards), "salts": salts, "proof": proof}
