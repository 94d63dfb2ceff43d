"""What the device remembers of decks and rounds: as far back as recall goes, and the last stub."""

from dataclasses import replace

from firmware_sim.machine.profile import Profile
from firmware_sim.program.deck import Deck
from firmware_sim.program.groups import plan_groups
from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.records import KeptRound, KeptRounds, RoundRecord, StubRecord
from protocol import messages as m
from protocol.messages import DEALER_SEAT, UNCOUNTED
from protocol.vocabulary import CommitKind, ErrorCode

ALL_PUBLIC = 255  # in a round's record: it ran to its end, every group may be recalled


class DeckRecall:
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
        record = RoundRecord(shuffle=deck.shuffle, base=base, seats=seats, game=deck.game, public=ALL_PUBLIC)
        store.put(f"round:{number}", record)
        rounds = [*self._rounds(), KeptRound(round=number, shuffle=deck.shuffle)]
        keep = max(1, self._profile.build.recall_rounds)
        while len(rounds) > keep:
            store.put(f"round:{rounds.pop(0).round}", None)
        store.put("rounds", KeptRounds(rounds=tuple(rounds)))
        self._forget_decks(deck.shuffle)

    def broke(self, number: int, taken: int) -> None:
        """A round was voided after so many groups had been taken."""
        if (saved := self._round(number)) is not None:
            self._store.put(f"round:{number}", replace(saved, public=taken))

    def is_broken(self, number: int, deck: Deck) -> bool:
        """Whether that round was dealt from this deck and voided."""
        saved = self._round(number)
        return saved is not None and saved.shuffle == deck.shuffle and saved.public != ALL_PUBLIC

    def stub_taken(self, deck: Deck, count: int) -> None:
        """Where the last stub began."""
        first = deck.count - count if count != UNCOUNTED else deck.count
        self._store.put("stub", StubRecord(shuffle=deck.shuffle, first=max(0, first)))
        self._forget_decks(deck.shuffle)

    def recall(self, number: int, seat: int, open_groups: int | None) -> m.Message:
        """What was dealt to a seat; `open_groups` are the groups taken so far where that round is still open."""
        keep = self._profile.build.recall_rounds
        saved = self._round(number)
        if saved is None:
            return _no(ErrorCode.NOT_FOUND, f"round {number} is not among the last {keep}")
        game, deck = self._profile.game(saved.game), self.deck(saved.shuffle)
        if game is None:
            why = f"round {number} was dealt with game {saved.game}, which is not on the menu"
            return _no(ErrorCode.NOT_FOUND, why)
        if deck is None:
            return _no(ErrorCode.NOT_FOUND, f"the deck of round {number} is not in memory")
        closed = open_groups is None and saved.public == ALL_PUBLIC
        taken = saved.public if open_groups is None else open_groups
        cards: list[int] = []
        for index, group in enumerate(plan_groups(game, saved.seats, self._profile.is_shoe)):
            if group.seat == seat:
                if index >= taken or (seat == DEALER_SEAT and not closed):
                    return _no(ErrorCode.NOT_FOUND, f"the cards of seat {seat} in round {number} are not public")
                first = saved.base + group.first
                cards += deck.codes[first : first + group.size]
        if not cards:
            return _no(ErrorCode.NOT_FOUND, f"seat {seat} had no cards in round {number}")
        slots = deck.kind is CommitKind.SLOTS
        return m.RecalledHand(
            round=number, seat=seat, shuffle=saved.shuffle,
            cards=() if slots else tuple(cards), places=tuple(cards) if slots else (),
        )  # fmt: skip

    def read_stub(self, serial: str) -> m.Message:
        """The cards of the stub that was last taken, opened."""
        saved: StubRecord | None = self._store.get("stub")
        deck = self.deck(saved.shuffle) if saved is not None else None
        if saved is None or deck is None:
            return _no(ErrorCode.NOT_FOUND, "no stub has been taken yet")
        return m.Stub(shuffle=deck.shuffle, opening=deck.opening(serial, saved.first, deck.count - saved.first))

    def _round(self, number: int) -> RoundRecord | None:
        record: RoundRecord | None = self._store.get(f"round:{number}")
        return record

    def _rounds(self) -> tuple[KeptRound, ...]:
        kept: KeptRounds = self._store.get("rounds", KeptRounds())
        return kept.rounds

    def _forget_decks(self, in_play: int) -> None:
        """Decks before the oldest round, the last stub and the deck in play are nobody's any more."""
        store = self._store
        stub: StubRecord | None = store.get("stub")
        needed = [kept.shuffle for kept in self._rounds()[:1]] + ([stub.shuffle] if stub is not None else [])
        oldest = min([in_play, *needed])
        kept_from: int = store.get("decks", 1)
        for shuffle in range(kept_from, oldest):
            store.put(f"deck:{shuffle}", None)
        if oldest > kept_from:
            store.put("decks", oldest)


def _no(code: ErrorCode, text: str) -> m.Error:
    return m.Error(code=code, text=text)
