"""One progressive at one table: its meter, its keypad, and the wins recorded in the round.

A prize is fixed by the key that records it and reserved from then on: wagers from anywhere go on top of it, and nothing
else may take it off the meter. It is then confirmed (taken off the meter, and paid at the settlement) or backed out.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from round_engine.errors import KeyRefused, MoveRefused, OutOfTurn, WrongPhase
from round_engine.keypads import DIALECTS, HAND, LOCKED, Crew, Dialect, Key, KeyEffect, KeypadState, KeyPress, Pressed
from round_engine.meters.awards import (
    WHOLE,
    Due,
    Meter,
    Share,
    award,
    contribute,
    dues,
    envy,
    envy_triggers,
    lit,
    meter_account,
    payable_account,
    reserve_account,
    takes_part,
)
from round_engine.meters.records import Standing, WinRecord
from round_engine.money import dollars
from round_engine.money.ledger import HOUSE, TRAY, EntryKind, Posting
from round_engine.round.operations import BackOut, LinkMeter, Operation, PressKey, VerifyWin
from round_engine.round.settlement import award_postings
from round_engine.round.showdown import around
from round_engine.round.state import Phase, RoundOnTable
from round_engine.rules.ruleset import Hand, Pay, PayRow, Paytable, ProgressiveRules, WagerName

_ROUND_KEYS = (KeyEffect.LOCK, KeyEffect.END, KeyEffect.MISDEAL)
_RECORDING = (KeyEffect.RECORD, KeyEffect.RECORD_AND_ADJUST)


class Prepared(NamedTuple):
    """A key that has been checked, and the record it makes if it makes one."""

    pressed: Pressed
    record: WinRecord | None


@dataclass(slots=True, kw_only=True)
class Jackpot:
    """Meter, keypad and records of one progressive wager."""

    rules: ProgressiveRules = field(compare=False, repr=False)
    paytable: Paytable = field(compare=False, repr=False)
    meter: Meter
    meter_before: Meter  # at the lock of the round
    keypad: KeypadState = field(default_factory=KeypadState)
    records: list[WinRecord] = field(default_factory=list)
    verified: dict[tuple[int, Hand], str] = field(default_factory=dict)  # wins that a supervisor has looked at, and who
    voided: set[int] = field(default_factory=set)  # spots whose award does not stand
    envy_paid: dict[int, list[Posting]] = field(default_factory=dict)  # by the spot it was paid for
    dues_known: tuple[int, tuple[Due, ...]] = field(default=(-1, ()), compare=False, repr=False)

    @property
    def wager(self) -> WagerName:
        """The wager that this progressive takes."""
        return self.rules.wager

    @property
    def dialect(self) -> Dialect:
        """The kind of keypad."""
        return DIALECTS[self.rules.keypad]

    def open_round(self) -> None:
        """Forget the wins of the round before."""
        self.records = []
        self.verified, self.voided, self.envy_paid = {}, set(), {}
        self.meter_before = self.meter
        self.dues_known = (-1, ())

    # --- lock, end, misdeal ---

    def verify_key(self, key: Key, by: str) -> Pressed:
        """A key without hand or position."""
        return self.dialect.verify(self.rules, self.keypad, KeyPress(key=key, by=by))

    def lock(self, pressed: Pressed, state: RoundOnTable, standing: Iterable[Standing]) -> list[Posting]:
        """Sensors lit, wagers collected, the meter given its share; wagers that stood from a misdeal are already in."""
        wager, clauses, stake = self.wager, self.rules.clauses, self.rules.denomination
        spots = tuple(number for number, spot in state.spots.items() if lit(spot, wager))
        self.keypad = pressed.state._replace(lit=spots)
        self.meter_before = self.meter
        in_already = {one.spot: one for one in standing if one.wager == wager}
        collected = [
            Posting(
                EntryKind.COLLECTED, number, wager, stake, state.spots[number].account, TRAY, "stake",
                clauses["collected"],
            )
            for number in spots
            if number not in in_already or in_already[number].player != state.spots[number].wagers.player
        ]
        if not collected:
            return []
        given = contribute(
            self.meter,
            contribution_bp=self.paytable.contribution_bp,
            reserve_bp=self.rules.reserve_bp,
            stake=stake * len(collected),
        )
        self.meter = given.meter
        for entry, amount, account, clause in (
            (EntryKind.CONTRIBUTED, given.to_meter, meter_account(wager), clauses["contributed"]),
            (EntryKind.RESERVED, given.to_reserve, reserve_account(wager), clauses["reserved"]),
        ):
            if amount:
                collected.append(Posting(entry, 0, wager, amount, TRAY, account, "share of the wagers", clause))
        return collected

    def void(self, undone: Sequence[Posting], *, contributions_reversed: bool) -> list[Posting]:
        """The postings of a misdeal as the meter can bear them, followed; the keypad reset."""
        bearable = self._bearable(undone)
        self.follow(bearable)
        if contributions_reversed:
            self.meter = replace(
                self.meter, carry=self.meter_before.carry, reserve_carry=self.meter_before.reserve_carry
            )
        self.keypad = KeypadState()
        return bearable

    def _bearable(self, undone: Sequence[Posting]) -> list[Posting]:
        """What another table has won meanwhile cannot come off the meter again: the house bears it."""
        spare = {
            meter_account(self.wager): self.meter.amount - self.meter.floor,
            reserve_account(self.wager): self.meter.reserve,
        }
        for one in undone:
            if one.target in spare:
                spare[one.target] += one.amount
        out: list[Posting] = []
        for one in undone:
            if one.source not in spare or one.amount <= spare[one.source]:
                out.append(one)
                if one.source in spare:
                    spare[one.source] -= one.amount
                continue
            part = max(0, spare[one.source])
            spare[one.source] -= part
            if part:
                out.append(one._replace(amount=part))
            note = f"{one.note}; won at another table meanwhile"
            out.append(one._replace(amount=one.amount - part, source=HOUSE, note=note))
        return out

    def follow(self, postings: Iterable[Posting]) -> None:
        """Move the meter and the reserve as postings move their accounts."""
        shown, aside = meter_account(self.wager), reserve_account(self.wager)
        amount, reserve = self.meter.amount, self.meter.reserve
        for one in postings:
            amount += one.amount * ((one.target == shown) - (one.source == shown))
            reserve += one.amount * ((one.target == aside) - (one.source == aside))
        self.meter = replace(self.meter, amount=amount, reserve=reserve)

    # --- what others may move ---

    @property
    def pending(self) -> WinRecord | None:
        """A win that is recorded and has not come off the meter yet; there is one at most."""
        last = self.records[-1] if self.records else None
        if last is None or last.backed_out or last.adjusted or last.row.pay is not Pay.METER:
            return None
        return last

    def _reserved(self, floor: int) -> tuple[int, int]:
        """The least that others may bring meter and reserve down to: the floor, and prizes that are fixed."""
        pending = self.pending
        split = next((one for one in reversed(self.active()) if one.share.place < one.share.among - 1), None)
        if split is not None and self.active()[-1] is not split:
            split = None  # its last part is recorded too
        held = (0 if pending is None else pending.prize) + (0 if split is None else split.pot - split.so_far)
        aside = 0 if pending is None else pending.from_reserve
        if any(one is not None and one.row.value == 100 for one in (pending, split)):
            return held, aside  # the seed comes when the last of it is taken
        return held + min(floor, self.meter.amount - held), aside

    def verify_move(
        self, change: int, percent: int = 0, reserve_change: int = 0, floor_told: int | None = None
    ) -> int:
        """The meter's floor after a move from outside; refuses one that is no whole cents or takes what is not free."""
        for told in (change, percent, reserve_change, 0 if floor_told is None else floor_told):
            if type(told) is not int:
                raise MoveRefused(f"a meter moves by whole cents, not by {told!r}")
        if percent and percent not in (offered := [row.value for row in self.paytable.rows if row.pay is Pay.METER]):
            raise MoveRefused(f"no {self.wager} award takes {percent}% of the meter; there are {offered}")
        if floor_told is not None and (percent or not 0 <= floor_told <= self.rules.seed):
            raise MoveRefused(f"a floor of {dollars(floor_told)} cannot be told with {percent}% of a meter seeded at "
                          f"{dollars(self.rules.seed)}")  # fmt: skip
        moves_floor = floor_told not in (None, self.meter.floor)
        if change == 0 and not percent and not reserve_change and not moves_floor:
            raise MoveRefused("a meter moves by whole cents, not by 0")
        if percent and change > 0 and percent < 100:
            raise MoveRefused(f"an award of {percent}% at another table does not raise the meter")
        floor = self.meter.floor if floor_told is None else floor_told
        if percent:
            floor = self.rules.seed if percent == 100 else floor * (100 - percent) // 100
        least, aside = self._reserved(floor)
        if floor_told is not None and self.pending is None:
            least = max(least, floor_told)
        if self.meter.amount + change < least:
            why = "a prize is fixed at it" if self.pending is not None else "it cannot fall below its seed"
            raise MoveRefused(
                f"the {self.wager} meter shows {dollars(self.meter.amount)} and {dollars(least)} of it must stay "
                f"({why}): it cannot move by {dollars(change)}"
            )
        if self.meter.reserve + reserve_change < aside:
            raise MoveRefused(
                f"the {self.wager} reserve holds {dollars(self.meter.reserve)}: it cannot move by "
                f"{dollars(reserve_change)}"
            )
        return floor

    def moved(self, move: LinkMeter, floor: int, postings: Iterable[Posting]) -> None:
        """Follow a move of another table."""
        self.follow(postings)
        if move.percent or move.floor is not None:
            self.meter = replace(self.meter, floor=floor)

    # --- what is due, what is recorded ---

    def dues(self, state: RoundOnTable) -> tuple[Due, ...]:
        """The awards that the cards give, in the order in which they are handled; none before the reveal."""
        if state.phase is not Phase.SETTLEMENT and state.phase is not Phase.CLOSED:
            return ()
        known = sum(spot.rank >= 0 for spot in state.spots.values())  # nothing else can change them any more
        if self.dues_known[0] != known:
            self.dues_known = (known, dues(state.book, self.wager, state.spots.values(), state.dealer.rank))
        if self.voided:
            return tuple(due for due in self.dues_known[1] if due.spot not in self.voided)
        return self.dues_known[1]

    def active(self) -> list[WinRecord]:
        """The records that stand."""
        return [record for record in self.records if not record.backed_out]

    def to_be_keyed(self, state: RoundOnTable) -> list[Due]:
        """The awards that still have to be recorded, in order."""
        due_now = self.dues(state)
        if not due_now:
            return []
        recorded = [record.due for record in self.active()]
        return [
            due
            for due in due_now
            if due not in recorded and (due.from_meter or self.rules.tray_wins_keyed)
        ]

    def verify_reconciled(self, state: RoundOnTable) -> dict[Due, int]:
        """The recorded prizes; refuses while a win is not recorded, or a record is no win."""
        if not self.keypad.lit and not self.records and self.keypad.mode == LOCKED:
            return {}
        half_keyed = self.dialect.half_keyed if self.rules.end_needs_confirmation else self.dialect.off_run
        if self.keypad.mode in half_keyed:
            raise MoveRefused(f"the {self.wager} keypad is not done: {self.keypad.mode}")
        for record in self.active():
            if record.due is None:
                raise MoveRefused(
                    f"record {record.number} of {self.wager} ({record.hand}) is no win on this table: back it out"
                )
            if record.share.among != self._among(state, record.due):
                raise MoveRefused(
                    f"record {record.number} of {self.wager} splits the award among {record.share.among}: "
                    "back it out and key it again"
                )
        if missing := self.to_be_keyed(state):
            told = ", ".join(f"spot {due.spot} with {due.row.hand}" for due in missing)
            raise MoveRefused(f"not recorded at the {self.wager} keypad: {told}")
        return self.prizes()

    def verify_recorded(self, state: RoundOnTable, due_now: Iterable[Due]) -> None:
        """Refuse while one of these awards is not recorded, or its key is still off RUN."""
        if self.keypad.mode in self.dialect.off_run:
            raise MoveRefused(f"the {self.wager} keypad is not done: {self.keypad.mode}")
        waiting = self.to_be_keyed(state)
        for due in due_now:
            if due.wager == self.wager and due in waiting:
                raise MoveRefused(f"not recorded at the {self.wager} keypad: spot {due.spot} with {due.row.hand}")

    def prize_of(self, state: RoundOnTable, due: Due) -> int:
        """What a due pays as the meter stands."""
        return award(self.rules, due.row, self.meter, self._share(state, due)).prize

    def script(self, state: RoundOnTable, due: Due, crew: Crew) -> list[Operation]:
        """Return the operations that record an award as the meter now shows."""
        return self.dialect.script(self.rules, due, self.prize_of(state, due), crew)

    def prizes(self) -> dict[Due, int]:
        """The prizes of the records that stand."""
        return {record.due: record.prize for record in self.active() if record.due is not None}

    # --- keys ---

    def verify_press(self, state: RoundOnTable, press: PressKey) -> Prepared:
        """Check a key as a whole: the keypad's state, the hand's place on the paytable, the order of winners."""
        key = press.key
        hand = press.hand if key == HAND else self.keypad.hand
        row = self._row(hand) if hand is not None else None
        due = self._due_for(state, row) if row is not None else None
        prize = award(self.rules, row, self.meter, self._share(state, due)).prize if row is not None else 0
        pressed = self.dialect.verify(
            self.rules,
            self.keypad,
            KeyPress(key=key, by=press.by, hand=press.hand, spot=press.spot, prize=prize),
        )
        if pressed.effect in _ROUND_KEYS:
            raise KeyRefused(
                f"{key} is pressed by the round's own operation: LockWagers, CloseRound or DeclareMisdeal"
            )
        if pressed.effect is KeyEffect.TAKE_BACK and (state.settled or self.active()[-1].paid):
            raise WrongPhase("the win is paid: only a manual adjustment takes it back")
        if pressed.effect not in _RECORDING or row is None:
            return Prepared(pressed, None)
        return Prepared(pressed, self._record(state, row, due, press.by))

    def _row(self, hand: Hand) -> PayRow:
        row = self.paytable.row(hand)
        if row is None or not row.wins:
            buttons = ", ".join(row.hand for row in self.paytable.rows if row.wins)
            raise KeyRefused(f"there is no hand button for {hand}; there are {buttons}")
        return row

    def _due_for(self, state: RoundOnTable, row: PayRow) -> Due | None:
        """The due that a keyed hand, and position where the keypad has one, stands for."""
        spot = self.keypad.spot
        return next((one for one in self.to_be_keyed(state) if one.row is row and spot in (None, one.spot)), None)

    def _among(self, state: RoundOnTable, due: Due) -> int:
        """How many split the award of a due; one where the house pays them one after another."""
        if self.rules.several_meter_wins != "split" or not due.from_meter:
            return 1
        return sum(one.row is due.row for one in self.dues(state))

    def _share(self, state: RoundOnTable, due: Due | None) -> Share:
        """The part of the award that a due has next."""
        if due is None or (among := self._among(state, due)) == 1:
            return WHOLE
        earlier = [one for one in self.active() if one.due is not None and one.row is due.row]
        return Share(len(earlier), among, earlier[0].pot if earlier else None)

    def _unseen_before(self, state: RoundOnTable, due: Due) -> int | None:
        """A spot whose unknown hand may come before a due at the meter, or share the award with it."""
        right_first, split = self.rules.meter_win_order == "dealers-right", self.rules.several_meter_wins == "split"
        for number, spot in state.spots.items():
            before = split or (number > due.spot) == right_first
            if spot.rank < 0 and before and takes_part(self.rules, self.wager, spot):
                return number
        return None

    def _record(self, state: RoundOnTable, row: PayRow, due: Due | None, by: str) -> WinRecord:
        if state.phase is not Phase.SETTLEMENT:
            raise WrongPhase("wins are recorded after the reveal and before the round is closed")
        if due is None and state.settled:
            raise WrongPhase("the round is settled, and nobody is due that hand")
        if due is not None and due.from_meter:
            first = next(one for one in self.to_be_keyed(state) if one.from_meter)
            if first is not due:
                raise OutOfTurn(
                    f"spot {first.spot} with {first.row.hand} is paid from the meter first: the meter is paid out from "
                    f"{self.rules.meter_win_order.replace('-', ' ')}"
                )
            if (unseen := self._unseen_before(state, due)) is not None:
                raise OutOfTurn(
                    f"spot {unseen} may be paid from the meter first, and its hand has not been shown: show it before "
                    f"spot {due.spot} is recorded"
                )
        by = self._confirmed_by(row, by)
        share = self._share(state, due)
        given = award(self.rules, row, self.meter, share)
        if row.pay is Pay.METER and given.prize > self.meter.amount:
            raise MoveRefused(f"the {self.wager} meter does not hold {dollars(given.prize)}: back the last record out")
        earlier = sum(one.prize for one in self.active() if share.place and one.due is not None and one.row is row)
        return WinRecord(
            number=len(self.records) + 1,
            wager=self.wager,
            hand=Hand(row.hand),
            row=row,
            spot=due.spot if due is not None else self.keypad.spot,
            due=due,
            prize=given.prize,
            by=by,
            seed=given.seed,
            from_reserve=given.from_reserve,
            floor=self.meter.floor,
            share=share,
            pot=given.pot,
            so_far=earlier + given.prize,
        )

    def _confirmed_by(self, row: PayRow, by: str) -> str:
        """Whoever confirms: the one at the key, or where that is the dealer, the supervisor who verified the win."""
        if self.dialect.supervisor_keys or not self.rules.confirmer_is_not_the_dealer:
            return by
        verified = self.verified.get((self.keypad.spot or 0, Hand(row.hand)))
        if verified is None:
            raise MoveRefused(
                f"no supervisor has verified {row.hand.replace('_', ' ')} at spot {self.keypad.spot}: "
                "VerifyWin comes before ENTER"
            )
        return verified

    def verify_verify(self, state: RoundOnTable, move: VerifyWin) -> None:
        """Refuse to verify what cannot be keyed here."""
        if self.dialect.supervisor_keys:
            raise MoveRefused(f"on the {self.dialect.name} keypad a supervisor verifies with the confirming key")
        if state.phase is not Phase.SETTLEMENT:
            raise WrongPhase("wins are verified after the reveal and before the round is closed")
        if move.spot not in self.keypad.lit:
            raise MoveRefused(f"position {move.spot} has no progressive wager; lit are {list(self.keypad.lit)}")
        self._row(move.hand)

    def press(self, state: RoundOnTable, prepared: Prepared) -> list[Posting]:
        """Take the key; the postings it led to."""
        self.keypad = prepared.pressed.state
        effect = prepared.pressed.effect
        if prepared.record is not None:
            self.records.append(prepared.record)
        if effect in (KeyEffect.ADJUST, KeyEffect.RECORD_AND_ADJUST):
            return self._adjust(state, self.records[-1])
        if effect is KeyEffect.TAKE_BACK:
            return self.take_back(self.active()[-1])
        return []

    def _adjust(self, state: RoundOnTable, record: WinRecord) -> list[Posting]:
        if record.backed_out:
            return []
        record.adjusted = True
        postings = self._meter_postings(record)
        self.follow(postings)
        if record.row.pay is Pay.METER:
            floor = self.rules.seed if record.restarts else min(self.meter.floor, self.meter.amount)
            self.meter = replace(self.meter, floor=floor)
        return postings + self._pay_late(state, record)

    def _meter_postings(self, record: WinRecord) -> list[Posting]:
        """What a record takes off the meter, and what starts the meter again; nothing for a pay from the tray."""
        if record.row.pay is not Pay.METER:
            return []
        wager, clauses, spot, label = self.wager, self.rules.clauses, record.spot or 0, record.row.label
        shown = meter_account(wager)
        moves = (
            (EntryKind.RECORDED, record.prize, shown, payable_account(wager), clauses["meter_award"]),
            (EntryKind.SEEDED, record.seed, HOUSE, shown, clauses["reseeded"]),
            (EntryKind.SEEDED, record.from_reserve, reserve_account(wager), shown, clauses["reseeded"]),
        )
        return [
            Posting(entry, spot, wager, amount, source, target, label, clause)
            for entry, amount, source, target, clause in moves
            if amount
        ]

    # --- paying ---

    def paid(self, postings: Iterable[Posting]) -> None:
        """Remember which postings of a settlement paid which record."""
        entries = (EntryKind.AWARDED, EntryKind.WITHHELD)
        by_spot = {record.due.spot: record for record in self.active() if record.due is not None}
        for one in postings:
            if one.wager == self.wager and one.entry in entries and one.spot in by_spot:
                by_spot[one.spot].paid.append(one)

    def pay_envy(self, state: RoundOnTable, only: int | None = None) -> list[Posting]:
        """What others are paid for triggering hands, or for one of them."""
        if not self.keypad.lit:
            return []
        spots, rank = around(state), state.dealer.rank
        triggers = [
            trigger
            for trigger in envy_triggers(state.book, self.wager, spots, rank)
            if trigger.spot.number not in self.voided and only in (None, trigger.spot.number)
        ]
        postings: list[Posting] = []
        for trigger in triggers:
            spare = self.meter.amount - self.meter.floor
            given = envy(state.book, self.wager, spots, rank, spare, [trigger])
            self.envy_paid[trigger.spot.number] = given
            if self.rules.envy_source == "meter":
                self.follow(given)
            postings += given
        return postings

    def _pay_late(self, state: RoundOnTable, record: WinRecord) -> list[Posting]:
        """A win that is keyed again after its spot was settled is paid at once, and its envy after the settlement."""
        due = record.due
        if state.phase is not Phase.SETTLEMENT:  # a misdeal was noticed meanwhile: it gives everything back
            return []
        if due is None or not (state.settled or (state.spots[due.spot].settled and _with_spot(state))):
            return []
        of_spot = [one for one in self.dues(state) if one.spot == due.spot]
        postings = award_postings(
            state.book, state.spots[due.spot], state.dealer.cards, state.dealer.rank, due, of_spot, self.prizes()
        )
        self.paid(postings)
        if state.settled and due.spot not in self.envy_paid:
            postings = postings + self.pay_envy(state, due.spot)
        return postings

    # --- corrections ---

    def verify_back_out(self, move: BackOut) -> WinRecord:
        """The newest standing record; older ones only after it."""
        standing = self.active()
        if not standing:
            raise MoveRefused(f"no {self.wager} win is recorded in this round")
        record = standing[-1]
        if record.number != move.record:
            raise OutOfTurn(f"record {record.number} is the newest of {self.wager}: back that out first")
        if move.void and record.due is None:
            raise MoveRefused(f"record {record.number} of {self.wager} is no win: back it out without voiding an award")
        if self.rules.backed_out_envy == "refuse" and record.spot is not None and self.envy_paid.get(record.spot):
            raise MoveRefused(f"envy has been paid for spot {record.spot}: its award is not backed out any more")
        return record

    def take_back(self, record: WinRecord, *, void: bool = False) -> list[Posting]:
        """Undo a record, its pay and the envy for it included where they have been paid."""
        clause = self.rules.clauses["adjusted"]
        undone: list[Posting] = []
        if record.due is not None:
            undone += [_taken_back(one, clause, one.note) for one in reversed(self.envy_paid.pop(record.due.spot, []))]
            if void:
                self.voided.add(record.due.spot)
        note = f"record {record.number}"
        undone += [_taken_back(one, clause, note) for one in reversed(record.paid)]
        if record.adjusted:
            undone += self._put_back(record, clause, note)
        self.follow(undone)
        if record.adjusted and record.row.pay is Pay.METER:
            floor = max(min(record.floor, self.meter.amount), 0 if record.restarts else self.meter.floor)
            self.meter = replace(self.meter, floor=floor)
        record.backed_out = True
        record.paid = []
        self.keypad = self.keypad._replace(entered=False)
        return undone

    def _put_back(self, record: WinRecord, clause: str, note: str) -> list[Posting]:
        """The prize back onto the meter, what restarted it back where it came from, as far as it is still there."""
        spare = self.meter.amount + record.prize - min(record.floor, self.meter.floor)
        undone: list[Posting] = []
        for one in self._meter_postings(record):
            back = _taken_back(one, clause, note)
            if one.entry is EntryKind.SEEDED:
                back = back._replace(amount=min(one.amount, spare))
                spare -= back.amount
            if back.amount:
                undone.append(back)
        return undone


def _taken_back(posting: Posting, clause: str, note: str) -> Posting:
    return posting._replace(
        entry=EntryKind.BACKED_OUT, source=posting.target, target=posting.source, clause=clause, note=note
    )


def _with_spot(state: RoundOnTable) -> bool:
    return state.book.rules.settings.progressive_paid == "with-spot"
