"""What a table owes to shared meters, from its own entries: the outbox is written by the journal, not by whoever plays.

Pure. `take` follows entries in order, `owed` says which moves an entry leads to; writing and auditing ask it.
"""

from collections import Counter
from collections.abc import Iterable

from round_engine.meters.awards import meter_account, payable_account, reserve_account
from round_engine.money.ledger import EntryKind as Ledger
from round_engine.money.ledger import Posting
from round_engine.round.operations import CloseRound, DeclareMisdeal, OpenRound
from round_engine.rules.ruleset import WagerName
from shuffler.journal.entries import (
    AwardAsked,
    AwardFixed,
    Checkpoint,
    Entry,
    MeterLinked,
    MeterMoved,
    MeterTotal,
    MoveKind,
    Operated,
)

KIND_OF = {
    Ledger.CONTRIBUTED: MoveKind.CONTRIBUTION,
    Ledger.RESERVED: MoveKind.CONTRIBUTION,
    Ledger.RECORDED: MoveKind.AWARD,
    Ledger.SEEDED: MoveKind.AWARD,
    Ledger.BACKED_OUT: MoveKind.BACK_OUT,
    Ledger.VOID: MoveKind.VOID,
    Ledger.ENVY: MoveKind.ENVY,
    Ledger.ADJUSTED: MoveKind.CORRECTION,
}
OUTSIDE_ROUNDS = (MoveKind.TRANSFER, MoveKind.CORRECTION)


class MeterMoves:
    """The shared meters of one journal, and what has been moved so far."""

    def __init__(self) -> None:
        self.links: dict[WagerName, MeterLinked] = {}
        self.newest = 0
        self.totals: dict[str, MeterTotal] = {}
        self.asked: dict[str, AwardAsked] = {}  # in the round, by meter
        self.fixed: dict[str, AwardFixed] = {}  # the newest
        self._round_id = ""
        self._counts: Counter[tuple[str, int, MoveKind]] = Counter()

    def take(self, entry: Entry) -> None:
        """One more entry."""
        match entry:
            case Operated(OpenRound() as opening, _):
                self._round_id = opening.round_id
                self._counts.clear()
                self.asked, self.fixed = {}, {}
            case MeterLinked():
                self.links[entry.wager] = entry
            case AwardAsked():
                self.asked[entry.meter] = entry
            case AwardFixed():
                self.fixed[entry.meter] = entry
            case MeterMoved():
                self.newest = entry.number
                self._counts[entry.meter, entry.spot, entry.kind] += 1
                before = self.total(entry.meter)
                self.totals[entry.meter] = MeterTotal(
                    meter=entry.meter,
                    change=before.change + entry.change,
                    reserve_change=before.reserve_change + entry.reserve_change,
                )

    def restore(self, saved: Checkpoint) -> None:
        """Go on from a checkpoint, which stands between two rounds."""
        self.links = {one.wager: one for one in saved.links}
        self.newest = saved.moves
        self.totals = {one.meter: one for one in saved.moved}
        self.asked, self.fixed = {}, {}
        self._counts.clear()

    def total(self, meter: str) -> MeterTotal:
        """All that was moved."""
        return self.totals.get(meter) or MeterTotal(meter=meter, change=0, reserve_change=0)

    def owed(self, entry: Entry) -> list[MeterMoved]:
        """The moves that an entry leads to, right after it was taken; they stand behind it in the same record."""
        if not self.links:
            return []
        if isinstance(entry, MeterLinked):
            return [self._move(entry.meter, 0, MoveKind.TRANSFER, entry.transfer, entry.reserve_transfer)]
        if not isinstance(entry, Operated):
            return []
        found: list[MeterMoved] = []
        for wager, link in self.links.items():
            found += self._of_postings(wager, link, entry.postings, len(found))
            if isinstance(entry.operation, CloseRound | DeclareMisdeal) and link.meter in self.asked:
                found.append(self._move(link.meter, 0, MoveKind.RELEASE, 0, 0, after=len(found)))
        return found

    def _of_postings(
        self, wager: WagerName, link: MeterLinked, postings: Iterable[Posting], after: int
    ) -> list[MeterMoved]:
        shown, aside = meter_account(wager), reserve_account(wager)
        groups: dict[MoveKind, list[Posting]] = {}
        for one in postings:
            ours = one.source in (shown, aside) or one.target in (shown, aside)
            if ours and (kind := KIND_OF.get(one.entry)) is not None:
                groups.setdefault(kind, []).append(one)
        moves: list[MeterMoved] = []
        for kind, group in groups.items():
            change = sum(one.amount * ((one.target == shown) - (one.source == shown)) for one in group)
            reserve_change = sum(one.amount * ((one.target == aside) - (one.source == aside)) for one in group)
            spot = 0
            prize = seed = from_reserve = ticket = 0
            if kind in (MoveKind.AWARD, MoveKind.BACK_OUT):
                payable = payable_account(wager)
                spot = next((one.spot for one in group if payable in (one.source, one.target)), group[0].spot)
            if kind is MoveKind.AWARD:
                prize = sum(one.amount for one in group if one.entry is Ledger.RECORDED)
                from_reserve = sum(one.amount for one in group if one.source == aside)
                seed = sum(one.amount for one in group if one.entry is Ledger.SEEDED) - from_reserve
                ticket = self.fixed[link.meter].ticket if link.meter in self.fixed else 0
            moves.append(
                self._move(
                    link.meter, spot, kind, change, reserve_change, prize=prize, seed=seed, from_reserve=from_reserve,
                    ticket=ticket, after=after + len(moves),
                )
            )  # fmt: skip
        return moves

    def _move(
        self,
        meter: str,
        spot: int,
        kind: MoveKind,
        change: int,
        reserve_change: int,
        *,
        prize: int = 0,
        seed: int = 0,
        from_reserve: int = 0,
        ticket: int = 0,
        after: int = 0,
    ) -> MeterMoved:
        number = self.newest + after + 1
        outside = kind in OUTSIDE_ROUNDS
        return MeterMoved(
            number=number,
            meter=meter,
            round_id="" if outside else self._round_id,
            spot=spot,
            kind=kind,
            nth=number if outside else self._counts[meter, spot, kind] + 1,
            change=change,
            reserve_change=reserve_change,
            prize=prize,
            seed=seed,
            from_reserve=from_reserve,
            ticket=ticket,
        )
