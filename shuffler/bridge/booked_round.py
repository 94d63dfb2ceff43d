"""The round at the table, as the bridge moves it on: every operation goes into the books with the money it moved."""

from round_engine.errors import RoundEngineError
from round_engine.operations import (
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
    RevealDealer,
    Settle,
    ShowHand,
)
from round_engine.round_state import Phase
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.bridge.entries import Entry, Note, Operated

HAND_CARDS = 3
OVER = (Phase.CLOSED, Phase.VOID)


class BookedRound:
    """One table's rounds, one after another; `entries` are for the journal."""

    def __init__(self, table: Table, *, dealer: str, supervisor: str, prefix: str, last_round: int) -> None:
        self.table = table
        self.entries: list[Entry] = []
        self.last_round = last_round
        self.settled = 0
        self.void = 0
        self.dealer_cards: list[int] = []
        self._dealer, self._supervisor, self._prefix = dealer, supervisor, prefix

    @property
    def round_id(self) -> str:
        """The round in the books."""
        return f"{self._prefix}{self.last_round}"

    @property
    def is_open(self) -> bool:
        """Whether a round is neither closed nor void."""
        return self.table.round is not None and self.table.round.phase not in OVER

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

    @property
    def dealer_seen(self) -> bool:
        """Whether the dealer's hand is known."""
        return len(self.dealer_cards) == HAND_CARDS

    def note(self, kind: str, text: str) -> None:
        """A line in the books about this round."""
        self.entries.append(Note(kind, self.round_id, text))

    # ------------------------------------------------------------------------------------------------------ the moves

    def open(self, wagers: tuple[SpotWagers, ...], shuffle: str, *, rotation: bool) -> None:
        """Take wagers and lock them; raises what the engine refuses, with no round left open."""
        number = self.last_round + 1
        opening = OpenRound(
            round_id=f"{self._prefix}{number}", shuffle=shuffle, dealer=self._dealer, wagers=wagers,
            dealing="rotation" if rotation else "groups",
        )  # fmt: skip
        self._do(opening)
        self.last_round = number
        self.dealer_cards = []
        try:
            self._do(LockWagers())
        except RoundEngineError as problem:
            self.misdeal(f"lock refused: {problem}")
            raise

    def deal(self, spot: int, cards: tuple[int, ...] | None, shuffle: str, *, rotation: bool) -> None:
        """A group, or in rotation a card, to its spot; no cards where the device could not read them."""
        if rotation:
            self._do(DealCard(spot=spot, card=cards[0] if cards else None, shuffle=shuffle))
        else:
            self._do(DealGroup(spot=spot, cards=cards, shuffle=shuffle))

    def expose(self, spot: int) -> None:
        """A card was seen that should not have been: written down, play goes on."""
        self._do(ExposeCard(spot=spot))

    def decide(self, spot: int, play: bool) -> None:
        """A player plays or folds."""
        wagers = self.table.in_play().spots[spot].wagers
        self._do(Play(spot=spot, amount=wagers.ante, tip=wagers.tip_ante) if play else Fold(spot=spot))

    def show(self, spot: int, cards: tuple[int, ...]) -> None:
        """A hand of `to_show` by name."""
        if spot:
            self._do(ShowHand(spot=spot, cards=cards))
        else:
            self.dealer_cards = list(cards)

    def collect_folds(self) -> None:
        """Folded hands are counted and taken before the dealer's hand is turned."""
        table_round = self.table.in_play()
        if folds := tuple(table_round.folds):
            self._do(CollectFolds(spots=folds, counted=tuple(table_round.spots[spot].dealt for spot in folds)))

    def settle(self) -> None:
        """Turn the dealer's hand, key the awards, pay, close."""
        if self.table.in_play().phase is Phase.REVEAL:
            self._do(RevealDealer(cards=tuple(self.dealer_cards)))
        while dues := self.table.dues():
            for press in self.table.keys_for(dues[0], supervisor=self._supervisor):
                self._do(press)
        self._do(Settle())
        self._do(CloseRound())
        self.settled += 1
        self.dealer_cards = []

    def misdeal(self, reason: str) -> None:
        """The round is void: wagers and contributions go back."""
        self._do(DeclareMisdeal(reason=reason))
        self.note("void", reason)
        self.void += 1
        self.dealer_cards = []

    def _do(self, operation: Operation) -> None:
        applied = self.table.do(operation)
        self.entries.append(Operated(operation, applied.postings))
