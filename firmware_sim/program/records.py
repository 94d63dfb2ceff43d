"""What the device remembers: one schema of names, types and a version. No file, no format, no meaning of a state.

A record is a frozen type; it is kept by the names of its fields, so that another version can tell what it is reading.
"""

from dataclasses import dataclass, fields, is_dataclass
from enum import IntEnum, IntFlag
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from firmware_sim.errors import MemoryCorrupt
from protocol.log_chain import GENESIS
from protocol.vocabulary import CommitKind, DealState, DeviceFlag, FaultCode, InfeedState, Mode, RoundState

VERSION = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRecord:
    """The deck in play and the round."""

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


Record = (
    DealRecord | InfeedRecord | DeckRecord | RoundRecord | KeptRound | KeptRounds | StubRecord | StandingFault
    | FaultsRecord | MetersRecord | LogRecord | LineRecord | EventRecord | FormerEpoch | UnsoundTail
)  # fmt: skip
NAMES: dict[str, type[Record]] = {kind.__name__: kind for kind in get_args(Record)}

# What each key holds; a key that ends in ":" stands for all that begin so.
SCHEMA: dict[str, type] = {
    "profile": str,
    "boots": int,
    "unsound": UnsoundTail,
    "epoch": int,
    "event:last": int,
    "event:acknowledged": int,
    "event:": EventRecord,
    "former": FormerEpoch,
    "former:": EventRecord,
    "command:": object,  # the command memory's own
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


def check(key: str, value: Any) -> Any:
    """A value as its key's type; raises MemoryCorrupt for a key or a value that no device of this version keeps."""
    kind = SCHEMA.get(key, SCHEMA.get(key[: key.find(":") + 1]))
    if kind is None:
        raise MemoryCorrupt(f"a memory of version {VERSION} has nothing called {key!r}")
    return _typed(kind, value, key)


def to_plain(record: Record) -> dict[str, Any]:
    """A record by the names of its fields."""
    kind: Any = type(record)
    return {"record": kind.__name__} | {name: getattr(record, name) for name in _hints(kind)}


def from_plain(plain: dict[str, Any]) -> Record:
    """Back again; every name must be there, no other, each of its type."""
    kind: Any = NAMES.get(plain["record"]) if isinstance(plain["record"], str) else None
    if kind is None:
        raise MemoryCorrupt(f"no record is called {plain['record']!r}")
    hints = _hints(kind)
    if plain.keys() - {"record"} != hints.keys():
        raise MemoryCorrupt(f"a {kind.__name__} has other fields than {', '.join(plain)}")
    values = {name: _typed(hint, plain[name], f"{kind.__name__}.{name}") for name, hint in hints.items()}
    record: Record = kind(**values)
    return record


def is_record(value: object) -> bool:
    """Whether a value is one of the schema's records."""
    return type(value).__name__ in NAMES


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _typed(kind: Any, value: Any, where: str) -> Any:
    if kind is object:
        return value
    if get_origin(kind) is tuple:
        if isinstance(value, list | tuple):
            return tuple(_typed(get_args(kind)[0], one, where) for one in value)
    elif is_dataclass(kind) or kind in (bool, bytes, str):
        if type(value) is kind:
            return value
    elif isinstance(value, int) and not isinstance(value, bool):
        if kind is int:
            return value
        if issubclass(kind, IntEnum | IntFlag):
            try:
                return kind(value)
            except ValueError:
                pass
    raise MemoryCorrupt(f"{where} can't be {value!r:.60}")
