"""The deck that comes next: taken in and counted, shuffled, verified, committed to, staged. Knows nothing of rounds."""

from collections import Counter

from firmware_sim.machine.mechanism import composition
from firmware_sim.machine.signals import Lane, Pass, PassEnded
from firmware_sim.program.board import SHUFFLES, Board
from firmware_sim.program.deck import NO_ROOT, Deck, excess
from firmware_sim.program.effects import Effects, Fail, Mention, Start, tell
from firmware_sim.program.records import InfeedRecord
from firmware_sim.program.states import INFEED, InfeedEvent, States
from protocol import messages as m
from protocol.cards import FACE_UP, UNREADABLE
from protocol.commitment import SALT_BYTES
from protocol.vocabulary import OF_A_SHUFFLE, CommitKind, FaultCode, InfeedState
from randomness import RandomnessError


class Infeed:
    """One lane of the machine and the table `INFEED`."""

    def __init__(self, board: Board) -> None:
        self._board = board
        saved: InfeedRecord = board.store.get("infeed", InfeedRecord())
        self.count, self._nonce = saved.count, saved.nonce
        self.states = States(INFEED, saved.state)
        record = board.store.get(f"deck:{saved.shuffle}") if saved.shuffle else None
        self.staged: Deck | None = Deck.from_record(record) if record is not None else None
        self.verify_at: int | None = None
        self.progress_at: int | None = None
        self._progress = 0
        self._codes = b""
        self._draw_flags = board.flags
        self._order: list[int] = []

    @property
    def state(self) -> InfeedState:
        return self.states.state

    @property
    def moving(self) -> bool:
        """Whether cards of the coming deck are on their way."""
        return self._board.machine.motions[Lane.IN] is not None

    @property
    def strays(self) -> bool:
        """Whether there are cards in this lane where memory knows of none."""
        coming = self.states.state in (InfeedState.EMPTY, InfeedState.LOADING) and not self.moving
        return coming and self._board.machine.next_deck_inside

    # -------------------------------------------------------------------------------------------------------- commands

    def takes(self, command: InfeedEvent) -> bool:
        """Whether this state takes a command; the four below are for a state that does."""
        return self.states.takes(command)

    def load(self) -> Effects:
        """Take the deck in, now or as soon as it lies in the infeed tray."""
        self.states.fire(InfeedEvent.LOAD)
        self._save()
        return [Fail(FaultCode.CARDS_LEFT_INSIDE)] if self._board.machine.next_deck_inside else self.resume()

    def shuffle(self, nonce: bytes) -> Effects:
        """Shuffle the deck that was taken in."""
        self._nonce = nonce
        return self._begin(InfeedEvent.SHUFFLE)

    def sort(self) -> Effects:
        """Sort the deck that was taken in."""
        return self._begin(InfeedEvent.SORT)

    def read(self) -> Effects:
        """Count and read the deck that was taken in."""
        return self._begin(InfeedEvent.READ)

    def resume(self) -> Effects:
        """Begin, or begin anew, the pass that belongs to this state; a fault that holds the machine holds it too."""
        if self._board.held:
            return []
        board, timings = self._board, self._board.profile.timings
        machine, state = board.machine, self.states.state
        if state is InfeedState.LOADING:
            machine.give_back()
            if board.events_nearly_full:
                return [Fail(FaultCode.EVENTS_FULL, board.events.room)]
            return [Start(Pass.INTAKE, timings.intake_card_us)] if machine.infeed_occupied else []
        if state is InfeedState.SHUFFLING:
            machine.recirculate()
            try:
                draw = board.shuffler(self.count, board.game)
            except RandomnessError as problem:
                board.write(f"no shuffle: {problem}"[:200])
                return [Fail(FaultCode.RANDOM_SOURCE)]
            self._order, self._draw_flags = draw.order, board.flags | draw.flags
            if draw.note:
                board.write(draw.note[:200])
            self._progress = 0
            self._plan_progress()
            return [Start(Pass.SHUFFLE, timings.shuffle_card_us, order=draw.order)]
        if state is InfeedState.SORTING:
            machine.recirculate()
            return [Start(Pass.SORT, timings.sort_card_us)]
        if state in (InfeedState.READING, InfeedState.RECOUNTING):
            machine.recirculate()
            return [Start(Pass.READ, timings.read_card_us)]
        if state is InfeedState.VERIFYING:
            self.verify_at = board.now_us + timings.verify_us
        return []

    # --------------------------------------------------------------------------------------------------------- signals

    def cards_came(self) -> Effects:
        """Something lies in the infeed tray."""
        return self.resume() if self.states.state is InfeedState.LOADING and not self.moving else []

    def ended(self, ended: PassEnded) -> Effects:
        """A pass of this lane came to its end."""
        board = self._board
        self.progress_at = None
        if ended.work is Pass.INTAKE:
            return self._taken_in(ended)
        if ended.work is Pass.SHUFFLE:
            self._codes = ended.codes
            self.count = ended.seen
            self.states.fire(InfeedEvent.SHUFFLED)
            self._save()
            return self.resume()
        if ended.work is Pass.SORT:
            self.states.fire(InfeedEvent.SORTED)
            board.write(f"deck of {ended.seen} sorted")
            self._save()
            return [tell(m.DeckSorted, count=ended.seen)]
        if self.states.state is InfeedState.RECOUNTING:
            return self._counted(ended, InfeedEvent.RECOUNTED)
        self.states.fire(InfeedEvent.WAS_READ)
        complete = self._objection(ended.seen, ended.codes, ended.wrong_backs) is None
        board.write(f"deck of {ended.seen} verified: {'complete' if complete else 'not complete'}")
        self._save()
        return [tell(m.DeckVerified, count=ended.seen, complete=complete)]

    def verify(self) -> Effects:
        """Hold what the shuffle pass saw against the pack; commit to it, or reject the deck."""
        self.verify_at = None
        board = self._board
        if (objection := self._objection(self.count, self._codes, 0)) is not None:
            return self.reject(objection)
        try:
            slots = board.profile.senses.commits is CommitKind.SLOTS
            told = self._stage(bytes(self._order) if slots else self._codes)
        except RandomnessError as problem:
            board.write(f"no commitment: {problem}"[:200])
            return [Fail(FaultCode.RANDOM_SOURCE)]
        self.states.fire(InfeedEvent.VERIFIED)
        self._save()
        return told

    def progress(self) -> Effects:
        """Tell, in passing, how far the shuffle is: by count alone."""
        self._progress += self._board.profile.build.progress_cards
        self._plan_progress()
        return [Mention(m.ShuffleProgressed, {"done": self._progress, "total": self.count})]

    # ----------------------------------------------------------------------------------------------------------- joins

    def hand_over(self) -> Deck:
        """The staged deck goes into play."""
        deck = self.staged
        assert deck is not None
        self.staged = None
        self.states.fire(InfeedEvent.HANDED_OVER)
        self._board.machine.hand_over()
        self._save()
        return deck

    def reject(self, objection: Fail) -> Effects:
        """Give the deck back: it is taken in and counted anew once the fault is cleared."""
        self.staged = None
        self.states.fire(InfeedEvent.REJECTED)
        self._save()
        return [objection]

    def spoil(self) -> None:
        """Hands may have been at the deck inside, or the power took its reading: it is counted anew where it is."""
        self.staged = None
        self.states.fire(InfeedEvent.SPOILED)
        self.hold()
        self._save()

    def hold(self) -> None:
        """A fault holds the machine: what was timed is timed anew, a deck on its way in comes back out."""
        self.verify_at = self.progress_at = None
        if self.states.state is InfeedState.LOADING:
            self._board.machine.give_back()

    def abandon(self) -> None:
        """There is no coming deck any more."""
        self.staged = None
        self.hold()
        self.states.fire(InfeedEvent.ABANDONED)
        self._save()

    def revive(self) -> None:
        """After power-up: what was shuffled and not yet committed to counts for nothing."""
        inside = self._board.machine.next_deck_inside
        state, unknown = self.states.state, self.staged is None or not self._is_on_menu(self.staged)
        if state is InfeedState.VERIFYING or (state is InfeedState.STAGED and inside and unknown):
            self.spoil()
        elif self.states.state in (InfeedState.LOADED, InfeedState.STAGED) and not inside:
            self.abandon()
        elif self.states.state in (InfeedState.SHUFFLING, InfeedState.SORTING, InfeedState.READING) and not inside:
            self.spoil()

    # --------------------------------------------------------------------------------------------------------- private

    def _is_on_menu(self, deck: Deck) -> bool:
        return self._board.profile.game(deck.game) is not None

    def _begin(self, command: InfeedEvent) -> Effects:
        self.states.fire(command)
        self._save()
        return self.resume()

    def _taken_in(self, ended: PassEnded) -> Effects:
        board = self._board
        if not board.profile.is_shoe:
            return self._counted(ended, InfeedEvent.TAKEN_IN)
        # A shoe learns its cards as they are drawn; the pack is what was declared.
        self.count = board.game.deck_cards * board.profile.build.decks
        self.states.fire(InfeedEvent.TAKEN_IN)
        self._nonce = b""
        prepared = board.prepared()
        self._draw_flags = board.flags | prepared.flags
        if prepared.note:
            board.write(prepared.note)
        told = self._stage(b"")
        self._save()
        return [tell(m.DeckLoaded, count=self.count), *told]

    def _counted(self, ended: PassEnded, event: InfeedEvent) -> Effects:
        """A deck was counted and read: take it, or give it back."""
        self.count = ended.seen
        if (objection := self._objection(ended.seen, ended.codes, ended.wrong_backs)) is not None:
            return self.reject(objection)
        self.states.fire(event)
        self._save()
        return [tell(m.DeckLoaded, count=self.count)]

    def _stage(self, codes: bytes) -> Effects:
        """Keep a deck for play, and what the host is told of it; a shoe has nothing to tell."""
        board, kind = self._board, self._board.profile.senses.commits
        board.count(SHUFFLES)
        number = board.meters[SHUFFLES]
        salts = board.chance(SALT_BYTES * len(codes)) if kind is not CommitKind.NOTHING else b""
        deck = Deck(
            shuffle=number, epoch=board.events.epoch, game=board.game.game, count=self.count, kind=kind,
            flags=self._draw_flags, nonce=self._nonce, codes=codes, salts=salts,
        )  # fmt: skip
        board.store.put(f"deck:{number}", deck.record())
        self.staged = deck
        marks = "".join(f", {flag.name}" for flag in deck.flags)
        board.write(f"shuffle {number}: {self.count} cards, game {deck.game}{marks}")
        if board.profile.is_shoe:
            return []
        committed = kind is not CommitKind.NOTHING
        return [
            tell(
                m.ShuffleCompleted,
                shuffle=number,
                count=self.count,
                game=deck.game,
                kind=kind,
                flags=deck.flags & OF_A_SHUFFLE,
                nonce=self._nonce,
                root=deck.commitment(board.serial).root if committed else NO_ROOT,
            )
        ]

    def _objection(self, count: int, codes: bytes, wrong_backs: int) -> Fail | None:
        """What is wrong with a deck as counted and read, the plainest thing first."""
        wanted = self._board.game.deck_cards * self._board.profile.build.decks
        if count != wanted:
            return Fail(FaultCode.SHORT_DECK if count < wanted else FaultCode.LONG_DECK, count)
        if wrong_backs:
            return Fail(FaultCode.WRONG_BACK, wrong_backs)
        if self._board.profile.senses.reads_faces:
            pack = _pack(self._board.game.deck_cards, self._board.profile.build.decks)
            if sorted(codes) != pack:
                if FACE_UP in codes:
                    return Fail(FaultCode.FACE_UP_CARD, codes.count(FACE_UP))
                if UNREADABLE in codes:
                    return Fail(FaultCode.UNREADABLE_CARD, codes.count(UNREADABLE))
                known = Counter(pack)
                strange = next((code for code in codes if code not in known), None)
                if strange is not None:
                    return Fail(FaultCode.FOREIGN_CARD, strange)
                twice = excess(codes, known)
                if twice is not None:
                    return Fail(FaultCode.DUPLICATE_CARD, twice)
        return None

    def _plan_progress(self) -> None:
        step, card_us = self._board.profile.build.progress_cards, self._board.profile.timings.shuffle_card_us
        ahead = self._progress + step < self.count
        base = self._board.now_us + (self._board.profile.timings.motor_start_us if not self._progress else 0)
        self.progress_at = base + step * card_us if step and ahead else None

    def _save(self) -> None:
        shuffle = self.staged.shuffle if self.staged is not None else 0
        record = InfeedRecord(state=self.states.state, count=self.count, nonce=self._nonce, shuffle=shuffle)
        self._board.store.put("infeed", record)


_PACKS: dict[tuple[int, int], list[int]] = {}


def _pack(deck_cards: int, decks: int) -> list[int]:
    pack = _PACKS.get((deck_cards, decks))
    if pack is None:
        pack = _PACKS[deck_cards, decks] = sorted(composition(deck_cards, decks))
    return pack
