"""What tables, operators and the meter server exchange: a meter's rules, reservations and what is asked for."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple

from round_engine.rules.ruleset import WagerName

Rounding = Literal["down", "nearest", "up"]
Order = Literal["round", "asked"]


@dataclass(frozen=True, kw_only=True, slots=True)
class MeterRules:
    """What a meter goes by; tables whose own rules say something else are not linked to it."""

    name: str
    wager: WagerName = "progressive"
    denomination: int  # of one wager
    spots: int  # at most, at each table
    seed: int
    share_bp: int  # of each wager, to the meter
    reserve_bp: int = 0
    cap: int | None = None  # what comes in above it goes to the reserve
    rounding: Rounding = "down"
    percents: tuple[int, ...] = (100,)  # that an award can take
    order: Order = "round"  # of awards: all of a round together (004 Appendix A), or each when it is keyed

    @property
    def whole_only(self) -> bool:
        """Whether every award takes all of it, so that it is never below its seed."""
        return self.percents == (100,)


class HoldState(StrEnum):
    """How far a reservation is."""

    WAITING = "waiting"  # another award is served first
    FIXED = "fixed"  # its prize is known and held
    TAKEN = "taken"
    RELEASED = "released"
    CLAIMED = "claimed"  # fixed by the server before it was restored from a copy that does not know of it


@dataclass(frozen=True, kw_only=True, slots=True)
class Hold:
    """A reservation; `amount`, `reserve` and `floor` are the meter's when the prize was fixed."""

    ticket: int
    table: str
    round_id: str
    spot: int
    nth: int
    percent: int
    state: HoldState = HoldState.WAITING
    pot: int = 0
    left: int = 0
    amount: int = 0
    reserve: int = 0
    floor: int = 0

    @property
    def open(self) -> bool:
        """Whether it still counts."""
        return self.state in (HoldState.WAITING, HoldState.FIXED)


class Wanted(NamedTuple):
    """An award that a table asks to reserve."""

    spot: int
    nth: int
    percent: int


class Claim(NamedTuple):
    """A prize that the server has fixed and the table has not taken yet."""

    meter: str
    ticket: int
    round_id: str
    spot: int
    nth: int
    percent: int
    pot: int
