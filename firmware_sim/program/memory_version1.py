"""Memories of 0.1.0 (SBNV1): their records read, their positional lists given names. Nothing writes these any more."""

import json
import zlib
from base64 import b64decode
from typing import Any

from firmware_sim.errors import MemoryCorrupt
from firmware_sim.program.memory_format import Changes, apply, refuse_if_sound_follows
from firmware_sim.program.records import (
    DealRecord,
    DeckRecord,
    EventRecord,
    FaultsRecord,
    InfeedRecord,
    KeptRound,
    KeptRounds,
    LineRecord,
    LogRecord,
    MetersRecord,
    RoundRecord,
    StandingFault,
    StubRecord,
    check,
)
from protocol.vocabulary import CommitKind, DealState, DeviceFlag, FaultCode, InfeedState, RoundState

MAGIC = b"SBNV1\n"


def read(data: bytes) -> tuple[Changes, int]:
    """The values by their present names and types, and where the sound records end."""
    at, old = len(MAGIC), Changes()
    while at < len(data):
        changes, behind = _parse(data, at)
        if changes is None:
            refuse_if_sound_follows(data, at, lambda place: _parse(data, place)[0] is not None, b"")
            break
        apply(old, changes)
        at = behind
    try:
        values = {key: _named(key, value, old) for key, value in old.items()}
        return {key: check(key, value) for key, value in values.items()}, at
    except (TypeError, ValueError, IndexError, KeyError) as problem:
        raise MemoryCorrupt(f"a memory of version 1 that says what none does: {problem}") from None


def _parse(data: bytes, at: int) -> tuple[Changes | None, int]:
    """Length, CRC-32, JSON; None where it is torn or broken."""
    length = int.from_bytes(data[at : at + 4], "little")
    payload = data[at + 8 : at + 8 + length]
    if length < 2 or len(payload) < length or zlib.crc32(payload) != int.from_bytes(data[at + 4 : at + 8], "little"):
        return None, at
    try:
        changes = json.loads(payload, object_hook=_unpack)
    except ValueError:
        return None, at
    return (changes, at + 8 + length) if isinstance(changes, dict) else (None, at)


def _unpack(value: dict[str, Any]) -> object:
    return b64decode(value["b64"]) if value.keys() == {"b64"} else value


def _named(key: str, value: Any, old: Changes) -> Any:
    match key.partition(":"):
        case "deal", _, _:
            state, round_state, *numbers, cut = value
            names = ("shuffle", "round", "seats", "base", "group", "budget", "tray")
            counts = dict(zip(names, numbers, strict=True))
            states = DealState(state), RoundState(round_state)
            return DealRecord(state=states[0], round_state=states[1], cut_card_out=bool(cut), **counts)
        case "infeed", _, _:
            state, count, nonce, shuffle = value
            return InfeedRecord(state=InfeedState(state), count=count, nonce=nonce, shuffle=shuffle)
        case "deck", _, _:
            shuffle, game, count, kind, flags, nonce, codes, salts = value
            return DeckRecord(
                shuffle=shuffle, epoch=old["epoch"], game=game, count=count, kind=CommitKind(kind),
                flags=DeviceFlag(flags), nonce=nonce, codes=codes, salts=salts,
            )  # fmt: skip
        case "round", _, _:
            shuffle, base, seats, game, public = value
            return RoundRecord(shuffle=shuffle, base=base, seats=seats, game=game, public=public)
        case "rounds", _, _:
            return KeptRounds(rounds=tuple(KeptRound(round=number, shuffle=shuffle) for number, shuffle in value))
        case "stub", _, _:
            shuffle, first = value
            return StubRecord(shuffle=shuffle, first=first)
        case "faults", _, _:
            return FaultsRecord(
                faults=tuple(StandingFault(code=FaultCode(code), detail=detail) for code, detail in value)
            )
        case "meters", _, _:
            shuffles, rounds, groups, cards, misdeals, faults, power_ups = value
            return MetersRecord(
                shuffles=shuffles, rounds=rounds, groups=groups, cards=cards, misdeals=misdeals, faults=faults,
                power_ups=power_ups,
            )  # fmt: skip
        case "log", ":", _:
            time_ms, digest, text = value
            return LineRecord(time_ms=time_ms, hash=digest, text=text)
        case "log", _, _:
            length, head = value
            return LogRecord(length=length, head=head)
        case "event", ":", number if number.isdecimal():
            message, body = value
            return EventRecord(message=message, body=body)
    return value
