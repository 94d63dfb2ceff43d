"""From a journal back to a table: everything replayed and reconciled, and an end for a round left open."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from round_engine.round.operations import CloseRound, DeclareMisdeal, Operation
from round_engine.round.state import Phase
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from shuffler.journal.entries import OpeningPosted, Operated, RulesInForce, TableStarted
from shuffler.journal.errors import JournalBroken, JournalError
from shuffler.journal.reconcile import Audit, FindRules
from shuffler.journal.sqlite import SqliteJournal

OVER = (Phase.CLOSED, Phase.VOID)


class OtherRules(JournalError):
    """The journal was played under other rules than those asked for."""


@dataclass(frozen=True, slots=True)
class Reopened:
    """A table to go on with."""

    table: Table
    last_round: int
    device_rounds: dict[str, int]  # the last round number used on each device store
    voided: str  # the round that was open when the host died, or empty
    warnings: tuple[str, ...] = ()


def reopen(
    journal: SqliteJournal,
    rules: RuleSet,
    *,
    rules_name: str = "",
    accept_rules: bool = False,
    find_rules: FindRules | None = None,
    progress: Callable[[int], None] | None = None,
    resume: bool = False,
) -> Reopened:
    """The table as the journal left it; a round that was open is closed where it was settled, else void.

    With `resume`, a round whose cards are all known and which waits for a shared meter is left open, to be settled.

    Every record is replayed (from the newest signed checkpoint, where the journal was opened with a key that is
    trusted); JournalBroken where anything differs, OtherRules where it was played under other rules.
    """
    audit = _audited(journal, rules, find_rules, progress)
    asked_for = RulesInForce(rules_name or rules.id, rules.id, rules.fingerprint)
    in_force = audit.position.rules
    if in_force is not None and in_force.fingerprint != asked_for.fingerprint and not accept_rules:
        raise OtherRules(
            f"{journal.path}: played under {in_force.name} ({in_force.fingerprint[:12]}…), not under"
            f" {asked_for.name} ({asked_for.fingerprint[:12]}…): ask for the same rules, or --accept-rules to go on"
            " under these"
        )
    table = audit.table
    if table is None and audit.position.rounds:
        raise OtherRules(f"{journal.path}: the rules of its last rounds are not here; give the rule file by --rules")
    resumed = resume and table is not None and _waits_for_a_meter(journal, table)
    voided = _end_open_round(journal, table) if table is not None and not resumed else ""
    if in_force is None or in_force.fingerprint != asked_for.fingerprint:
        if table is not None and in_force is not None:
            journal.checkpoint(table.state())
        journal.write([asked_for])
        opened = Table(rules, table.state() if table is not None and in_force is not None else None)
        if table is None or in_force is not None:
            table = opened
            if table.opening_postings:
                journal.write([OpeningPosted(tuple(table.opening_postings))])
    elif table is None:  # rules, and nothing played yet
        table = Table(rules)
    assert table is not None
    journal.write([TableStarted(_version())])
    journal.flush()
    if (journal.wants_checkpoint or voided) and not resumed:
        journal.checkpoint(table.state())
    position = journal.position
    device_rounds = {f"{serial}/{epoch:016x}": last for (serial, epoch), last in position.device_rounds.items()}
    return Reopened(table, position.rounds, device_rounds, voided, tuple(audit.found.warnings))


def _audited(
    journal: SqliteJournal, rules: RuleSet, find_rules: FindRules | None, progress: Callable[[int], None] | None
) -> Audit:
    audit = Audit(rules, find_rules, from_checkpoint=bool(journal.base))
    for record in journal.read():
        audit.take(record)
        if progress is not None and not record.seq % 1000:
            progress(record.seq)
    found = audit.finish()
    if found.stops:
        raise JournalBroken(f"{journal.path}: {found.stops[0]}; it is not continued")
    return audit


def _waits_for_a_meter(journal: SqliteJournal, table: Table) -> bool:
    """Whether the round has come to its settlement and an award of a shared meter is not recorded yet."""
    state, links = table.round, journal.position.meters.links
    return state is not None and state.phase is Phase.SETTLEMENT and not state.settled and bool(links)


def _end_open_round(journal: SqliteJournal, table: Table) -> str:
    if table.round is None or table.round.phase in OVER:
        return ""
    was_paid, round_id = bool(table.round.settled), table.round.round_id
    ending: Operation = CloseRound() if was_paid else DeclareMisdeal(reason="the host was restarted")
    applied = table.do(ending)
    journal.write([Operated(applied.operation, applied.postings)])
    return "" if was_paid else round_id


def _version() -> str:
    try:
        return version("shuffler-bench")
    except PackageNotFoundError:
        return "unknown"
