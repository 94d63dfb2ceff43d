"""The deck in play: rounds, groups, the dealer's cards, the stub, and what is a misdeal. Knows nothing of shuffling."""

from typing import Any, NamedTuple

from firmware_sim.board import CARDS, GROUPS, MISDEALS, ROUNDS, Board
from firmware_sim.deck import Deck
from firmware_sim.machines import DEAL, ROUND, DealEvent, Machine, RoundEvent
from firmware_sim.mechanism import Lane, Pass, PassEnded
from protocol import messages as m
from protocol.cards import FACE_UP
from protocol.messages import DEALER_SEAT, GameEntry, Opening
from protocol.vocabulary import CommitKind, DealState, ErrorCode, FaultCode, MisdealReason, Place, RoundState

ALL_PUBLIC = 255  # in a round's record: it ran to its end, every group may be recalled


class Group(NamedTuple):
    """One delivery of a round."""

    seat: int
    size: int
    first: int  # position of its first card, counted from where the round began


def plan_groups(game: GameEntry, seats: int, rotation: bool) -> list[Group]:
    """The deliveries of a round in order: seats upwards, the dealer last or first; in rotation one card at a time."""
    order = [seat for seat in range(1, 17) if seats >> (seat - 1) & 1]
    order = [DEALER_SEAT, *order] if game.dealer_first else [*order, DEALER_SEAT]
    sizes = {seat: game.dealer_cards if seat == DEALER_SEAT else game.cards_per_group for seat in order}
    if rotation:
        hands = [(seat, 1) for lap in range(max(sizes.values())) for seat in order if lap < sizes[seat]]
    else:
        hands = [(seat, sizes[seat]) for seat in order]
    groups, first = [], 0
    for seat, count in hands:
        groups.append(Group(seat, count, first))
        first += count
    return groups


