"""What the device remembers: one schema of names, types and a version. No file, no meaning of a state.

A record is a frozen type; msgspec writes it by the names of its fields and reads it as the type that SCHEMA has.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any

import msgspec

from firmware_sim.errors import MemoryCorrupt
from protocol.log_chain import GENESIS
from protocol.vocabulary import CommitKind, DealState, DeviceFlag, FaultCode, InfeedState, Mode, RoundState

VERSION = 3
FINGERPRINT_BYTES = 8


@dataclass(slots=True, kw_only=True)
class DealRecord:
    """The deck in play and the round; the firmware works on a copy of its own."""

    state: DealState = DealState.NO_DECK
    round_state: RoundState = RoundState.NO_ROUND
    shuffle: int = 0  # of the deck in play; 0 for none
    round: int = 0
    seats: int = 0
    base: int = 0  # cards dealt from this deck before the round
    group: int = 0  # groups taken
    budget: int = 0  # groups still to come without being asked for again
    tray: int = 0
    cut_card_out: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class InfeedRecord:
    """The deck that comes next."""

    state: InfeedState = InfeedState.EMPTY
    count: int = 0
    nonce: bytes = b""
    shuffle: int = 0  # of the staged deck; 0 for none


@dataclass(frozen=True, slots=True, kw_only=True)
class DeckRecord:
    """A shuffle: what was committed to, and what opens it."""

    shuffle: int
    epoch: int  # in which the host was told of it
    game: int
    count: int
    kind: CommitKind
    flags: DeviceFlag
    nonce: bytes
    codes: bytes
    salts: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRecord:
    """A round that can be recalled."""

    shuffle: int
    base: int
    seats: int
    game: int
    public: int  # groups that may be recalled


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRound:
    """Which shuffle a kept round was dealt from."""

    round: int
    shuffle: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRounds:
    """The rounds that recall reaches, the oldest first."""

    rounds: tuple[KeptRound, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StubRecord:
    """Where the last stub began."""

    shuffle: int
    first: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StandingFault:
    """One fault that holds the machine."""

    code: FaultCode
    detail: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultsRecord:
    """All that do, the first raised first."""

    faults: tuple[StandingFault, ...] = ()


@dataclass(frozen=True, slots=True)
class MetersRecord:
    """What only ever counts up."""

    shuffles: int = 0
    rounds: int = 0
    groups: int = 0
    cards: int = 0
    misdeals: int = 0
    faults: int = 0
    power_ups: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRecord:
    """How long the log is, and the head of its chain."""

    length: int = 0
    head: bytes = GENESIS


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRecord:
    """One line of the log."""

    time_ms: int
    hash: bytes
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRecord:
    """An event as it goes onto the line."""

    message: int
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class FormerEpoch:
    """An epoch that has ended with events the host has not acknowledged yet."""

    epoch: int
    last: int
    acknowledged: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsoundTail:
    """The memory's end did not check when it was read: so many bytes were dropped."""

    dropped: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownRecord:
    """What is kept of a host instance beside its answers."""

    newest: int  # highest id executed
    floor: int  # ids up to it are executed, passed over or unknown: the memory can't say which
    fences: tuple[int, ...] = ()  # above the newest, asked about before they came


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRecord:
    """The first answer to a command, and a digest of the command."""

    message: int
    body: bytes
    digest: bytes


Names = tuple[str, ...]
Value = Any  # what SCHEMA says of the key

# What each key holds; a key that ends in ":" stands for all that begin so.
SCHEMA: Mapping[str, Any] = {
    "profile": str,
    "boots": int,
    "unsound": UnsoundTail,
    "epoch": int,
    "event:last": int,
    "event:acknowledged": int,
    "event:": EventRecord,
    "former": FormerEpoch,
    "former:": EventRecord,
    "command:instances": Names,  # with answers, latest effect last
    "command:guests": Names,
    "command:doubted": Names,
    "command:round": str,  # the instance that began the last round
    "known:": KnownRecord,  # known:INSTANCE
    "answer:": AnswerRecord,  # answer:INSTANCE:REQUEST
    "lockout:": int,
    "log": LogRecord,
    "log:": LineRecord,
    "meters": MetersRecord,
    "faults": FaultsRecord,
    "brown-outs": int,
    "calendar": int,
    "mode": Mode,
    "game": int,
    "infeed": InfeedRecord,
    "deal": DealRecord,
    "deck:": DeckRecord,
    "decks": int,
    "round:": RoundRecord,
    "rounds": KeptRounds,
    "stub": StubRecord,
}


def type_of(key: str) -> type:
    """Return what a key holds; raises MemoryCorrupt for a key that no device of this version keeps."""
    kind: type | None = SCHEMA.get(key, SCHEMA.get(key[: key.find(":") + 1]))
    if kind is None:
        raise MemoryCorrupt(f"a memory of version {VERSION} has nothing called {key!r}")
    return kind


def read_value(key: str, packed: msgspec.Raw) -> Value:
    """Return a value as its key's type; raises MemoryCorrupt for anything else."""
    kind = type_of(key)
    try:
        return _decoder(kind).decode(packed)
    except (msgspec.MsgspecError, RecursionError) as problem:
        raise MemoryCorrupt(f"{key} is no {kind.__name__}: {problem}") from None


@cache
def _decoder(kind: type) -> msgspec.msgpack.Decoder[Value]:
    return msgspec.msgpack.Decoder(kind)


@cache
def fingerprint() -> bytes:
    """Return a digest of every key, type and field, so that a memory of another build is recognised."""
    shape = msgspec.json.schema_components(SCHEMA.values())
    return sha256(msgspec.json.encode((sorted(SCHEMA), shape), order="deterministic")).digest()[:FINGERPRINT_BYTES]

