"""The checks, in one pass over a journal: nothing is replayed, everything is added up again from what was written."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofs.auditor.entries import Named, Reader
from proofs.auditor.file import Row, Unsound, layouts, rows
from proofs.auditor.opening import committed, opens
from proofs.auditor.seals import Seals
from proofs.auditor.shown import ShownRound

ENDS = {"CloseRound": "settled", "DeclareMisdeal": "void"}
WINS = ("won", "awarded", "envy")
EMPTY_BETWEEN_ROUNDS = ("layout", "payable:")
READS_FACES = 1  # CommitKind ORDER


@dataclass
class Audited:
    """What the books come to."""

    records: int = 0
    rounds: int = 0
    settled: int = 0
    void: int = 0
    groups: int = 0
    openings: int = 0
    gaps: int = 0
    signatures: int = 0
    head: str = ""
    problems: list[str] = field(default_factory=list)
    balances: dict[str, int] = field(default_factory=dict)
    outcomes: dict[str, str] = field(default_factory=dict)


@dataclass
class BookRound:
    """The round that is open."""

    name: str
    settlements: int = 0
    won: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    dealt: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    key: tuple[str, int, int] | None = None  # serial, epoch, the device's round


def audit(
    path: Path,
    *,
    shown: dict[str, ShownRound] | None = None,
    device_groups: int | None = None,
    head: str | None = None,
    keys: frozenset[bytes] = frozenset(),
) -> Audited:
    """Everything that can be said of a journal; `head` is a hash that must be in it."""
    found = Audited()
    try:
        auditor = _Auditor(found, keys)
        reader, seen_head = Reader(layouts(path)), head is None
        for row in rows(path):
            auditor.row(row, reader)
            found.records, found.head = row.seq, row.hash.hex()
            seen_head = seen_head or found.head == head
        auditor.finish()
        if not seen_head:
            found.problems.append("the head that was noted is not there: the end was cut off or rewritten")
        if keys and not auditor.seals.count:
            found.problems.append("nothing is signed by the operator's key")
        found.signatures = auditor.seals.count
    except Unsound as problem:
        found.problems.append(str(problem))
        return found
    if device_groups is not None and device_groups != found.groups:
        found.problems.append(f"the device dealt {device_groups} groups, the books have {found.groups}")
    for name, one in (shown or {}).items():
        booked = found.outcomes.get(name, "nothing")
        if one.outcome and booked != one.outcome:
            found.problems.append(f"round {name} was shown as {one.outcome}, it is booked as {booked}")
        if one.outcome == "settled":
            for spot, cents in one.won.items():
                if auditor.won[name].get(spot, 0) != cents:
                    found.problems.append(f"round {name}: spot {spot} was shown {cents} cents, other pays are booked")
    return found


class _Auditor:
    def __init__(self, found: Audited, keys: frozenset[bytes]) -> None:
        self.found = found
        self.seals = Seals(keys)
        self.won: dict[str, dict[int, int]] = {}
        self._balances: dict[str, int] = defaultdict(int)
        self._round: BookRound | None = None
        self._dealt_from: dict[tuple[str, int, int], str] = {}
        self._newest: dict[tuple[str, int], int] = {}
        self._shuffles: dict[tuple[str, int], Named] = {}
        self._groups: dict[tuple[str, int, int], dict[int, list[int]]] = defaultdict(dict)
        self._gap: Named | None = None
        self._before = b""
        self._seq = 0

    def row(self, row: Row, reader: Reader) -> None:
        self._seq = row.seq
        for entry in reader.entries(row):
            check = getattr(self, f"_{entry['name']}", None)
            if check is not None:
                check(entry)
            if entry["name"] in ("HeadSigned", "KeyChanged"):
                problem = self.seals.take(row.seq, self._before, entry)
                if problem:
                    self._problem(problem)
        self._before = row.hash

    def finish(self) -> None:
        if self._round is not None:
            self._problem(f"round {self._round.name} was never ended")
        self._empty_between_rounds()
        if sum(self._balances.values()):
            self._problem("the accounts do not sum to zero")
        self.found.balances = dict(self._balances)

    # ------------------------------------------------------------------------------------------------------------ money

    def _OpeningPosted(self, entry: Named) -> None:
        self._post(entry["postings"])

    def _Operated(self, entry: Named) -> None:
        operation = entry["operation"]
        name = operation["name"]
        if name == "OpenRound":
            self._opened(operation)
        self._post(entry["postings"])
        if self._round is None:
            if name in ENDS:
                self._problem(f"{name} outside a round: a round was ended twice")
            return
        if name == "Settle":
            self._round.settlements += 1
        elif name in ("DealGroup", "ShowHand") and operation["cards"] is not None and operation["spot"]:
            self._round.dealt.append((operation["spot"], tuple(operation["cards"])))
        elif name == "RevealDealer" and operation["cards"] is not None:
            self._round.dealt.append((0, tuple(operation["cards"])))
        if name in ENDS:
            self._ended(ENDS[name])

    def _post(self, postings: list[Any]) -> None:
        for posting in postings:
            amount = posting["amount"]
            if amount < 0:
                self._problem(f"a posting of {amount} cents")
            self._balances[posting["source"]] -= amount
            self._balances[posting["target"]] += amount
            if self._round is not None and posting["entry"] in WINS and posting["target"] != "tips":
                self._round.won[posting["spot"]] += amount
        for account, balance in self._balances.items():
            if account.startswith("meter:") and balance < 0:
                self._problem(f"{account} is negative: {balance} cents")

    def _opened(self, operation: Named) -> None:
        if self._round is not None:
            self._problem(f"round {operation['round_id']} is opened while {self._round.name} is open")
        if operation["round_id"] in self.found.outcomes:
            self._problem(f"round {operation['round_id']} is opened a second time")
        self._empty_between_rounds()
        self._round = BookRound(operation["round_id"])
        self.found.rounds += 1

    def _ended(self, outcome: str) -> None:
        ended, self._round = self._round, None
        assert ended is not None
        if (outcome == "settled") != (ended.settlements == 1):
            self._problem(f"round {ended.name} is {outcome} with {ended.settlements} settlements")
        if outcome == "settled":
            self._cards_as_dealt(ended)
        self.found.outcomes[ended.name] = outcome
        self.won[ended.name] = dict(ended.won)
        self.found.settled += outcome == "settled"
        self.found.void += outcome == "void"
        self._empty_between_rounds()

    def _empty_between_rounds(self) -> None:
        for account, balance in self._balances.items():
            if account.startswith(EMPTY_BETWEEN_ROUNDS) and balance and self._round is None:
                self._problem(f"{balance} cents on {account} between two rounds")

    def _Checkpoint(self, entry: Named) -> None:
        balances = {account: amount for account, amount in entry["table"]["balances"].items() if amount}
        if balances != {account: amount for account, amount in self._balances.items() if amount}:
            self._problem("the checkpoint's balances are not the sum of the postings")
        for meter in entry["table"]["meters"]:
            if meter["amount"] != self._balances.get(f"meter:{meter['wager']}", 0):
                self._problem(f"the checkpoint's {meter['wager']} meter is not what was posted to it")
        tally, found = entry["tally"], self.found
        if (tally["rounds"], tally["settled"], tally["void"]) != (found.rounds, found.settled, found.void):
            self._problem("the checkpoint counts other rounds")
        if (tally["groups"], tally["gaps"]) != (found.groups, found.gaps):
            self._problem("the checkpoint counts other groups or gaps")
        for store in entry["stores"]:
            if store["newest_event"] != self._newest.get((store["serial"], store["epoch"]), 0):
                self._problem(f"the checkpoint is at another event of {store['serial']}")

    # ----------------------------------------------------------------------------------------------------------- device

    def _DealtFrom(self, entry: Named) -> None:
        key = entry["serial"], entry["epoch"], entry["device_round"]
        if key in self._dealt_from:
            self._problem(f"round {key[2]} of {key[0]} is dealt from in {self._dealt_from[key]} and again")
        self._dealt_from[key] = entry["round_id"]
        if self._round is None or self._round.name != entry["round_id"]:
            self._problem(f"cards are dealt for {entry['round_id']}, which is not open")
        else:
            self._round.key = key

    def _EventGap(self, entry: Named) -> None:
        self._gap = entry
        self.found.gaps += 1

    def _DeviceSaid(self, entry: Named) -> None:
        stream, event = (entry["serial"], entry["epoch"]), entry["event"]
        newest = self._newest.get(stream, 0)
        if event["number"] != newest + 1:
            gap = self._gap or {}
            if (gap.get("serial"), gap.get("epoch"), gap.get("expected"), gap.get("found")) != (
                *stream, newest + 1, event["number"],
            ):  # fmt: skip
                self._problem(f"event {event['number']} of {stream[0]} follows {newest}, and no gap is noted")
        self._gap = None
        self._newest[stream] = event["number"]
        if event["name"] == "ShuffleCompleted":
            self._shuffles[stream] = event
        elif event["name"] in ("GroupRemoved", "HandDisclosed"):
            self._hand(stream, event)

    def _hand(self, stream: tuple[str, int], event: Named) -> None:
        key = (*stream, event["round"])
        if event["name"] == "GroupRemoved":
            self.found.groups += 1
            if key not in self._dealt_from:
                self._problem(f"a group of round {event['round']} of {stream[0]} is in no round of the books")
        opening, shuffled = event["opening"], self._shuffles.get(stream)
        if shuffled is None or not shuffled["kind"] or not committed(opening):
            return
        self.found.openings += 1
        if event["shuffle"] != shuffled["shuffle"] or not opens(*stream, shuffled, opening):
            self._problem(f"group {event['group']} of round {event['round']} does not open the shuffle's root")
        if shuffled["kind"] == READS_FACES:
            self._groups[key].setdefault(event["seat"], []).extend(opening["cards"])

    def _cards_as_dealt(self, ended: BookRound) -> None:
        """Hands in the books are those that the device dealt and opened, where it reads faces."""
        if ended.key is None:
            self._problem(f"round {ended.name} is settled, but nothing was dealt for it")
            return
        opened = self._groups.pop(ended.key, {})
        for spot, cards in ended.dealt:
            if spot in opened and tuple(opened[spot]) != cards:
                self._problem(f"round {ended.name}: spot {spot} is booked with other cards than were dealt")

    def _problem(self, text: str) -> None:
        self.found.problems.append(f"record {self._seq}: {text}")
