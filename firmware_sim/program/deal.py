"""The deck in play: rounds, groups, the dealer's cards, the stub, and what is a misdeal. Knows nothing of shuffling."""

from dataclasses import replace

from mypy_extensions import mypyc_attr

from firmware_sim.machine.signals import Lane, Pass, PassEnded
from firmware_sim.program.board import CARDS, FAULTS, GROUPS, MISDEALS, ROUNDS, SHUFFLES, Board
from firmware_sim.program.deck import Deck
from firmware_sim.program.effects import Effects, Fail, Start, tell
from firmware_sim.program.groups import Group, cards_of, plan_groups
from firmware_sim.program.recall import DeckRecall
from firmware_sim.program.records import DealRecord
from firmware_sim.program.states import DEAL, ROUND, DealEvent, RoundEvent, States
from protocol import messages as m
from protocol.cards import CUT_CARD, FACE_UP
from protocol.messages import DEALER_SEAT, UNCOUNTED, Opening
from protocol.vocabulary import (
    DealState,
    ErrorCode,
    FaultCode,
    Interrupted,
    MisdealReason,
    RoundState,
)

_CLOSED = Opening(first=0, cards=(), salts=b"", proof=b"")
_IN_TRAY = (DealState.GROUP_IN_TRAY, DealState.DEALER_IN_TRAY, DealState.STUB_IN_TRAY)
_ON_ITS_WAY = (DealState.DELIVERING, DealState.STUB_DELIVERING)


