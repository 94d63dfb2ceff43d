"""From a journal back to a table: the newest state, the operations after it, and an end for a round left open."""

from dataclasses import dataclass

from round_engine.operations import CloseRound, DeclareMisdeal, OpenRound, Operation
from round_engine.ruleset import RuleSet
from round_engine.table import Table
from round_engine.table_state import TableState
from shuffler.bridge.booked_round import OVER
from shuffler.bridge.entries import Entry, Note, Operated, Posted
from shuffler.journal.codec import dealt_from, operation_of
from shuffler.journal.sqlite import SqliteJournal


@dataclass(frozen=True, slots=True)
class Reopened:
    """A table to go on with."""

    table: Table
    last_round: int
    device_rounds: dict[str, int]  # the last round number used on each device store
    voided: str  # the round that was open when the host died, or empty


def reopen(journal: SqliteJournal, rules: RuleSet) -> Reopened:
    """The table as the journal left it; a round that was open is closed where it was settled, else void."""
    seq, saved = journal.last_state()
    table = Table(rules, TableState.from_json(saved["table"]) if saved is not None else None)
    last_round = saved["last_round"] if saved is not None else 0
    device_rounds: dict[str, int] = dict(saved.get("device_rounds", {})) if saved is not None else {}
    bodies = journal.bodies_after(seq)
    if saved is None and not bodies:
        journal.write([Posted(tuple(table.opening_postings))])
    for body in bodies:
        for plain in body:
            if "op" in plain:
                operation = operation_of(plain)
                table.do(operation)
                last_round += isinstance(operation, OpenRound)
            elif plain.get("note") == "dealt from":
                used = dealt_from(plain["text"])
                device_rounds[used.store] = used.round
    voided = ""
    if table.round is not None and table.round.phase not in OVER:
        voided = table.round.round_id
        ending: Operation = CloseRound() if table.round.settled else DeclareMisdeal(reason="the host was restarted")
        applied = table.do(ending)
        entries: list[Entry] = [Operated(ending, applied.postings), Note("void", voided, "the host was restarted")]
        journal.write(entries)
    journal.flush()
    if bodies:
        state = table.state().to_json()
        journal.save_state({"table": state, "last_round": last_round, "device_rounds": device_rounds})
    return Reopened(table, last_round, device_rounds, voided)
