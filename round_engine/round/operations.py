"""Every move at a table as a frozen value; a round is the list of them, and JSON carries them without loss."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from round_engine.errors import OperationError, StaffError, WagerRefused
from round_engine.money import ZERO, Cents
from round_engine.rules.ruleset import Dealing, Hand, WagerName
from round_engine.staff import Member, StaffRole
from round_engine.wagers.registry import WAGERS
from round_engine.wagers.spot import SpotWagers

DEALER = 0
"""Where a spot is asked for, the dealer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """Root of all operations: who acts, and in which role.

    Without a name it is the one whose move it is: the round's dealer, or the player of the spot. Without a role it is
    the first that the move takes and the name holds. What a table has done carries both (`Applied.operation`).
    """

    by: str = ""
    role: StaffRole | None = None


# --- the round -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenRound(Operation):
    """A shuffled deck lies ready; betting starts. `shuffle` names the shuffle: no two rounds may share one."""

    round_id: str
    shuffle: str
    dealer: str
    dealing: Dealing | None = None  # None: as the house deals
    wagers: tuple[SpotWagers, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaceWagers(Operation):
    """A player's wagers on a spot, in place of any that lie there."""

    wagers: SpotWagers


@dataclass(frozen=True, kw_only=True, slots=True)
class WithdrawWagers(Operation):
    """A player takes all wagers off a spot."""

    spot: int


@dataclass(frozen=True, kw_only=True, slots=True)
class LockWagers(Operation):
    """No more bets: the lock key of every keypad, and the progressive wagers collected."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DealGroup(Operation):
    """Three cards at once to a spot or the dealer; without faces where they are not known yet."""

    spot: int
    cards: tuple[int, ...] | None = None
    count: int = 3
    shuffle: str | None = None  # where given, must be the round's own: never a second deck


@dataclass(frozen=True, kw_only=True, slots=True)
class DealCard(Operation):
    """One card in rotation to a spot or the dealer; without its face where it is not known yet."""

    spot: int
    card: int | None = None
    shuffle: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ExposeCard(Operation):
    """A card was seen while dealing; it is turned over and the deal goes on."""

    spot: int
    card: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ShowHand(Operation):
    """The faces of a hand that was dealt without them."""

    spot: int
    cards: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Play(Operation):
    """The play wager, equal to the ante; beside it, if wished, one for the dealer's tip."""

    spot: int
    amount: Cents
    tip: Cents = ZERO


@dataclass(frozen=True, kw_only=True, slots=True)
class Fold(Operation):
    """The hand is given up."""

    spot: int


@dataclass(frozen=True, kw_only=True, slots=True)
class CollectFolds(Operation):
    """Forfeited wagers and folded cards taken in the order of folding, each hand's cards counted."""

    spots: tuple[int, ...]
    counted: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RevealDealer(Operation):
    """The dealer's hand turned over; its faces, unless the deal already told them."""

    cards: tuple[int, ...] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SettleSpot(Operation):
    """One spot paid and taken, the next in the order of settlement; `Settle` does the rest."""

    spot: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Settle(Operation):
    """Everything that is not settled yet paid and taken, in the order of the rules; envy last."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CloseRound(Operation):
    """Game over: the end key of every keypad."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DeclareMisdeal(Operation):
    """All hands void, everything given back as the rules say."""

    reason: str


# --- meters and keypads ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, slots=True)
class PressKey(Operation):
    """One key of a progressive's keypad, or a turn of its key switch, or a card through its reader."""

    wager: WagerName
    key: str
    hand: Hand | None = None  # for a hand button
    spot: int | None = None  # for a position button


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyWin(Operation):
    """The casino verifies a win, where a keypad's confirming key is the dealer's own."""

    wager: WagerName
    spot: int
    hand: Hand


@dataclass(frozen=True, kw_only=True, slots=True)
class BackOut(Operation):
    """Manual adjustment: the newest recorded award of a meter undone, also after it has been paid.

    The win is keyed again, unless `void` says that the award itself does not stand.
    """

    wager: WagerName
    record: int
    reason: str
    void: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class AdjustMeter(Operation):
    """Manual adjustment: a meter raised or lowered by hand, against the house; never below its floor."""

    wager: WagerName
    change: int
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LinkMeter(Operation):
    """Another table on the same meter moved it and its reserve.

    `percent` is the share of the meter that an award there took, its seeding included in `change` where it took all;
    0 where wagers came in or went back. A server that has added several moves up tells the meter's `floor` after them.
    """

    wager: WagerName
    change: int
    table: str
    percent: int = 0
    reserve_change: int = 0
    floor: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ChangeStaff(Operation):
    """From now on these work at the table."""

    members: tuple[Member, ...]


OPERATIONS: tuple[type[Operation], ...] = (
    OpenRound, PlaceWagers, WithdrawWagers, LockWagers, DealGroup, DealCard, ExposeCard, ShowHand, Play, Fold,
    CollectFolds, RevealDealer, SettleSpot, Settle, CloseRound, DeclareMisdeal, PressKey, VerifyWin, BackOut,
    AdjustMeter, LinkMeter, ChangeStaff,
)  # fmt: skip
FIELDS: Mapping[type, tuple[str, ...]] = {
    kind: tuple(item.name for item in fields(kind)) for kind in (*OPERATIONS, SpotWagers, Member)
}
BY_NAME = {kind.__name__: kind for kind in OPERATIONS}


# --- JSON ------------------------------------------------------------------------------------------------------------


def to_json(operation: Operation) -> dict[str, Any]:
    """The operation as plain data, ready for `json.dumps`."""
    kind = type(operation)
    plain: dict[str, Any] = {"op": kind.__name__}
    for name in FIELDS[kind]:
        plain[name] = _plain(getattr(operation, name))
    return plain


def _plain(value: Any) -> Any:
    if type(value) is tuple:
        return [_plain(inner) for inner in value]
    if type(value) in (SpotWagers, Member):
        return {name: _plain(getattr(value, name)) for name in FIELDS[type(value)]}
    if type(value) is dict:
        return dict(value)
    return value


def from_json(data: Mapping[str, Any]) -> Operation:
    """The operation that `to_json` made this from; anything else is refused."""
    kind = BY_NAME.get(data.get("op", "")) if isinstance(data, Mapping) else None
    if kind is None:
        raise OperationError(f"not an operation: {data!r}")
    operation: Operation = _build(kind, {key: value for key, value in data.items() if key != "op"})
    return operation


def _build(kind: type, data: Any) -> Any:
    if not isinstance(data, Mapping):
        raise OperationError(f"{kind.__name__} is an object, not {data!r}")
    hints = get_type_hints(kind)
    if unknown := sorted(set(data) - set(hints)):
        raise OperationError(f"{kind.__name__} has no {', '.join(unknown)}")
    needed = [item.name for item in fields(kind) if item.default is MISSING and item.default_factory is MISSING]
    if missing := [name for name in needed if name not in data]:
        raise OperationError(f"{kind.__name__} lacks {', '.join(missing)}")
    values = {key: _read(hints[key], value, f"{kind.__name__}.{key}") for key, value in data.items()}
    try:
        return kind(**values)
    except (StaffError, WagerRefused) as error:
        raise OperationError(f"{kind.__name__}: {error}") from None


def _read(hint: Any, value: Any, where: str) -> Any:
    """The value as the type that the operation declares; refuses any other."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if value is None else _read(next(arm for arm in inside if arm is not type(None)), value, where)
    if origin is tuple and isinstance(value, list):
        return tuple(_read(inside[0], inner, where) for inner in value)
    if origin is Literal and value in inside:
        return value
    if origin is dict and isinstance(value, Mapping):
        return {_read(inside[0], key, where): _read(inside[1], inner, where) for key, inner in value.items()}
    if hint in (SpotWagers, Member):
        return _build(hint, value)
    if hint in (Hand, StaffRole) and isinstance(value, str) and value in set(hint):
        return hint(value)
    if hint in (int, Cents, bool):
        if type(value) is (bool if hint is bool else int):
            return value
    elif hint is str and isinstance(value, str) and (value in WAGERS or not where.endswith(".wager")):
        return value
    raise OperationError(f"{where} cannot be {value!r}")
