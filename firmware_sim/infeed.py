"""The deck that comes next: taken in and counted, shuffled, verified, committed to, staged. Knows nothing of rounds."""

from collections import Counter

from firmware_sim.board import SHUFFLES, Board
from firmware_sim.deck import NO_ROOT, Deck, excess
from firmware_sim.desk import EVENT_RESERVE
from firmware_sim.machines import INFEED, InfeedEvent, Machine
from firmware_sim.mechanism import composition
from firmware_sim.signals import Lane, Pass, PassEnded
from protocol import messages as m
from protocol.cards import FACE_UP, UNREADABLE
from protocol.commitment import SALT_BYTES
from protocol.vocabulary import CommitKind, FaultCode, InfeedState
from randomness import RandomnessError


class Infeed:
    """One lane of the machine and the table `INFEED`."""

    def __init__(self, board: Board) -> None:
        self._board = board
        state, self.count, self._nonce, shuffle = board.store.get("infeed", [0, 0, b"", 0])
        self.machine = Machine(INFEED, InfeedState(state))
        record = board.store.get(f"deck:{shuffle}") if shuffle else None
        self.staged: Deck | None = Deck.from_record(record) if record is not None else None
        self.verify_at: int | None = None
        self.progress_at: int | None = None
        self._progress = 0
        self._codes = b""
        self._draw_flags = board.flags
        self._order: list[int] = []

    @property
    def state(self) -> InfeedState:
        return self.machine.state

    @property
    def moving(self) -> bool:
        """Whether cards of the coming deck are on their way."""
        return self._board.machine.motions[Lane.IN] is not None

    # -------------------------------------------------------------------------------------------------------- commands

    def load(self) -> bool:
        """Take the deck in, now or as soon as it lies in the infeed tray."""
        if not self.machine.fire(InfeedEvent.LOAD):
            return False
        self._save()
        if self._board.machine.next_deck_inside:
            self._board.raise_fault(FaultCode.CARDS_LEFT_INSIDE, None, 0)
        self.resume()
        return True

    def shuffle(self, nonce: bytes) -> bool:
        """Shuffle the deck that was taken in."""
        if not self.machine.fire(InfeedEvent.SHUFFLE):
            return False
        self._nonce = nonce
        self._save()
        self.resume()
        return True

    def sort(self) -> bool:
        """Sort the deck that was taken in."""
        if not self.machine.fire(InfeedEvent.SORT):
            return False
        self._save()
        self.resume()
        return True

    def read(self) -> bool:
        """Count and read the deck that was taken in."""
        if not self.machine.fire(InfeedEvent.READ):
            return False
        self._save()
        self.resume()
        return True

    def resume(self) -> None:
        """Begin, or begin anew, the pass that belongs to this state; a fault that holds the machine holds it too."""
        if self._board.held:
            return
        board, timings = self._board, self._board.profile.timings
        machine, now, state = board.machine, board.now_us, self.machine.state
        if state is InfeedState.LOADING:
            machine.give_back()
            if board.events.room < EVENT_RESERVE:
                board.raise_fault(FaultCode.EVENTS_FULL, None, board.events.room)
            elif machine.infeed_occupied:
                machine.start(Pass.INTAKE, now, timings.intake_card_us)
        elif state is InfeedState.SHUFFLING:
            machine.recirculate()
            try:
                draw = board.shuffler(self.count, board.game)
            except RandomnessError as problem:
                board.write(f"no shuffle: {problem}"[:200])
                board.raise_fault(FaultCode.RANDOM_SOURCE, None, 0)
                return
            self._order, self._draw_flags = draw.order, board.flags | draw.flags
            if draw.note:
                board.write(draw.note[:200])
            machine.start(Pass.SHUFFLE, now, timings.shuffle_card_us, order=draw.order)
            self._progress = 0
            self._plan_progress()
        elif state is InfeedState.SORTING:
            machine.recirculate()
            machine.start(Pass.SORT, now, timings.sort_card_us)
        elif state in (InfeedState.READING, InfeedState.RECOUNTING):
            machine.recirculate()
            machine.start(Pass.READ, now, timings.read_card_us)
        elif state is InfeedState.VERIFYING:
            self.verify_at = now + timings.verify_us

    # --------------------------------------------------------------------------------------------------------- signals

    def cards_came(self) -> None:
        """Something lies in the infeed tray."""
        if self.machine.state is InfeedState.LOADING and not self.moving:
            self.resume()

    def ended(self, ended: PassEnded) -> None:
        """A pass of this lane is over without trouble."""
        board = self._board
        self.progress_at = None
        if ended.work is Pass.INTAKE:
            self._taken_in(ended)
        elif ended.work is Pass.SHUFFLE:
            self._codes = ended.codes
            self.count = ended.seen
            self.machine.fire(InfeedEvent.SHUFFLED)
            self._save()
            self.resume()
        elif ended.work is Pass.SORT:
            self.machine.fire(InfeedEvent.SORTED)
            board.emit(m.DeckSorted, count=ended.seen)
            board.write(f"deck of {ended.seen} sorted")
            self._save()
        elif self.machine.state is InfeedState.RECOUNTING:
            self._counted(ended, InfeedEvent.RECOUNTED)
        elif ended.work is Pass.READ:
            self.machine.fire(InfeedEvent.WAS_READ)
            complete = self._objection(ended.seen, ended.codes, ended.wrong_backs) is None
            board.emit(m.DeckVerified, count=ended.seen, complete=complete)
            board.write(f"deck of {ended.seen} verified: {'complete' if complete else 'not complete'}")
            self._save()

    def verify(self) -> None:
        """Hold what the shuffle pass saw against the pack; commit to it, or reject the deck."""
        self.verify_at = None
        board = self._board
        trouble = self._objection(self.count, self._codes, 0)
        if trouble is not None:
            self.reject(*trouble)
            return
        try:
            slots = board.profile.senses.commits is CommitKind.SLOTS
            self._stage(bytes(self._order) if slots else self._codes)
        except RandomnessError as problem:
            board.write(f"no commitment: {problem}"[:200])
            board.raise_fault(FaultCode.RANDOM_SOURCE, None, 0)
            return
        self.machine.fire(InfeedEvent.VERIFIED)
        self._save()

    def progress(self) -> None:
        """Tell, in passing, how far the shuffle is: by count alone."""
        board = self._board
        self._progress += board.profile.build.progress_cards
        board.passing.append(
            m.ShuffleProgressed(number=0, time_ms=board.now_us // 1000, done=self._progress, total=self.count)
        )
        self._plan_progress()

    # ----------------------------------------------------------------------------------------------------------- joins

    def hand_over(self) -> Deck:
        """The staged deck goes into play."""
        deck = self.staged
        assert deck is not None
        self.staged = None
        self.machine.fire(InfeedEvent.HANDED_OVER)
        self._board.machine.hand_over()
        self._save()
        return deck

    def reject(self, code: FaultCode, detail: int) -> None:
        """Give the deck back: it is taken in and counted anew once the fault is cleared."""
        self.staged = None
        self.machine.fire(InfeedEvent.REJECTED)
        self._save()
        self._board.raise_fault(code, None, detail)

    def spoil(self) -> None:
        """Hands may have been at the deck inside, or the power took its reading: it is counted anew where it is."""
        self.staged = None
        self.machine.fire(InfeedEvent.SPOILED)
        self.hold()
        self._save()

    def hold(self) -> None:
        """A fault holds the machine: what was timed is timed anew, a deck on its way in comes back out."""
        self.verify_at = self.progress_at = None
        if self.machine.state is InfeedState.LOADING:
            self._board.machine.give_back()

    def abandon(self) -> None:
        """There is no coming deck any more."""
        self.staged = None
        self.hold()
        self.machine.fire(InfeedEvent.ABANDONED)
        self._save()

    def revive(self) -> None:
        """After power-up: what was shuffled and not yet committed to counts for nothing."""
        inside = self._board.machine.next_deck_inside
        if self.machine.state is InfeedState.VERIFYING:
            self.spoil()
        elif self.machine.state in (InfeedState.LOADED, InfeedState.STAGED) and not inside:
            self.abandon()
        elif self.machine.state in (InfeedState.SHUFFLING, InfeedState.SORTING, InfeedState.READING) and not inside:
            self.spoil()

    # --------------------------------------------------------------------------------------------------------- private

    def _taken_in(self, ended: PassEnded) -> None:
        board = self._board
        if not board.profile.is_shoe:
            self._counted(ended, InfeedEvent.TAKEN_IN)
            return
        # A shoe learns its cards as they are drawn; the pack is what was declared.
        self.count = board.game.deck_cards * board.profile.build.decks
        self.machine.fire(InfeedEvent.TAKEN_IN)
        board.emit(m.DeckLoaded, count=self.count)
        self._nonce = b""
        self._draw_flags = board.flags | board.machine.mark
        self._stage(b"")
        self._save()

    def _counted(self, ended: PassEnded, event: InfeedEvent) -> None:
        """A deck was counted and read: take it, or give it back."""
        self.count = ended.seen
        trouble = self._objection(ended.seen, ended.codes, ended.wrong_backs)
        if trouble is not None:
            self.reject(*trouble)
            return
        self.machine.fire(event)
        self._board.emit(m.DeckLoaded, count=self.count)
        self._save()

    def _stage(self, codes: bytes) -> None:
        board, kind = self._board, self._board.profile.senses.commits
        board.count(SHUFFLES)
        number = board.meters[SHUFFLES]
        salts = board.chance(SALT_BYTES * len(codes)) if kind is not CommitKind.NOTHING else b""
        deck = Deck(number, board.game.game, self.count, kind, self._draw_flags, self._nonce, codes, salts)
        board.store.put(f"deck:{number}", deck.record())
        self.staged = deck
        if not board.profile.is_shoe:
            committed = kind is not CommitKind.NOTHING
            board.emit(
                m.ShuffleCompleted,
                shuffle=number,
                count=self.count,
                game=deck.game,
                kind=kind,
                flags=deck.flags,
                nonce=self._nonce,
                root=deck.commitment(board.serial, board.events.epoch).root if committed else NO_ROOT,
            )
        marks = "".join(f", {flag.name}" for flag in deck.flags)
        board.write(f"shuffle {number}: {self.count} cards, game {deck.game}{marks}")

    def _objection(self, count: int, codes: bytes, wrong_backs: int) -> tuple[FaultCode, int] | None:
        """What is wrong with a deck as counted and read, the plainest thing first."""
        wanted = self._board.game.deck_cards * self._board.profile.build.decks
        if count != wanted:
            return (FaultCode.SHORT_DECK if count < wanted else FaultCode.LONG_DECK), count
        if wrong_backs:
            return FaultCode.WRONG_BACK, wrong_backs
        if self._board.profile.senses.reads_faces:
            pack = _pack(self._board.game.deck_cards, self._board.profile.build.decks)
            if sorted(codes) != pack:
                if FACE_UP in codes:
                    return FaultCode.FACE_UP_CARD, codes.count(FACE_UP)
                if UNREADABLE in codes:
                    return FaultCode.UNREADABLE_CARD, codes.count(UNREADABLE)
                known = Counter(pack)
                strange = next((code for code in codes if code not in known), None)
                if strange is not None:
                    return FaultCode.FOREIGN_CARD, strange
                twice = excess(codes, known)
                if twice is not None:
                    return FaultCode.DUPLICATE_CARD, twice
        return None

    def _plan_progress(self) -> None:
        step, card_us = self._board.profile.build.progress_cards, self._board.profile.timings.shuffle_card_us
        ahead = self._progress + step < self.count
        base = self._board.now_us + (self._board.profile.timings.motor_start_us if not self._progress else 0)
        self.progress_at = base + step * card_us if step and ahead else None

    def _save(self) -> None:
        shuffle = self.staged.shuffle if self.staged is not None else 0
        self._board.store.put("infeed", [int(self.machine.state), self.count, self._nonce, shuffle])


_PACKS: dict[tuple[int, int], list[int]] = {}


def _pack(deck_cards: int, decks: int) -> list[int]:
    pack = _PACKS.get((deck_cards, decks))
    if pack is None:
        pack = _PACKS[deck_cards, decks] = sorted(composition(deck_cards, decks))
    return pack
