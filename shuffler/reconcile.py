"""Does a journal hold together? Every group in one round, every round ended once, money in balance, the chain whole."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from protocol import messages as m
from round_engine.ledger import LAYOUT
from round_engine.ruleset import RuleSet
from round_engine.table import Table
from shuffler.journal.codec import dealt_from, event_of, operation_of
from shuffler.journal.reading import read, verify


@dataclass(slots=True)
class Reconciled:
    """What a journal shows."""

    records: int = 0
    rounds: int = 0
    settled: int = 0
    void: int = 0
    groups: int = 0
    problems: list[str] = field(default_factory=list)


def reconcile(path: Path | str, rules: RuleSet, *, dealt_groups: int | None = None) -> Reconciled:
    """Read all of a journal; `dealt_groups` is the device's own count, where it is known."""
    found = Reconciled()
    verdict = verify(path)
    found.records = verdict.records
    if verdict.problem:
        found.problems.append(verdict.problem)
        return found
    table = Table(rules)
    ended: Counter[str] = Counter()
    rounds_of: Counter[tuple[str, int]] = Counter()
    groups: Counter[tuple[str, int]] = Counter()
    numbers: dict[tuple[str, str], int] = {}
    current = ""
    for record in read(path):
        for plain in record.entries:
            if "op" in plain:
                applied = table.do(operation_of(plain))
                if [list(posting) for posting in applied.postings] != plain.get("postings", []):
                    found.problems.append(f"record {record.seq}: {plain['op']} leads to other payouts")
                if plain["op"] == "OpenRound":
                    current = plain["round_id"]
                    found.rounds += 1
                elif plain["op"] in ("CloseRound", "DeclareMisdeal"):
                    ended[current] += 1
                    found.settled += plain["op"] == "CloseRound"
                    found.void += plain["op"] == "DeclareMisdeal"
            elif plain.get("note") == "dealt from":
                used = dealt_from(plain["text"])
                rounds_of[used.store, used.round] += 1
            elif "event" in plain:
                _event(found, plain, numbers, groups)
    found.groups = groups.total()
    found.problems += [f"round {name} was ended {times} times" for name, times in ended.items() if times != 1]
    found.problems += [f"{key} is dealt from in {times} rounds" for key, times in rounds_of.items() if times != 1]
    found.problems += [f"groups of {key} are in no round" for key in groups if key not in rounds_of]
    if found.settled + found.void != found.rounds:
        found.problems.append(f"{found.rounds} rounds were opened, {found.settled + found.void} ended")
    total, lying = table.ledger.total(), table.ledger.balance(LAYOUT)
    if total or lying:
        found.problems.append(f"out of balance: {total} cents, {lying} on the layout")
    for wager, meter in table.meters.items():
        if table.ledger.balance(f"meter:{wager}") != meter.amount:
            found.problems.append(f"the {wager} meter does not agree with the books")
    if dealt_groups is not None and dealt_groups != found.groups:
        found.problems.append(f"the device dealt {dealt_groups} groups, the journal has {found.groups}")
    return found


def _event(
    found: Reconciled,
    plain: dict[str, object],
    numbers: dict[tuple[str, str], int],
    groups: Counter[tuple[str, int]],
) -> None:
    """An event must follow the one before it without a hole; a group is counted for its round."""
    stream = str(plain["serial"]), str(plain["epoch"])
    number = int(str(plain["number"]))
    if number != numbers.get(stream, 0) + 1:
        found.problems.append(f"event {number} of {stream} follows {numbers.get(stream, 0)}")
    numbers[stream] = number
    event = event_of(plain)
    if isinstance(event, m.GroupRemoved):
        groups["/".join(stream), event.round] += 1
