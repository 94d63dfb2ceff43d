"""Does a journal hold together? Operations replayed, payouts and checkpoints compared, every group in one round.

`Audit` takes records one at a time and ends with the table that they lead to: a restart goes on from that table, not
from anything that was merely saved.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from protocol import messages as m
from round_engine.errors import RoundEngineError
from round_engine.money.ledger import LAYOUT, Ledger
from round_engine.round.operations import CloseRound, DeclareMisdeal, OpenRound
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from round_engine.table.state import TableState
from shuffler.journal.entries import (
    Checkpoint,
    DealtFrom,
    DeviceSaid,
    DeviceSetBack,
    Entry,
    EventGap,
    MeterMoved,
    OpeningPosted,
    Operated,
    RulesInForce,
)
from shuffler.journal.errors import JournalBroken
from shuffler.journal.position import Position, Stream
from shuffler.journal.reading import read
from shuffler.journal.record import Record

FindRules = Callable[[RulesInForce], RuleSet | None]


@dataclass(slots=True)
class Reconciled:
    """What a journal shows."""

    records: int = 0
    rounds: int = 0
    settled: int = 0
    void: int = 0
    groups: int = 0
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)  # gaps that are on record, rules that are not here
    stops: list[str] = field(default_factory=list)  # those problems that a table must not be reopened with


def reconcile(
    path: Path | str,
    rules: RuleSet,
    *,
    dealt_groups: int | None = None,
    find_rules: FindRules | None = None,
    progress: Callable[[int], None] | None = None,
) -> Reconciled:
    """Read all of a journal; `dealt_groups` is the device's own count, where it is known."""
    audit = Audit(rules, find_rules)
    try:
        for record in read(path):
            audit.take(record)
            if progress is not None and not record.seq % 1000:
                progress(record.seq)
    except JournalBroken as problem:
        audit.found.problems.append(str(problem))
        return audit.found
    return audit.finish(dealt_groups)


