"""The round at the table, as the bridge moves it on: every operation goes into the books with the money it moved."""

from collections.abc import Callable

from mypy_extensions import mypyc_attr

from round_engine.errors import MoveRefused, RoundEngineError, WrongCardCount
from round_engine.meters.awards import Due
from round_engine.money import dollars
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
    Play,
    PressKey,
    RevealDealer,
    Settle,
    ShowHand,
    VerifyWin,
)
from round_engine.round.state import Phase
from round_engine.staff import Member, StaffRole
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import AwardFixed, Entry, Operated
from shuffler.table.shared_meters import SharedMeters

HAND_CARDS = 3
DEALER, PLAYER = StaffRole.DEALER, StaffRole.PLAYER


@mypyc_attr(allow_interpreted_subclasses=True)
class BookedRound:
    """One table's rounds, one after another; `entries` are for the journal."""

    def __init__(
        self,
        table: Table,
        *,
        dealer: str,
        supervisor: str,
        prefix: str,
        last_round: int,
        meters: SharedMeters | None = None,
    ) -> None:
        """`meters` where the table shares some with others; the table may come with a round that waits for one."""
        self.table = table
        self.meters = meters
        self.awaits_meter = self.is_open and self.phase is Phase.SETTLEMENT
        self.entries: list[Entry] = []
        self.last_round = last_round
        self.settled = 0
        self.void = 0
        self.dealer_cards: list[int] = []
        self.review: Callable[[], None] = _nobody  # people may look at a settled round before it is closed
        self._dealer, self._supervisor, self._prefix = dealer, supervisor, prefix

    @property
    def round_id(self) -> str:
        """The round in the books."""
        return f"{self._prefix}{self.last_round}"

    @property
    def dealer(self) -> str:
        """Who deals the next round: the usual name while the staff has it as a dealer, else the first dealer there."""
        return _of(self.table.staff.holding(StaffRole.DEALER), self._dealer)

    @property
    def supervisor(self) -> str:
        """Who confirms: likewise, and never whoever deals."""
        state = self.table.round
        dealing = state.dealer_name if state is not None and self.is_open else self.dealer
        held = self.table.staff.holding(StaffRole.SUPERVISOR)
        return _of(tuple(name for name in held if name != dealing) or held, self._supervisor)

    @property
    def is_open(self) -> bool:
        """Whether a round is neither closed nor void."""
        state = self.table.round
        return state is not None and state.phase is not Phase.CLOSED and state.phase is not Phase.VOID

    @property
    def phase(self) -> Phase | None:
        """How far the round is."""
        return None if self.table.round is None else self.table.round.phase

    @property
    def to_decide(self) -> list[int]:
        """Spots that have to play or fold, in turn."""
        return list(self.table.in_play().undecided) if self.is_open else []

    @property
    def to_show(self) -> list[int]:
        """Hands that somebody must name, because the device could not read them; 0 is the dealer's."""
        if not self.is_open:
            return []
        spots = self.table.in_play().spots.items()
        unknown = [number for number, spot in spots if not spot.folded and len(spot.cards) < HAND_CARDS]
        return unknown if self.dealer_seen else [*unknown, 0]

    def must_show(self, number: int) -> bool:
        """Whether the hand of a spot is one of `to_show`."""
        spot = self.table.in_play().spots[number]
        return not spot.folded and len(spot.cards) < HAND_CARDS

    @property
    def dealer_seen(self) -> bool:
        """Whether the dealer's hand is known."""
        return len(self.dealer_cards) == HAND_CARDS

    def note(self, entry: Entry) -> None:
        """Something in the books beside the moves."""
        self.entries.append(entry)

    # ------------------------------------------------------------------------------------------------------ the moves

    def open(self, wagers: tuple[SpotWagers, ...], shuffle: str, *, rotation: bool) -> None:
        """Take wagers and lock them; raises what the engine refuses, with no round left open."""
        if self.meters is not None and not self.entries:  # what is not written yet, the meters do not know of
            for move in self.meters.follow(self.table):
                self._do(move)
        number, dealer = self.last_round + 1, self.dealer
        opening = OpenRound(
            round_id=f"{self._prefix}{number}", shuffle=shuffle, dealer=dealer, wagers=wagers,
            dealing="rotation" if rotation else "groups", by=dealer, role=DEALER,
        )  # fmt: skip
        self._do(opening)
        self.last_round = number
        self.dealer_cards = []
        try:
            self._do(LockWagers(by=dealer, role=DEALER))
        except RoundEngineError as problem:
            self.misdeal(f"lock refused: {problem}")
            raise

    def deal(self, spot: int, cards: tuple[int, ...] | None, shuffle: str, *, rotation: bool) -> None:
        """A group, or in rotation a card, to its spot; no cards where the device could not read them."""
        dealer = self._dealing
        if rotation:
            card = cards[0] if cards else None
            self._do(DealCard(spot=spot, card=card, shuffle=shuffle, by=dealer, role=DEALER))
        else:
            self._do(DealGroup(spot=spot, cards=cards, shuffle=shuffle, by=dealer, role=DEALER))

    def expose(self, spot: int) -> None:
        """A card was seen that should not have been: written down, play goes on."""
        self._do(ExposeCard(spot=spot))

    def decide(self, spot: int, play: bool) -> None:
        """A player plays or folds."""
        wagers = self.table.in_play().spots[spot].wagers
        player = wagers.player
        if play:
            self._do(Play(spot=spot, amount=wagers.ante, tip=wagers.tip_ante, by=player, role=PLAYER))
        else:
            self._do(Fold(spot=spot, by=player, role=PLAYER))

    def show(self, spot: int, cards: tuple[int, ...]) -> None:
        """A hand of `to_show` by name."""
        if spot:
            self._do(ShowHand(spot=spot, cards=cards))
        else:
            self.dealer_cards = list(cards)

    def collect_folds(self) -> None:
        """Folded hands are counted and taken before the dealer's hand is turned."""
        table_round = self.table.in_play()
        if folds := tuple(table_round.folds[table_round.folds_collected :]):
            counted = tuple(table_round.spots[spot].dealt for spot in folds)
            self._do(CollectFolds(spots=folds, counted=counted, by=self._dealing, role=DEALER))

    def reveal(self) -> None:
        """Turn the dealer's hand."""
        if self.table.in_play().phase is Phase.REVEAL:
            self._do(RevealDealer(cards=tuple(self.dealer_cards), by=self._dealing, role=DEALER))

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
        """Turn the dealer's hand, key the awards that nobody has keyed, pay, close.

        Not done while a shared meter's prize is not fixed.
        """
        self.reveal()
        self.awaits_meter = not self._key_awards()
        if self.awaits_meter:
            return False
        dealer = self._dealing
        self._do(Settle(by=dealer, role=DEALER))
        self.review()
        self._do(CloseRound(by=dealer, role=DEALER))
        self.settled += 1
        self.dealer_cards = []
        return True

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

    def change_staff(self, members: tuple[Member, ...], by: str) -> None:
        """Other people, or other roles; raises what the engine refuses."""
        self._do(ChangeStaff(members=members, by=by))

    def misdeal(self, reason: str) -> None:
        """The round is void: wagers and contributions go back."""
        self._do(DeclareMisdeal(reason=reason))
        self.awaits_meter = False
        self.void += 1
        self.dealer_cards = []

    @property
    def _dealing(self) -> str:
        """Who deals this round: named with each move, so that the engine need not complete it."""
        return self.table.in_play().dealer_name

    def _do(self, operation: Operation) -> None:
        applied = self.table.do(operation)
        self.entries.append(Operated(applied.operation, applied.postings))
        if self.phase is Phase.MISDEALT:
            raise WrongCardCount(f"{self.table.in_play().miscount}: it is a misdeal")


def _nobody() -> None:
    """Nobody looks."""


def _of(holders: tuple[str, ...], usual: str) -> str:
    """The usual name where it is among them, else the first."""
    return usual if usual in holders else next(iter(holders), usual)
