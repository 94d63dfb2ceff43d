"""The round at the table, as the bridge moves it on: every operation goes into the books with the money it moved."""

from mypy_extensions import mypyc_attr

from round_engine.errors import MoveRefused, RoundEngineError, WrongCardCount
from round_engine.meters.awards import Due
from round_engine.money import dollars
from round_engine.round.decisions import playing
from round_engine.round.operations import (
    BackOut,
    ChangeStaff,
    CloseRound,
    CollectFolds,
    DealCard,
    DealGroup,
    DeclareMisdeal,
    ExposeCard,
    Fold,
    LockWagers,
    OpenRound,
    Operation,
    PressKey,
    RevealDealer,
    Settle,
    ShowHand,
    VerifyWin,
)
from round_engine.round.state import Phase
from round_engine.staff import StaffRole
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import AwardFixed, Entry, Operated
from shuffler.table.shared_meters import SharedMeters

HAND_CARDS = 3
DEALER, PLAYER = StaffRole.DEALER, StaffRole.PLAYER
OVER = (None, Phase.CLOSED, Phase.VOID)


@mypyc_attr(allow_interpreted_subclasses=True)
class BookedRound:
    """One table's rounds, one after another; `take_entries` gives what is to be written."""

    def __init__(
        self,
        table: Table,
        *,
        dealer: str,
        supervisor: str,
        prefix: str,
        last_round: int,
        meters: SharedMeters | None = None,
        reviewed: bool = False,
    ) -> None:
        """`meters` where the table shares some with others; the table may come with a round that waits for one.

        `reviewed`: whether a settled round stays open until `close`, so that an award can be backed out.
        """
        state = table.round
        self.table = table
        self.meters = meters
        self.phase = None if state is None else state.phase
        self.is_open = self.phase not in OVER
        self.awaits_meter = self.phase is Phase.SETTLEMENT
        self.is_paid = False  # settled, and open for a review
        self.last_round = last_round
        self.round_id = f"{prefix}{last_round}"  # in the books
        self.settled = 0
        self.void = 0
        self.dealer_cards: tuple[int, ...] = ()
        self.entries: list[Entry] = []
        self._reviewed = reviewed
        self._dealer, self._supervisor, self._prefix = dealer, supervisor, prefix
        self._dealing = "" if state is None else state.dealer_name  # named with each move: the engine need not look

    @property
    def dealer(self) -> str:
        """Who deals the next round: the usual name while the staff has it as a dealer, else the first dealer there."""
        return _of(self.table.staff.holding(StaffRole.DEALER), self._dealer)

    @property
    def supervisor(self) -> str:
        """Who confirms, chosen in the same way; never the person who deals."""
        dealing = self._dealing if self.is_open else self.dealer
        held = self.table.staff.holding(StaffRole.SUPERVISOR)
        return _of(tuple(name for name in held if name != dealing) or held, self._supervisor)

    @property
    def to_decide(self) -> list[int]:
        """Spots that have to play or fold, in turn."""
        return list(self.table.in_play().undecided) if self.is_open else []

    @property
    def to_show(self) -> list[int]:
        """Hands that a person must name, because the device could not read them; 0 is the dealer's."""
        if not self.is_open:
            return []
        spots = self.table.in_play().spots.items()
        unknown = [number for number, spot in spots if not spot.folded and len(spot.cards) < HAND_CARDS]
        return unknown if len(self.dealer_cards) == HAND_CARDS else [*unknown, 0]

    def take_entries(self) -> tuple[Entry, ...]:
        """What has been done since the last call, for the journal."""
        entries, self.entries = self.entries, []
        return tuple(entries)

    # ------------------------------------------------------------------------------------------------------ the moves

    def open(self, wagers: tuple[SpotWagers, ...], shuffle: str, *, rotation: bool) -> None:
        """Take wagers and lock them; raises what the engine refuses, with no round left open."""
        if self.meters is not None and not self.entries:  # what is not written yet, the meters do not know of
            for move in self.meters.follow(self.table):
                self._do(move)
        number, dealer = self.last_round + 1, self.dealer
        round_id = f"{self._prefix}{number}"
        opening = OpenRound(
            round_id=round_id, shuffle=shuffle, dealer=dealer, wagers=wagers,
            dealing="rotation" if rotation else "groups", by=dealer, role=DEALER,
        )  # fmt: skip
        self._do(opening)
        self.last_round, self.round_id = number, round_id
        self._dealing = dealer
        self.dealer_cards = ()
        try:
            self._do(LockWagers(by=dealer, role=DEALER))
        except RoundEngineError as problem:
            self.misdeal(f"lock refused: {problem}")
            raise

    def deal(self, spot: int, cards: tuple[int, ...] | None, shuffle: str, *, rotation: bool) -> None:
        """A group, or in rotation a card, to its spot; no cards where the device could not read them."""
        if rotation:
            card = cards[0] if cards else None
            self._do(DealCard(spot=spot, card=card, shuffle=shuffle, by=self._dealing, role=DEALER))
        else:
            self._do(DealGroup(spot=spot, cards=cards, shuffle=shuffle, by=self._dealing, role=DEALER))

    def expose(self, spot: int) -> None:
        """A card was seen that should not have been: written down, play goes on."""
        self._do(ExposeCard(spot=spot))

    def decide(self, spot: int, play: bool) -> None:
        """A player plays or folds."""
        held = self.table.in_play().spots[spot]
        player = held.wagers.player
        if play:
            self._do(playing(held, by=player, role=PLAYER))
        else:
            self._do(Fold(spot=spot, by=player, role=PLAYER))

    def show(self, spot: int, cards: tuple[int, ...]) -> None:
        """A hand of `to_show` by name."""
        if spot:
            self._do(ShowHand(spot=spot, cards=cards))
        else:
            self.dealer_cards = cards

    def collect_folds(self) -> None:
        """Folded hands are counted and taken before the dealer's hand is turned."""
        table_round = self.table.in_play()
        if folds := tuple(table_round.folds[table_round.folds_collected :]):
            counted = tuple(table_round.spots[spot].dealt for spot in folds)
            self._do(CollectFolds(spots=folds, counted=counted, by=self._dealing, role=DEALER))

    def reveal(self) -> None:
        """Turn the dealer's hand."""
        if self.phase is Phase.REVEAL:
            self._do(RevealDealer(cards=self.dealer_cards, by=self._dealing, role=DEALER))

    def press(self, operation: PressKey | VerifyWin) -> None:
        """A key, or a verification, by people; refused while a shared meter's prize is not fixed."""
        if not self.award_ready():
            raise MoveRefused("the award is pending: the meter's server has not fixed its prize yet")
        self._do(operation)

    def award_ready(self) -> bool:
        """Whether the award in turn, if there is one, can be keyed."""
        dues = self.table.dues()
        return not dues or self._fixed(dues)

    def settle(self) -> bool:
        """Turn the dealer's hand, key the awards that nobody has keyed, pay, and close unless it is reviewed first.

        Not done while a shared meter's prize is not fixed.
        """
        self.reveal()
        self.awaits_meter = not self._key_awards()
        if self.awaits_meter:
            return False
        self._do(Settle(by=self._dealing, role=DEALER))
        if self._reviewed:
            self.is_paid = True
        else:
            self.close()
        return True

    def close(self) -> None:
        """The round is over."""
        self._do(CloseRound(by=self._dealing, role=DEALER))
        self.is_paid = False
        self.settled += 1
        self.dealer_cards = ()

    def _key_awards(self) -> bool:
        """Record every award; not done while a prize is not fixed."""
        while dues := self.table.dues():
            if not self._fixed(dues):
                return False
            for press in self.table.keys_for(dues[0], supervisor=self.supervisor):
                self._do(press)
        return True

    def _fixed(self, dues: list[Due]) -> bool:
        """Whether the first award can be keyed: its prize is the table's own, or the shared meter's server holds it."""
        first = dues[0]
        if self.meters is None or not first.from_meter:
            return True
        fixing = self.meters.fix(self.table, self.round_id, dues)
        self.entries += fixing.entries
        for move in fixing.operations:
            self._do(move)
        for entry in fixing.entries:
            prize = self.table.jackpot(first.wager).prize_of(self.table.in_play(), first)
            if isinstance(entry, AwardFixed) and entry.prize != prize:
                raise MoveRefused(
                    f"the meter's server has fixed {dollars(entry.prize)} and the rules here lead to {dollars(prize)}:"
                    " nothing is paid"
                )
        return fixing.ready

    def back_out(self, move: BackOut) -> None:
        """An award is undone after its settlement, and keyed and paid again unless it is void."""
        self._do(move)
        self._key_awards()

    def change_staff(self, change: ChangeStaff) -> None:
        """Other people, or other roles; raises what the engine refuses."""
        self._do(change)

    def misdeal(self, reason: str) -> None:
        """The round is void: wagers and contributions go back."""
        self._do(DeclareMisdeal(reason=reason))
        self.awaits_meter = False
        self.void += 1
        self.dealer_cards = ()

    def _do(self, operation: Operation) -> None:
        applied = self.table.do(operation)
        self.entries.append(Operated(applied.operation, applied.postings))
        state = self.table.round
        if state is None or state.phase is self.phase:
            return
        self.phase = state.phase
        self.is_open = state.phase not in OVER
        if state.phase is Phase.MISDEALT:
            raise WrongCardCount(f"{state.miscount}: it is a misdeal")


def _of(holders: tuple[str, ...], usual: str) -> str:
    """The usual name where it is among them, else the first."""
    return usual if usual in holders else next(iter(holders), usual)