@mypyc_attr(allow_interpreted_subclasses=True)
class Deal:
    """The other lane of the machine and the tables `DEAL` and `ROUND`."""

    def __init__(self, board: Board) -> None:
        self._board = board
        kept: DealRecord = board.store.get("deal", DealRecord())
        self.memory = DeckRecall(board.store, board.profile)
        self.deck: Deck | None = self.memory.deck(kept.shuffle) if kept.shuffle else None
        if kept.shuffle and (why := self._unusable()) is not None:
            board.write(f"{why}: round {kept.round} can't go on")
            self.deck, kept = None, DealRecord(round=kept.round, round_state=kept.round_state)
        self.kept = replace(kept)
        self.states = States(DEAL, kept.state)
        self.round_states = States(ROUND, kept.round_state)
        self.groups: tuple[Group, ...] = self._planned()
        self._is_unstaged = False  # whether this step has changed what is kept

    @property
    def state(self) -> DealState:
        return self.states.state

    @property
    def round_state(self) -> RoundState:
        return self.round_states.state

    @property
    def may_have_a_deck(self) -> bool:
        """Whether the next deck may come into play: the one before is gone and its round over."""
        return self.states.state is DealState.NO_DECK and self.round_states.state is RoundState.NO_ROUND

    @property
    def moving(self) -> bool:
        """Whether cards are on their way to the tray."""
        return self._board.machine.motions[Lane.OUT] is not None

    @property
    def strays(self) -> bool:
        """Whether there are cards where the deck in play lies and memory knows of none."""
        return self.states.state is DealState.NO_DECK and self._board.machine.play_deck_inside

    # -------------------------------------------------------------------------------------------------------- commands

    def begin(self, number: int, seats: int) -> m.Error | Effects:
        """Open a round."""
        board, deck = self._board, self.deck
        if not self.round_states.takes(RoundEvent.BEGIN):
            return _no(ErrorCode.NOT_NOW, f"round {self.kept.round} is open: close its decisions or void it first")
        if deck is None or self.states.state is not DealState.READY:
            return _no(ErrorCode.NO_CARDS, f"no deck is ready ({self.states.state.name}): load and shuffle one first")
        if number <= self.kept.round:
            return _no(ErrorCode.WRONG_ROUND, f"round numbers grow: the last one was {self.kept.round}")
        if not seats or seats >> board.game.groups:
            return _no(ErrorCode.OUT_OF_RANGE, f"{board.game.name} has seats 1 to {board.game.groups}, at least one")
        groups = plan_groups(board.game, seats, board.profile.is_shoe)
        needed, left = cards_of(groups), deck.count - self.kept.base
        if needed > left or self.kept.cut_card_out:
            why = "the cut card is out" if self.kept.cut_card_out else f"{needed} cards are needed, {left} are left"
            return _no(ErrorCode.NO_CARDS, f"{why}: eject the rest and load anew")
        self.round_states.fire(RoundEvent.BEGIN)
        self.kept.round, self.kept.seats, self.kept.group, self.kept.budget, self.groups = number, seats, 0, 0, groups
        self.memory.begin(number, deck, self.kept.base, seats)
        self._save()
        return []

    def deal(self, number: int, groups: int) -> m.Error | Effects:
        """Deliver the next groups."""
        if self.round_states.state is not RoundState.DEALING:
            return _no(ErrorCode.NOT_NOW, "no round has groups left to deal: begin one")
        if number != self.kept.round:
            return _no(ErrorCode.WRONG_ROUND, f"the open round is {self.kept.round}")
        left = len(self.groups) - self.kept.group
        if groups > left:
            return _no(ErrorCode.OUT_OF_RANGE, f"{left} groups are left in this round")
        if not self.states.takes(DealEvent.DEAL):
            return _no(ErrorCode.NOT_NOW, f"a group is on its way ({self.states.state.name}): wait until it was taken")
        self.kept.budget = groups or left
        effects = self._next_group(DealEvent.DEAL)
        self._save()
        return effects

    def close(self, number: int) -> m.Error | Effects:
        """Decisions are closed: name what was withheld."""
        if self.round_states.state is RoundState.NO_ROUND or number != self.kept.round:
            return _no(ErrorCode.WRONG_ROUND, f"round {number} is not open")
        if not self.round_states.fire(RoundEvent.CLOSE):
            left = len(self.groups) - self.kept.group
            return _no(ErrorCode.NOT_NOW, f"{left} groups are still to be dealt in round {number}")
        board, deck = self._board, self._deck()
        disclosed: Effects = [
            tell(
                m.HandDisclosed,
                round=number,
                group=index + 1,
                seat=DEALER_SEAT,
                shuffle=deck.shuffle,
                opening=self._opening(group),
            )
            for index, group in enumerate(self.groups)
            if group.seat == DEALER_SEAT
        ]
        board.count(ROUNDS)
        board.write(f"round {number} closed: {len(self.groups)} groups from shuffle {deck.shuffle}")
        if board.profile.is_shoe:
            self.kept.base += cards_of(self.groups)
            self.groups, self.kept.group = (), 0
            if self.kept.cut_card_out or self.kept.base == deck.count:
                self.states.fire(DealEvent.SPOILED)  # nothing more is dealt from it
        elif self.states.state is DealState.NO_DECK:
            self._forget_deck()
        self._save()
        return disclosed

    def void(self, number: int) -> m.Error | Effects:
        """The host calls a misdeal."""
        if number != self.kept.round or not self.round_states.fire(RoundEvent.VOID):
            return _no(ErrorCode.WRONG_ROUND, f"round {number} is not open")
        if (ended := self._board.machine.stop(Lane.OUT, self._board.now_us)) is not None:
            self.kept.tray += ended.seen
        return self.misdeal(MisdealReason.HOST_VOID, 0, 0)

    def eject(self) -> m.Error | Effects:
        """Deliver the rest of the deck."""
        board = self._board
        if self.round_states.state is RoundState.DEALING:
            left = len(self.groups) - self.kept.group
            return _no(ErrorCode.NOT_NOW, f"{left} groups of round {self.kept.round} come first: deal them or void it")
        if not self.states.takes(DealEvent.EJECT):
            return _no(ErrorCode.NOT_NOW, f"there is no stub to deliver ({self.states.state.name})")
        if board.machine.tray_occupied:
            return _no(ErrorCode.NOT_NOW, "cards lie in the tray: take them first")
        self.kept.tray = 0
        self.states.fire(DealEvent.EJECT)
        self._save()
        return self.resume()

    def resume(self) -> Effects:
        """Begin, or go on with, the delivery that belongs to this state, unless a fault holds the machine."""
        board, state = self._board, self.states.state
        if board.held or state not in _ON_ITS_WAY:
            return []
        if board.events_nearly_full:
            return [Fail(FaultCode.EVENTS_FULL, board.events.room)]
        if self.kept.tray == 0 and board.machine.tray_occupied:
            return [self._tray_fault(FaultCode.CARD_LEFT_IN_TRAY)]
        if state is DealState.DELIVERING:
            return [self._delivery()]
        return [Start(Pass.STUB, board.profile.timings.stub_card_us)]

    # --------------------------------------------------------------------------------------------------------- signals

    def ended(self, ended: PassEnded) -> Effects:
        """A delivery came to its end."""
        if ended.work is Pass.STUB:
            return self._stub_out(ended)
        board, group = self._board, self.groups[self.kept.group]
        left = self.partial(ended)
        if self.states.state is not DealState.DELIVERING:
            return left
        if self.kept.tray < group.size and CUT_CARD in ended.codes:
            return [*left, self._delivery()]
        if self.kept.tray != group.size:
            return [*left, *self.misdeal(MisdealReason.GROUP_COUNT, group.size, self.kept.tray)]
        self.states.fire(DealEvent.DEALER_OUT if group.seat == DEALER_SEAT else DealEvent.GROUP_OUT)
        self._save()
        number, index = self.kept.round, self.kept.group + 1
        left.append(tell(m.GroupReady, round=number, group=index, seat=group.seat, count=group.size))
        if not board.machine.tray_occupied and not board.machine.tray_sensor_answers:
            left.append(Fail(FaultCode.TRAY_SENSOR_STUCK))
        return left

    def thick(self, ended: PassEnded) -> Effects:
        """Two cards left as one: in a group that is a misdeal, in the stub one more to count."""
        if ended.work is Pass.STUB:
            self._count_stub(ended.seen + 1)
            return self.resume()
        self.kept.tray += ended.seen + 1
        return self.misdeal(MisdealReason.GROUP_COUNT, self.groups[self.kept.group].size, self.kept.tray)

    def broke_off(self, ended: PassEnded, fault: Fail) -> Effects:
        """A delivery ended too soon: what has left so far, and the fault that ended it unless a misdeal says it all."""
        left = self.partial(ended)
        return left if self.states.state is DealState.MISDEALT else [*left, fault]

    def partial(self, ended: PassEnded) -> Effects:
        """Take note of what has left so far; a card that should not have makes a misdeal of it."""
        if ended.work is Pass.STUB:
            self._count_stub(ended.seen - ended.codes.count(CUT_CARD))
            return []
        group, codes = self.groups[self.kept.group], ended.codes
        already, seen = self.kept.tray, ended.seen
        if CUT_CARD in codes:
            seen -= codes.count(CUT_CARD)
            codes = codes.replace(bytes((CUT_CARD,)), b"")
            self.kept.cut_card_out = True
            self._board.write("cut card out")
        self.kept.tray = already + seen
        exposed = self._exposed(group, codes)
        reason = self._objection(group, already, codes)
        if reason is not None:
            return [*exposed, *self.misdeal(reason, group.size, self.kept.tray)]
        self._save()
        return exposed

    def touched(self, occupied: bool) -> Effects:
        """A hand was in the output tray."""
        board, state = self._board, self.states.state
        if state in _IN_TRAY:
            if not occupied:
                return self._taken()
            stub = state is DealState.STUB_IN_TRAY
            return [self._tray_fault(FaultCode.CARD_LEFT_IN_TRAY if stub else FaultCode.GROUP_REMOVED_SHORT)]
        if (ended := board.machine.stop(Lane.OUT, board.now_us)) is not None:
            left = self.partial(ended)
            grabbed = Fail(FaultCode.EARLY_GRAB, self.kept.tray)
            return left if self.states.state is DealState.MISDEALT else [*left, grabbed]
        if occupied and state is not DealState.MISDEALT and not board.held:
            return [self._tray_fault(FaultCode.CARD_PUT_BACK)]
        return []

    def strayed(self, codes: bytes) -> Effects:
        """Cards left by the exit that nothing had asked for."""
        if self.round_states.state is RoundState.DEALING:
            return self.misdeal(MisdealReason.OUT_OF_ORDER, 0, len(codes))
        if self.round_states.state is RoundState.DECIDING:
            return self.misdeal(MisdealReason.PAST_THE_STUB, 0, len(codes))
        self._board.write(f"{len(codes)} cards drawn with no round open")
        self.states.fire(DealEvent.SPOILED)
        self._save()
        return []

    def recheck(self) -> Effects:
        """The machine goes on after a fault: catch up with what hands did meanwhile, then with the delivery."""
        occupied, state = self._board.machine.tray_occupied, self.states.state
        if state in _ON_ITS_WAY:
            return self.resume()
        if state in _IN_TRAY:
            return [] if occupied else self._taken()
        return [self._tray_fault(FaultCode.CARD_PUT_BACK)] if occupied and state is not DealState.MISDEALT else []

    # ----------------------------------------------------------------------------------------------------------- joins

    def arrive(self, deck: Deck) -> None:
        """A staged deck comes into play."""
        self.deck, self.kept.base, self.kept.group, self.groups, self.kept.tray = deck, 0, 0, (), 0
        self.kept.cut_card_out = False
        self.states.fire(DealEvent.ARRIVED)
        self._save()

    def misdeal(self, reason: MisdealReason, expected: int, seen: int) -> Effects:
        """Void the round: no further group, all cards back."""
        board = self._board
        self.round_states.fire(RoundEvent.BROKEN)
        self.states.fire(DealEvent.MISDEAL)
        self.kept.budget = 0
        self.memory.broke(self.kept.round, self.kept.group)
        board.count(MISDEALS)
        number, group = self.kept.round, self.kept.group + 1
        board.write(f"round {number} misdealt at group {group}: {reason.name}")
        told = tell(m.Misdealt, round=number, reason=reason, group=group, expected=expected, seen=seen)
        if self.states.state is DealState.NO_DECK:
            self._forget_deck()
        self._save()
        return [told]

    def spoil(self) -> Effects:
        """The undealt cards were within reach: a round that is being dealt is void, a ready deck can't be dealt."""
        if self.round_states.state is RoundState.DEALING:
            return self.misdeal(MisdealReason.MECHANISM, 0, 0)
        self.states.fire(DealEvent.SPOILED)
        self._save()
        return []

    def fate(self) -> Interrupted:
        """After power-up: what becomes of an open round. It goes on unless its cards were moving or are gone."""
        if self.round_states.state is RoundState.NO_ROUND:
            return Interrupted.NOTHING
        if self.deck is None:
            return Interrupted.VOIDED
        if self.round_states.state is RoundState.DEALING and (
            self.states.state is DealState.DELIVERING or not self._board.machine.play_deck_inside
        ):
            return Interrupted.VOIDED
        return Interrupted.RESUMED

    def revive(self) -> Effects:
        """After power-up: void what can't go on; counts during the power cut are lost."""
        state, effects = self.states.state, Effects()
        if self.fate() is Interrupted.VOIDED:
            expected = self.groups[self.kept.group].size if self.deck is not None else 0
            effects = self.misdeal(MisdealReason.POWER_CUT, expected, 0)
        if state is DealState.STUB_DELIVERING:
            self.kept.tray = UNCOUNTED
            self._save()
        elif state not in (DealState.NO_DECK, DealState.STUB_IN_TRAY) and self._is_gone():
            self.states.fire(DealEvent.GONE)
            if self.round_states.state is RoundState.NO_ROUND:
                self._forget_deck()
            self._save()
        return effects

    # --------------------------------------------------------------------------------------------------------- private

    def _delivery(self) -> Start:
        wanted = self.groups[self.kept.group].size - self.kept.tray
        return Start(Pass.DELIVER, self._board.profile.timings.deliver_card_us, wanted)

    def _next_group(self, event: DealEvent) -> Effects:
        """Start the next delivery."""
        self.states.fire(event)
        self.kept.tray = 0
        self.kept.budget -= 1
        return self.resume()

    def _taken(self) -> Effects:
        return self._stub_taken() if self.states.state is DealState.STUB_IN_TRAY else self._group_taken()

    def _group_taken(self) -> Effects:
        board, group = self._board, self.groups[self.kept.group]
        withheld = group.seat == DEALER_SEAT
        removed = tell(
            m.GroupRemoved,
            round=self.kept.round,
            group=self.kept.group + 1,
            seat=group.seat,
            count=group.size,
            shuffle=self._deck().shuffle,
            withheld=withheld,
            opening=_CLOSED if withheld else self._opening(group),
        )
        board.meters[GROUPS] += 1
        board.count(CARDS, group.size)
        self.kept.group += 1
        self.kept.tray = 0
        following: Effects = []
        if self.kept.group == len(self.groups):
            self.round_states.fire(RoundEvent.ALL_OUT)
            self.states.fire(DealEvent.TAKEN if board.profile.is_shoe else DealEvent.TAKEN_LAST)
        elif self.kept.budget:
            following = self._next_group(DealEvent.TAKEN_NEXT)
        else:
            self.states.fire(DealEvent.TAKEN)
        self._save()
        return [removed, *following]

    def _stub_out(self, ended: PassEnded) -> Effects:
        board = self._board
        self._count_stub(ended.seen - ended.codes.count(CUT_CARD))
        expected = self._left()
        self.states.fire(DealEvent.STUB_OUT)
        self._save()
        effects: Effects = [tell(m.StubReady, round=self.kept.round, count=self.kept.tray)]
        if self.kept.tray not in (UNCOUNTED, expected) and expected >= 0:
            if self.round_states.state is not RoundState.DECIDING:
                return [
                    *effects,
                    Fail(FaultCode.SHORT_DECK if self.kept.tray < expected else FaultCode.LONG_DECK, self.kept.tray),
                ]
            effects += self.misdeal(MisdealReason.DECK_COUNT, expected, self.kept.tray)
        if not board.machine.tray_occupied and self.kept.tray in (0, UNCOUNTED) and not board.held:
            effects += self._stub_taken()
        return effects

    def _count_stub(self, cards: int) -> None:
        if self.kept.tray != UNCOUNTED:
            self.kept.tray += cards
            self._save()

    def _stub_taken(self) -> Effects:
        board, deck = self._board, self._deck()
        self.states.fire(DealEvent.STUB_TAKEN)
        removed = tell(m.StubRemoved, round=self.kept.round, count=self.kept.tray)
        self.memory.stub_taken(deck, self.kept.tray)
        meters = board.meters
        counters = tell(
            m.CountersReported,
            shuffles=meters[SHUFFLES],
            rounds=meters[ROUNDS],
            misdeals=meters[MISDEALS],
            faults=meters[FAULTS],
            log_length=board.log.length,
            log_head=board.log.head,
        )
        self.kept.tray = 0
        if self.round_states.state is RoundState.NO_ROUND:
            self._forget_deck()
        self._save()
        return [removed, counters]

    def _tray_fault(self, code: FaultCode) -> Fail:
        """Something about the tray is wrong: the cards, or the sensor itself."""
        stuck = not self._board.machine.tray_sensor_answers
        return Fail(FaultCode.TRAY_SENSOR_STUCK if stuck else code)

    def _exposed(self, group: Group, codes: bytes) -> Effects:
        """Cards that left face up."""
        if FACE_UP not in codes:
            return []
        self._board.write(f"card exposed in round {self.kept.round}, group {self.kept.group + 1}")
        exposed = tell(m.CardExposed, round=self.kept.round, group=self.kept.group + 1, seat=group.seat)
        return [exposed] * codes.count(FACE_UP)

    def _objection(self, group: Group, already: int, codes: bytes) -> MisdealReason | None:
        board, deck = self._board, self._deck()
        first = self.kept.base + group.first + already
        if board.profile.is_shoe:
            deck.codes = deck.codes[:first] + codes
            self.memory.keep(deck)
            return deck.shoe_objection(board.game.deck_cards, board.profile.build.decks)
        return deck.objection(first, codes) if board.profile.senses.reads_faces else None

    def _is_gone(self) -> bool:
        """Whether cards should be inside and none are."""
        return not self._board.machine.play_deck_inside and self._left() != 0

    def _left(self) -> int:
        """Cards that should still be inside by the book; -1 if unknown after a misdeal."""
        if self.deck is None:
            return 0
        if self.states.state is DealState.MISDEALT or self.memory.is_broken(self.kept.round, self.deck):
            return -1
        return self.deck.count - self.kept.base - (cards_of(self.groups[: self.kept.group]) if self.groups else 0)

    def _opening(self, group: Group) -> Opening:
        board = self._board
        return self._deck().opening(board.serial, self.kept.base + group.first, group.size)

    def _deck(self) -> Deck:
        assert self.deck is not None
        return self.deck

    def _forget_deck(self) -> None:
        self.deck, self.groups, self.kept.group = None, (), 0

    def _unusable(self) -> str | None:
        """Why the deck in memory can't be dealt from; None if it can."""
        if self.deck is None:
            return "the deck in play is not in memory"
        if self._board.profile.game(self.deck.game) is None:
            return f"game {self.deck.game} is not on the menu"
        return None

    def _planned(self) -> tuple[Group, ...]:
        over = self.round_states.state is RoundState.NO_ROUND and not self.kept.group
        if self.deck is None or not self.kept.seats or over:
            return ()
        game = self._board.profile.game(self.deck.game)
        return plan_groups(game, self.kept.seats, self._board.profile.is_shoe) if game is not None else ()

    def _save(self) -> None:
        """Keep this state; a step that changes it several times stages it once, at its end."""
        self._is_unstaged = True

    def stage(self) -> None:
        """The step is over: put what it has changed into the store."""
        if not self._is_unstaged:
            return
        self._is_unstaged = False
        self.kept.state, self.kept.round_state = self.states.state, self.round_states.state
        self.kept.shuffle = self.deck.shuffle if self.deck is not None else 0
        self._board.store.put("deal", replace(self.kept))


def _no(code: ErrorCode, text: str) -> m.Error:
    return m.Error(code=code, text=text)