class Deal:
    """The other lane of the machine and the tables `DEAL` and `ROUND`."""

    def __init__(self, board: Board) -> None:
        self._board = board
        saved: list[Any] = board.store.get("deal", [0, 0, 0, 0, 0, 0, 0, 0, 0])
        deal, round_state, shuffle, self.round, self.seats, self.base, self.group, self.budget, self.tray = saved
        self.machine = Machine(DEAL, DealState(deal))
        self.round_machine = Machine(ROUND, RoundState(round_state))
        record = board.store.get(f"deck:{shuffle}") if shuffle else None
        self.deck: Deck | None = Deck.from_record(record) if record is not None else None
        self.groups: list[Group] = self._planned()
        self._opening_closed = Opening(first=0, cards=(), salts=b"", proof=b"")

    @property
    def state(self) -> DealState:
        return self.machine.state

    @property
    def round_state(self) -> RoundState:
        return self.round_machine.state

    @property
    def moving(self) -> bool:
        """Whether cards are on their way to the tray."""
        return self._board.machine.motions[Lane.OUT] is not None

    # -------------------------------------------------------------------------------------------------------- commands

    def begin(self, number: int, seats: int) -> m.Error | None:
        """Open a round."""
        board, deck = self._board, self.deck
        if not self.round_machine.takes(RoundEvent.BEGIN):
            return _no(ErrorCode.NOT_NOW, f"round {self.round} is still open: close its decisions or void it first")
        if deck is None or self.machine.state is not DealState.READY:
            return _no(ErrorCode.NO_CARDS, f"no deck is ready ({self.machine.state.name}): load and shuffle one first")
        if number <= self.round:
            return _no(ErrorCode.WRONG_ROUND, f"round numbers grow: the last one was {self.round}")
        if not seats or seats >> board.game.groups:
            return _no(ErrorCode.OUT_OF_RANGE, f"{board.game.name} has seats 1 to {board.game.groups}, at least one")
        groups = plan_groups(board.game, seats, board.profile.is_shoe)
        needed = groups[-1].first + groups[-1].size
        if needed > deck.count - self.base:
            return _no(ErrorCode.NO_CARDS, f"{needed} cards are needed, {deck.count - self.base} are left: load anew")
        self.round_machine.fire(RoundEvent.BEGIN)
        self.round, self.seats, self.group, self.budget, self.groups = number, seats, 0, 0, groups
        self._remember()
        self._save()
        return None

    def deal(self, number: int, groups: int) -> m.Error | None:
        """Deliver the next groups."""
        if self.round_machine.state is not RoundState.DEALING:
            return _no(ErrorCode.NOT_NOW, "no round has groups left to deal: begin one")
        if number != self.round:
            return _no(ErrorCode.WRONG_ROUND, f"the open round is {self.round}")
        left = len(self.groups) - self.group
        if groups > left:
            return _no(ErrorCode.OUT_OF_RANGE, f"{left} groups are left in this round")
        if not self.machine.takes(DealEvent.DEAL):
            return _no(ErrorCode.NOT_NOW, f"a group is on its way ({self.machine.state.name}): wait until it was taken")
        self.budget = groups or left
        self._next_group(DealEvent.DEAL)
        self._save()
        return None

    def close(self, number: int) -> m.Error | None:
        """Decisions are closed: name what was withheld."""
        if self.round_machine.state is RoundState.NO_ROUND or number != self.round:
            return _no(ErrorCode.WRONG_ROUND, f"round {number} is not open")
        if not self.round_machine.fire(RoundEvent.CLOSE):
            left = len(self.groups) - self.group
            return _no(ErrorCode.NOT_NOW, f"{left} groups are still to be dealt in round {number}")
        board = self._board
        for index, group in enumerate(self.groups):
            if group.seat == DEALER_SEAT:
                board.emit(
                    m.HandDisclosed,
                    round=number,
                    group=index + 1,
                    seat=DEALER_SEAT,
                    shuffle=self._deck().shuffle,
                    opening=self._opening(group),
                )
        board.count(ROUNDS)
        board.write(f"round {number} closed: {len(self.groups)} groups from shuffle {self._deck().shuffle}")
        if board.profile.is_shoe:
            self.base += self._round_cards()
            self.groups = []
            self.group = 0
        elif self.machine.state is DealState.NO_DECK:
            self._forget_deck()
        self._save()
        return None

    def void(self, number: int) -> m.Error | None:
        """The host calls a misdeal."""
        if self.round_machine.state is RoundState.NO_ROUND or number != self.round:
            return _no(ErrorCode.WRONG_ROUND, f"round {number} is not open")
        self.misdeal(MisdealReason.HOST_VOID, 0, 0)
        return None

    def eject(self) -> m.Error | None:
        """Deliver the rest of the deck."""
        board = self._board
        if self.round_machine.state is RoundState.DEALING:
            left = len(self.groups) - self.group
            return _no(ErrorCode.NOT_NOW, f"{left} groups of round {self.round} come first: deal them or void it")
        if not self.machine.takes(DealEvent.EJECT):
            return _no(ErrorCode.NOT_NOW, f"there is no stub to deliver ({self.machine.state.name})")
        if board.machine.tray_occupied:
            return _no(ErrorCode.NOT_NOW, "cards lie in the tray: take them first")
        self.machine.fire(DealEvent.EJECT)
        self.resume()
        self._save()
        return None

    def resume(self) -> None:
        """Begin, or go on with, the delivery that belongs to this state."""
        board, timings = self._board, self._board.profile.timings
        if self.machine.state is DealState.DELIVERING:
            wanted = self.groups[self.group].size - self.tray
            board.machine.start(Pass.DELIVER, board.now_us, timings.deliver_card_us, wanted)
        elif self.machine.state is DealState.STUB_DELIVERING:
            board.machine.start(Pass.STUB, board.now_us, timings.stub_card_us)

    # --------------------------------------------------------------------------------------------------------- signals

    def ended(self, ended: PassEnded) -> None:
        """A delivery is over without trouble."""
        board = self._board
        if ended.work is Pass.STUB:
            self.tray += ended.seen
            self.machine.fire(DealEvent.STUB_OUT)
            board.emit(m.StubReady, round=self.round, count=self.tray)
            self._save()
            if not board.machine.tray_occupied:
                self.touched(False)
            return
        group = self.groups[self.group]
        already, self.tray = self.tray, self.tray + ended.seen
        if self.tray != group.size:
            self.misdeal(MisdealReason.GROUP_COUNT, group.size, self.tray)
            return
        if (reason := self._objection(group, already, ended.codes)) is not None:
            self.misdeal(reason, group.size, self.tray)
            return
        dealer = group.seat == DEALER_SEAT
        self.machine.fire(DealEvent.DEALER_OUT if dealer else DealEvent.GROUP_OUT)
        board.emit(m.GroupReady, round=self.round, group=self.group + 1, seat=group.seat, count=group.size)
        self._save()

    def touched(self, occupied: bool) -> None:
        """A hand was in the output tray."""
        state = self.machine.state
        if state is DealState.GROUP_IN_TRAY or state is DealState.DEALER_IN_TRAY:
            if occupied:
                self._board.raise_fault(FaultCode.GROUP_REMOVED_SHORT, Place.TRAY, 0)
            else:
                self._group_taken()
        elif state is DealState.STUB_IN_TRAY:
            if occupied:
                self._board.raise_fault(FaultCode.CARD_LEFT_IN_TRAY, Place.TRAY, 0)
            else:
                self._stub_taken()

    # ----------------------------------------------------------------------------------------------------------- joins

    def arrive(self, deck: Deck) -> None:
        """A staged deck comes into play."""
        self.deck, self.base, self.group, self.groups, self.tray = deck, 0, 0, [], 0
        self.machine.fire(DealEvent.ARRIVED)
        self._save()

    def misdeal(self, reason: MisdealReason, expected: int, seen: int) -> None:
        """Void the round: no further group, all cards back."""
        board, deck = self._board, self._deck()
        self.round_machine.fire(RoundEvent.BROKEN)
        self.machine.fire(DealEvent.MISDEAL)
        board.store.put(f"round:{self.round}", [deck.shuffle, self.base, self.seats, deck.game, self.group])
        self.budget = 0
        board.count(MISDEALS)
        board.emit(m.Misdealt, round=self.round, reason=reason, group=self.group + 1, expected=expected, seen=seen)
        board.write(f"round {self.round} misdealt at group {self.group + 1}: {reason.name}")
        self._save()

    # ----------------------------------------------------------------------------------------------------- supervisor's

    def recall(self, number: int, seat: int) -> m.Message:
        """What was dealt to a seat in an earlier round."""
        board = self._board
        if not board.profile.build.recall_rounds:
            return _no(ErrorCode.UNSUPPORTED, "this device does not read faces: it has nothing to recall")
        saved = board.store.get(f"round:{number}")
        if saved is None:
            return _no(ErrorCode.NOT_FOUND, f"round {number} is not among the last {board.profile.build.recall_rounds}")
        shuffle, base, seats, game, public = saved
        entry = board.profile.game(game)
        assert entry is not None
        open_now = number == self.round and self.round_machine.state is not RoundState.NO_ROUND
        taken = self.group if open_now else public
        hand: list[Group] = []
        for index, group in enumerate(plan_groups(entry, seats, board.profile.is_shoe)):
            if group.seat == seat:
                if index >= taken or (seat == DEALER_SEAT and (open_now or public != ALL_PUBLIC)):
                    return _no(ErrorCode.NOT_FOUND, f"the cards of seat {seat} in round {number} are not public")
                hand.append(group)
        if not hand:
            return _no(ErrorCode.NOT_FOUND, f"seat {seat} had no cards in round {number}")
        codes = Deck.from_record(board.store.get(f"deck:{shuffle}")).codes
        cards = tuple(code for group in hand for code in codes[base + group.first : base + group.first + group.size])
        return m.RecalledHand(round=number, seat=seat, shuffle=shuffle, cards=cards)

    def read_stub(self) -> m.Message:
        """The cards of the stub that was last taken, opened."""
        board = self._board
        if board.profile.senses.commits is not CommitKind.ORDER:
            return _no(ErrorCode.UNSUPPORTED, "this device does not know the cards of a stub")
        saved = board.store.get("stub")
        if saved is None:
            return _no(ErrorCode.NOT_FOUND, "no stub has been taken yet")
        shuffle, first = saved
        deck = Deck.from_record(board.store.get(f"deck:{shuffle}"))
        opening = deck.opening(board.serial, board.events.epoch, first, deck.count - first)
        return m.Stub(shuffle=shuffle, opening=opening)

    # --------------------------------------------------------------------------------------------------------- private

    def _next_group(self, event: DealEvent) -> None:
        """Start the next delivery, as far as the host has asked for one."""
        self.machine.fire(event)
        self.tray = 0
        self.budget -= 1
        self.resume()

    def _group_taken(self) -> None:
        board, group = self._board, self.groups[self.group]
        withheld = group.seat == DEALER_SEAT
        board.emit(
            m.GroupRemoved,
            round=self.round,
            group=self.group + 1,
            seat=group.seat,
            count=group.size,
            shuffle=self._deck().shuffle,
            withheld=withheld,
            opening=self._opening_closed if withheld else self._opening(group),
        )
        meters = board.meters
        meters[GROUPS] += 1
        board.count(CARDS, group.size)
        self.group += 1
        self.tray = 0
        if self.group == len(self.groups):
            self.round_machine.fire(RoundEvent.ALL_OUT)
            self.machine.fire(DealEvent.TAKEN if board.profile.is_shoe else DealEvent.TAKEN_LAST)
        elif self.budget:
            self._next_group(DealEvent.TAKEN_NEXT)
        else:
            self.machine.fire(DealEvent.TAKEN)
        self._save()

    def _stub_taken(self) -> None:
        board, deck = self._board, self._deck()
        count = self.tray
        self.machine.fire(DealEvent.STUB_TAKEN)
        board.emit(m.StubRemoved, round=self.round, count=count)
        board.store.put("stub", [deck.shuffle, deck.count - count])
        meters = board.meters
        board.emit(
            m.CountersReported,
            shuffles=meters[0],
            rounds=meters[ROUNDS],
            misdeals=meters[MISDEALS],
            faults=meters[5],
            log_length=board.log.length,
            log_head=board.log.head,
        )
        self.tray = 0
        if self.round_machine.state is RoundState.NO_ROUND:
            self._forget_deck()
        self._save()

    def _objection(self, group: Group, already: int, codes: bytes) -> MisdealReason | None:
        board, deck = self._board, self._deck()
        first = self.base + group.first + already
        if FACE_UP in codes:
            for _ in range(codes.count(FACE_UP)):
                board.emit(m.CardExposed, round=self.round, group=self.group + 1, seat=group.seat)
        if board.profile.is_shoe:
            deck.codes = deck.codes[:first] + codes
            board.store.put(f"deck:{deck.shuffle}", deck.record())
            return None
        if deck.kind is not CommitKind.ORDER:
            return None
        return deck.objection(first, codes)

    def _opening(self, group: Group) -> Opening:
        board = self._board
        return self._deck().opening(board.serial, board.events.epoch, self.base + group.first, group.size)

    def _round_cards(self) -> int:
        return self.groups[-1].first + self.groups[-1].size

    def _deck(self) -> Deck:
        assert self.deck is not None
        return self.deck

    def _forget_deck(self) -> None:
        self.deck, self.groups, self.group = None, [], 0

    def _planned(self) -> list[Group]:
        if self.deck is None or not self.seats:
            return []
        game = self._board.profile.game(self.deck.game)
        return plan_groups(game, self.seats, self._board.profile.is_shoe) if game is not None else []

    def _remember(self) -> None:
        """Keep rounds as far back as recall goes, and the decks they came from."""
        store, deck = self._board.store, self._deck()
        store.put(f"round:{self.round}", [deck.shuffle, self.base, self.seats, deck.game, ALL_PUBLIC])
        rounds: list[list[int]] = [*store.get("rounds", []), [self.round, deck.shuffle]]
        keep = max(1, self._board.profile.build.recall_rounds)
        while len(rounds) > keep:
            store.put(f"round:{rounds.pop(0)[0]}", None)
        store.put("rounds", rounds)
        stub = store.get("stub")
        oldest = min(rounds[0][1], stub[0] if stub is not None else deck.shuffle)
        kept_from: int = store.get("decks", 1)
        for number in range(kept_from, oldest):
            store.put(f"deck:{number}", None)
        if oldest > kept_from:
            store.put("decks", oldest)

    def _save(self) -> None:
        deck = self.deck
        self._board.store.put(
            "deal",
            [
                int(self.machine.state),
                int(self.round_machine.state),
                deck.shuffle if deck is not None else 0,
                self.round,
                self.seats,
                self.base,
                self.group,
                self.budget,
                self.tray,
            ],
        )


def _no(code: ErrorCode, text: str) -> m.Error:
    return m.Error(code=code, text=text)
