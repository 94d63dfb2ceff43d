"""What the device remembers of decks and rounds: as far back as recall goes, and the last stub."""

from firmware_sim.deck import Deck
from firmware_sim.groups import plan_groups
from firmware_sim.nvstore import NvStore
from firmware_sim.profile import Profile
from protocol import messages as m
from protocol.messages import DEALER_SEAT, UNCOUNTED
from protocol.vocabulary import ErrorCode

ALL_PUBLIC = 255  # in a round's record: it ran to its end, every group may be recalled


class Memory:
    """Keys deck:N, round:N, rounds, decks, stub."""

    def __init__(self, store: NvStore, profile: Profile) -> None:
        self._store = store
        self._profile = profile

    def deck(self, shuffle: int) -> Deck | None:
        """The deck of a shuffle, while it is kept."""
        record = self._store.get(f"deck:{shuffle}")
        return Deck.from_record(record) if record is not None else None

    def keep(self, deck: Deck) -> None:
        """Store a deck, new or grown."""
        self._store.put(f"deck:{deck.shuffle}", deck.record())

    def begin(self, number: int, deck: Deck, base: int, seats: int) -> None:
        """A round is opened; rounds and decks that recall does not reach any more are forgotten."""
        store = self._store
        store.put(f"round:{number}", [deck.shuffle, base, seats, deck.game, ALL_PUBLIC])
        rounds: list[list[int]] = [*store.get("rounds", []), [number, deck.shuffle]]
        keep = max(1, self._profile.build.recall_rounds)
        while len(rounds) > keep:
            store.put(f"round:{rounds.pop(0)[0]}", None)
        store.put("rounds", rounds)
        self._forget_decks(deck.shuffle)

    def broke(self, number: int, taken: int) -> None:
        """A round was voided after so many groups had been taken."""
        saved = self._store.get(f"round:{number}")
        if saved is not None:
            self._store.put(f"round:{number}", [*saved[:4], taken])

    def is_broken(self, number: int, deck: Deck) -> bool:
        """Whether that round was dealt from this deck and voided."""
        saved = self._store.get(f"round:{number}")
        return saved is not None and saved[0] == deck.shuffle and saved[4] != ALL_PUBLIC

    def stub_taken(self, deck: Deck, count: int) -> None:
        """Where the last stub began."""
        first = deck.count - count if count != UNCOUNTED else deck.count
        self._store.put("stub", [deck.shuffle, max(0, first)])
        self._forget_decks(deck.shuffle)

    def recall(self, number: int, seat: int, open_groups: int | None) -> m.Message:
        """What was dealt to a seat; `open_groups` are the groups taken so far where that round is still open."""
        keep = self._profile.build.recall_rounds
        saved = self._store.get(f"round:{number}")
        if saved is None:
            return _no(ErrorCode.NOT_FOUND, f"round {number} is not among the last {keep}")
        shuffle, base, seats, number_of_game, public = saved
        game, deck = self._profile.game(number_of_game), self.deck(shuffle)
        assert game is not None
        assert deck is not None
        closed = open_groups is None and public == ALL_PUBLIC
        taken = public if open_groups is None else open_groups
        cards: list[int] = []
        for index, group in enumerate(plan_groups(game, seats, self._profile.is_shoe)):
            if group.seat == seat:
                if index >= taken or (seat == DEALER_SEAT and not closed):
                    return _no(ErrorCode.NOT_FOUND, f"the cards of seat {seat} in round {number} are not public")
                cards += deck.codes[base + group.first : base + group.first + group.size]
        if not cards:
            return _no(ErrorCode.NOT_FOUND, f"seat {seat} had no cards in round {number}")
        return m.RecalledHand(round=number, seat=seat, shuffle=shuffle, cards=tuple(cards))

    def read_stub(self, serial: str, epoch: int) -> m.Message:
        """The cards of the stub that was last taken, opened."""
        saved = self._store.get("stub")
        deck = self.deck(saved[0]) if saved is not None else None
        if deck is None:
            return _no(ErrorCode.NOT_FOUND, "no stub has been taken yet")
        first = saved[1]
        return m.Stub(shuffle=deck.shuffle, opening=deck.opening(serial, epoch, first, deck.count - first))

    def _forget_decks(self, in_play: int) -> None:
        """Decks before the oldest round, the last stub and the deck in play are nobody's any more."""
        store = self._store
        rounds, stub = store.get("rounds", []), store.get("stub")
        oldest: int = min([in_play, *(kept for _, kept in rounds[:1]), *(stub[:1] if stub is not None else ())])
        kept_from: int = store.get("decks", 1)
        for shuffle in range(kept_from, oldest):
            store.put(f"deck:{shuffle}", None)
        if oldest > kept_from:
            store.put("decks", oldest)


def _no(code: ErrorCode, text: str) -> m.Error:
    return m.Error(code=code, text=text)
