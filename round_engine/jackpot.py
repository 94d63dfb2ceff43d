"""One progressive at one table: its meter, its keypad, and the wins recorded in the round."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from round_engine.errors import KeyRefused, OutOfTurn, Refused, WrongPhase
from round_engine.keypads import DIALECTS, Dialect, Effect, Key, KeypadState, KeyPress, Mode, Pressed
from round_engine.ledger import HOUSE, TRAY, Entry, Posting
from round_engine.operations import BackOut, PressKey
from round_engine.progressive import (
    Due,
    Meter,
    award,
    contribute,
    dues,
    lit,
    meter_account,
    payable_account,
    reserve_account,
)
from round_engine.round_state import Phase, RoundState
from round_engine.ruleset import Hand, Pay, PayRow, Paytable, ProgressiveRules, Wager
from round_engine.table_state import Standing, WinRecord

_ROUND_KEYS = (Effect.LOCK, Effect.END, Effect.MISDEAL)
_RECORDING = (Effect.RECORD, Effect.RECORD_AND_ADJUST)
_KEY_IS_OFF_RUN = (Mode.JPH, Mode.RECORDED)
_HALF_KEYED = (Mode.HAND, Mode.POSITION, Mode.CONFIRMED, *_KEY_IS_OFF_RUN)


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
    dues_known: tuple[int, tuple[Due, ...]] = field(default=(-1, ()), compare=False, repr=False)

    @property
    def wager(self) -> Wager:
        """The wager that this progressive takes."""
        return self.rules.wager

    @property
    def dialect(self) -> Dialect:
        """The kind of keypad."""
        return DIALECTS[self.rules.keypad]

    def open_round(self) -> None:
        """Forget the wins of the round before."""
        self.records = []
        self.meter_before = self.meter
        self.dues_known = (-1, ())

    # --- lock, end, misdeal ---

    def verify_key(self, key: Key, by: str) -> Pressed:
        """A key without hand or position."""
        return self.dialect.verify(self.rules, self.keypad, KeyPress(key=key, by=by))

    def lock(self, pressed: Pressed, state: RoundState, standing: Iterable[Standing]) -> list[Posting]:
        """Sensors lit, wagers collected, the meter given its share; wagers that stood from a misdeal are already in."""
        wager, clauses, stake = self.wager, self.rules.clauses, self.rules.denomination
        spots = tuple(number for number, spot in state.spots.items() if lit(spot, wager))
        self.keypad = pressed.state._replace(dealer=state.dealer_name, lit=spots)
        self.meter_before = self.meter
        in_already = {one.spot: one for one in standing if one.wager is wager}
        collected = [
            Posting(
                Entry.COLLECTED, number, wager, stake, state.spots[number].account, TRAY, "stake", clauses["collected"]
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
            (Entry.CONTRIBUTED, given.to_meter, meter_account(wager), clauses["contributed"]),
            (Entry.RESERVED, given.to_reserve, reserve_account(wager), clauses["reserved"]),
        ):
            if amount:
                collected.append(Posting(entry, 0, wager, amount, TRAY, account, "share of the wagers", clause))
        return collected

    def void(self, undone: Sequence[Posting], *, contributions_reversed: bool) -> None:
        """Follow the postings of a misdeal, and reset the keypad."""
        self.follow(undone)
        if contributions_reversed:
            self.meter = replace(
                self.meter, carry=self.meter_before.carry, reserve_carry=self.meter_before.reserve_carry
            )
        self.keypad = KeypadState()

    def follow(self, postings: Iterable[Posting]) -> None:
        """Move the meter and the reserve as postings move their accounts."""
        shown, aside = meter_account(self.wager), reserve_account(self.wager)
        amount, reserve = self.meter.amount, self.meter.reserve
        for one in postings:
            amount += one.amount * ((one.target == shown) - (one.source == shown))
            reserve += one.amount * ((one.target == aside) - (one.source == aside))
        self.meter = replace(self.meter, amount=amount, reserve=reserve)

    # --- what is due, what is recorded ---

    def dues(self, state: RoundState) -> tuple[Due, ...]:
        """The awards that the cards give, in the order in which they are handled; none before the reveal."""
        if state.phase is not Phase.SETTLEMENT and state.phase is not Phase.CLOSED:
            return ()
        cards = len(state.faces)  # nothing else can change them any more
        if self.dues_known[0] != cards:
            self.dues_known = (cards, dues(state.book, self.wager, state.spots.values(), state.dealer.rank))
        return self.dues_known[1]

    def active(self) -> list[WinRecord]:
        """The records that stand."""
        return [record for record in self.records if not record.backed_out]

    def to_be_keyed(self, state: RoundState) -> list[Due]:
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

    def verify_reconciled(self, state: RoundState) -> dict[Due, int]:
        """The recorded prizes; refuses while a win is not recorded, or a record is no win."""
        if not self.keypad.lit and not self.records and self.keypad.mode is Mode.LOCKED:
            return {}
        half_keyed = _KEY_IS_OFF_RUN if not self.rules.end_needs_confirmation else _HALF_KEYED
        if self.keypad.mode in half_keyed:
            raise Refused(f"the {self.wager} keypad is not done: {self.keypad.mode.value}")
        for record in self.active():
            if record.due is None:
                raise Refused(
                    f"record {record.number} of {self.wager} ({record.hand}) is no win on this table: back it out"
                )
        if missing := self.to_be_keyed(state):
            told = ", ".join(f"spot {due.spot} with {due.row.hand}" for due in missing)
            raise Refused(f"not recorded at the {self.wager} keypad: {told}")
        return {record.due: record.prize for record in self.active() if record.due is not None}

    # --- keys ---

    def verify_press(self, state: RoundState, press: PressKey) -> Prepared:
        """Check a key as a whole: the keypad's state, the hand's place on the paytable, the order of winners."""
        try:
            key = Key(press.key)
        except ValueError:
            raise KeyRefused(f"there is no key {press.key!r} on any keypad") from None
        hand = press.hand if key is Key.HAND else self.keypad.hand
        row = self._row(hand) if hand is not None else None
        prize = award(self.rules, row, self.meter).prize if row is not None else 0
        pressed = self.dialect.verify(
            self.rules,
            self.keypad,
            KeyPress(key=key, by=press.by, hand=press.hand, spot=press.spot, prize=prize),
        )
        if pressed.effect in _ROUND_KEYS:
            raise KeyRefused(
                f"{key} is pressed by the round's own operation: LockWagers, CloseRound or DeclareMisdeal"
            )
        if pressed.effect is Effect.TAKE_BACK and state.settled:
            raise WrongPhase("the round is settled: only a manual adjustment takes a win back")
        if pressed.effect in _RECORDING:
            assert row is not None  # no keypad records without a hand
            return Prepared(pressed, self._record(state, row, press.by))
        return Prepared(pressed, None)

    def _row(self, hand: Hand) -> PayRow:
        row = self.paytable.row(hand)
        if row is None or not row.wins:
            buttons = ", ".join(row.hand for row in self.paytable.rows if row.wins)
            raise KeyRefused(f"there is no hand button for {hand}; there are {buttons}")
        return row

    def _record(self, state: RoundState, row: PayRow, by: str) -> WinRecord:
        if state.phase is not Phase.SETTLEMENT or state.settled:
            raise WrongPhase("wins are recorded after the reveal and before the settlement")
        waiting = self.to_be_keyed(state)
        spot = self.keypad.spot
        due = next((one for one in waiting if one.row is row and spot in (None, one.spot)), None)
        if due is not None and due.from_meter:
            first = next(one for one in waiting if one.from_meter)
            if first is not due:
                raise OutOfTurn(
                    f"spot {first.spot} with {first.row.hand} is paid from the meter first: the meter is paid out from "
                    f"{self.rules.meter_win_order.replace('-', ' ')}"
                )
        given = award(self.rules, row, self.meter)
        return WinRecord(
            number=len(self.records) + 1,
            wager=self.wager,
            hand=Hand(row.hand),
            row=row,
            spot=due.spot if due is not None else spot,
            due=due,
            prize=given.prize,
            by=by,
            seed=given.seed,
            from_reserve=given.from_reserve,
        )

    def press(self, prepared: Prepared) -> list[Posting]:
        """Take the key; the postings it led to."""
        self.keypad = prepared.pressed.state
        effect = prepared.pressed.effect
        if prepared.record is not None:
            self.records.append(prepared.record)
        if effect in (Effect.ADJUST, Effect.RECORD_AND_ADJUST):
            return self._adjust(self.records[-1])
        if effect is Effect.TAKE_BACK:
            return self.take_back(self.active()[-1], paid_to=None)
        return []

    def _adjust(self, record: WinRecord) -> list[Posting]:
        if record.backed_out:
            return []
        record.adjusted = True
        postings = self._meter_postings(record)
        self.follow(postings)
        return postings

    def _meter_postings(self, record: WinRecord) -> list[Posting]:
        """What a record takes off the meter, and what starts the meter again; nothing for a pay from the tray."""
        if record.row.pay is not Pay.METER:
            return []
        wager, clauses, spot, label = self.wager, self.rules.clauses, record.spot or 0, record.row.label
        shown = meter_account(wager)
        moves = (
            (Entry.RECORDED, record.prize, shown, payable_account(wager), clauses["meter_award"]),
            (Entry.SEEDED, record.seed, HOUSE, shown, clauses["reseeded"]),
            (Entry.SEEDED, record.from_reserve, reserve_account(wager), shown, clauses["reseeded"]),
        )
        return [
            Posting(entry, spot, wager, amount, source, target, label, clause)
            for entry, amount, source, target, clause in moves
            if amount
        ]

    # --- corrections ---

    def verify_back_out(self, state: RoundState, move: BackOut) -> WinRecord:
        """The newest standing record; older ones only after it."""
        standing = self.active()
        if not standing:
            raise Refused(f"no {self.wager} win is recorded in this round")
        if standing[-1].number != move.record:
            raise OutOfTurn(f"record {standing[-1].number} is the newest of {self.wager}: back that out first")
        if self.rules.confirmer_is_not_the_dealer and move.by == state.dealer_name:
            raise Refused(f"a manual adjustment is a supervisor's: {move.by!r} is dealing this round")
        return standing[-1]

    def take_back(self, record: WinRecord, paid_to: str | None) -> list[Posting]:
        """Undo a record, its pay included where it has been paid."""
        clause = self.rules.clauses["adjusted"]
        undone: list[Posting] = []
        if paid_to is not None:
            source = payable_account(self.wager) if record.row.pay is Pay.METER else TRAY
            undone.append(
                Posting(
                    Entry.BACKED_OUT, record.spot or 0, self.wager, record.prize, paid_to, source,
                    record.row.label, clause, f"record {record.number}",
                )
            )  # fmt: skip
        if record.adjusted:
            undone += [
                one._replace(
                    entry=Entry.BACKED_OUT,
                    source=one.target,
                    target=one.source,
                    clause=clause,
                    note=f"record {record.number}",
                )
                for one in reversed(self._meter_postings(record))
            ]
            self.follow(undone)
        record.backed_out = True
        self.keypad = self.keypad._replace(entered=False)
        return undone
