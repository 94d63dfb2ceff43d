"""Wins recorded at a keypad, and wagers that a misdeal left in action."""

from dataclasses import dataclass, field
from typing import NamedTuple

from round_engine.meters.awards import WHOLE, Due, Share
from round_engine.money.ledger import Posting
from round_engine.rules.ruleset import Hand, Pay, PayRow, WagerName


@dataclass(slots=True, kw_only=True)
class WinRecord:
    """A win that has been recorded at a keypad in this round."""

    number: int
    wager: WagerName
    hand: Hand
    row: PayRow
    spot: int | None  # None where the keypad names no spot and nobody was due
    due: Due | None  # the win that the cards show; None for a wrong entry
    prize: int
    by: str
    seed: int = 0
    from_reserve: int = 0
    floor: int = 0  # the meter's before it
    share: Share = WHOLE
    pot: int = 0  # what is split, where several split it
    so_far: int = 0  # the parts of it recorded up to this one
    adjusted: bool = False  # whether the meter has moved
    paid: list[Posting] = field(default_factory=list)
    backed_out: bool = False

    @property
    def restarts(self) -> bool:
        """Whether it takes the last of the meter, so that the meter starts again."""
        return self.row.pay is Pay.METER and self.row.value == 100 and self.share.place == self.share.among - 1


class Standing(NamedTuple):
    """A collected progressive wager that a misdeal left in action for the next round."""

    spot: int
    wager: WagerName
    player: str
    stake: int