class Audit:
    """Follows a journal from its start, or from a checkpoint that is trusted."""

    def __init__(
        self,
        rules: RuleSet,
        find_rules: FindRules | None = None,
        *,
        from_checkpoint: bool = False,
    ) -> None:
        """`rules` are those asked for; `find_rules` gets others that the journal was played under."""
        self.found = Reconciled()
        self.position = Position()
        self.table: Table | None = None  # None before the first operation, and while its rules are not known
        self._rules: RuleSet | None = rules
        self._asked_for = rules
        self._find_rules = find_rules
        self._starts_at_checkpoint = from_checkpoint
        self._open_round = ""
        self._rounds_of: dict[Stream, set[int]] = {}
        self._known_upto: dict[Stream, int] = {}  # device rounds before a trusted checkpoint
        self._gap: EventGap | None = None
        self._unreplayed: TableState | None = None  # a checkpoint under rules that are not here, and nothing after it
        self._owed: list[MeterMoved] = []  # to shared meters, by the entry before
        self._ledger = Ledger()  # while the rules are not here: what was posted, without asking why

    def take(self, record: Record) -> None:
        """One more record."""
        self.found.records = record.seq
        for entry in record.entries:
            if self._starts_at_checkpoint and not isinstance(entry, Checkpoint):
                continue  # it is in what the checkpoint says
            try:
                self._take(record.seq, entry)
            except RoundEngineError as problem:
                self._stop(f"record {record.seq} can't be replayed: {problem}")
            self._outbox(record.seq, entry)
            self.position.take(entry)
            self._owed += self.position.meters.owed(entry)

    def finish(self, dealt_groups: int | None = None) -> Reconciled:
        """What all of it comes to."""
        found, position = self.found, self.position
        found.rounds, found.settled, found.void = position.rounds, position.settled, position.void
        found.groups = position.groups
        if self._open_round:
            found.problems.append(f"round {self._open_round} was never ended")
        if self._owed:
            self._stop(f"move {self._owed[0].number} of the {self._owed[0].meter} meter is not in the outbox")
        if self.table is not None:
            self._balance(self.table)
        if dealt_groups is not None and dealt_groups != found.groups:
            found.problems.append(f"the device dealt {dealt_groups} groups, the journal has {found.groups}")
        return found

    def _take(self, seq: int, entry: Entry) -> None:
        match entry:
            case RulesInForce():
                self._rules_in_force(seq, entry)
            case Operated():
                self._operated(seq, entry)
            case OpeningPosted(postings):
                table = self._the_table()
                if table is None:
                    self._ledger.post(postings)
                elif tuple(table.opening_postings) != postings:
                    self._stop(f"record {seq}: the table was not opened with these meters")
            case DealtFrom():
                self._dealt_from(seq, entry)
            case EventGap():
                self._gap_noted(seq, entry)
            case DeviceSetBack(serial, epoch, stored, found):
                self.found.warnings.append(
                    f"record {seq}: the memory of {_name((serial, epoch))} was set back from event {stored} to {found}"
                )
            case DeviceSaid():
                self._event(seq, entry)
            case Checkpoint():
                self._checkpoint(seq, entry)

    # ---------------------------------------------------------------------------------------------------------- money

    def _the_table(self) -> Table | None:
        if self.table is None and self._rules is not None:
            self.table = Table(self._rules)
        return self.table

    def _rules_in_force(self, seq: int, entry: RulesInForce) -> None:
        rules = self._rules_for(entry)
        if rules is None:
            self.found.warnings.append(
                f"from record {seq} on it was played under {entry.name} ({entry.fingerprint[:12]}…), which is not here:"
                " its payouts are not replayed"
            )
        state = self.table.state() if self.table is not None else self._unreplayed
        if self.table is not None:
            self._ledger = Ledger(self.table.ledger.balances)
        self._rules, self._unreplayed = rules, None
        self.table = Table(rules, state) if rules is not None and state is not None else None

    def _rules_for(self, entry: RulesInForce) -> RuleSet | None:
        if self._asked_for.fingerprint == entry.fingerprint:
            return self._asked_for
        found = self._find_rules(entry) if self._find_rules is not None else None
        return found if found is not None and found.fingerprint == entry.fingerprint else None

    def _operated(self, seq: int, entry: Operated) -> None:
        operation = entry.operation
        name = type(operation).__name__
        if isinstance(operation, OpenRound):
            if self._open_round:
                self._stop(f"record {seq}: round {operation.round_id} is opened before {self._open_round} has ended")
            self._open_round = operation.round_id
        elif isinstance(operation, CloseRound | DeclareMisdeal):
            if not self._open_round:
                self._stop(f"record {seq}: {name}, but no round is open: a round was ended twice")
            self._open_round = ""
        self._unreplayed = None
        table = self._the_table()
        if table is None:
            self._ledger.post(entry.postings)
        elif table.do(operation).postings != entry.postings:
            self._stop(f"record {seq}: {name} leads to other payouts")

    def _checkpoint(self, seq: int, entry: Checkpoint) -> None:
        if self._starts_at_checkpoint:
            self._starts_at_checkpoint = False
            for in_force in entry.rules:
                self._rules_in_force(seq, in_force)
            self._known_upto = {(one.serial, one.epoch): one.last_round for one in entry.stores}
            if self._rules is not None:
                self.table = Table(self._rules, entry.table)
            else:
                self._unreplayed, self._ledger = entry.table, Ledger(entry.table.balances)
            return
        table = self._the_table()
        expected = self.position.checkpoint(entry.table if table is None else table.state())
        if entry != expected or (table is None and _moved(entry.table.balances) != _moved(self._ledger.balances)):
            self._stop(f"record {seq}: the checkpoint is not what the records before it lead to")
        if table is None:
            self._unreplayed = entry.table

    def _balance(self, table: Table) -> None:
        total, lying = table.ledger.total(), table.ledger.balance(LAYOUT)
        if total or (lying and not self._open_round):
            self._stop(f"out of balance: {total} cents, {lying} on the layout")
        for wager, meter in table.meters.items():
            if table.ledger.balance(f"meter:{wager}") != meter.amount:
                self._stop(f"the {wager} meter does not agree with the books")

    def _outbox(self, seq: int, entry: Entry) -> None:
        """Behind each entry stands what it owes to shared meters, and nothing else."""
        if isinstance(entry, MeterMoved):
            expected = self._owed.pop(0) if self._owed else None
            if entry != expected:
                self._stop(f"record {seq}: move {entry.number} of the {entry.meter} meter is not what the table did")
                self._owed = []
        elif self._owed:
            self._stop(f"record {seq}: move {self._owed[0].number} of the {self._owed[0].meter} meter is missing")
            self._owed = []

    # --------------------------------------------------------------------------------------------------------- device

    def _dealt_from(self, seq: int, entry: DealtFrom) -> None:
        stream = entry.serial, entry.epoch
        dealt = self._rounds_of.setdefault(stream, set())
        if entry.device_round in dealt or entry.device_round <= self._known_upto.get(stream, 0):
            self._stop(f"record {seq}: round {entry.device_round} of {_name(stream)} is dealt from a second time")
        dealt.add(entry.device_round)
        if entry.round_id != self._open_round:
            self._stop(f"record {seq}: dealt for round {entry.round_id}, which is not open")

    def _gap_noted(self, seq: int, entry: EventGap) -> None:
        self._gap = entry
        self.found.warnings.append(
            f"record {seq}: events {entry.expected} … {entry.found - 1} of {_name((entry.serial, entry.epoch))} never"
            " came: another host acknowledged them, or the device lost them"
        )

    def _event(self, seq: int, entry: DeviceSaid) -> None:
        stream, number = (entry.serial, entry.epoch), entry.event.number
        newest = self.position.newest.get(stream, 0)
        if number != newest + 1 and self._gap != EventGap(entry.serial, entry.epoch, newest + 1, number):
            self._stop(f"record {seq}: event {number} of {_name(stream)} follows {newest}")
        self._gap = None
        event = entry.event
        if isinstance(event, m.GroupRemoved):
            known = event.round in self._rounds_of.get(stream, ()) or event.round <= self._known_upto.get(stream, 0)
            if not known:
                self.found.problems.append(
                    f"record {seq}: a group of round {event.round} of {_name(stream)} is in no round of the books"
                )

    def _stop(self, text: str) -> None:
        self.found.problems.append(text)
        self.found.stops.append(text)


def _moved(balances: Mapping[str, int]) -> dict[str, int]:
    return {account: amount for account, amount in balances.items() if amount}


def _name(stream: Stream) -> str:
    return f"{stream[0]}/{stream[1]:016x}"
