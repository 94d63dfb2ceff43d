"""One table's shared meters, between its round and its sender. Never waits: what is not known yet is asked for again.

A prize is keyed only when the server has fixed and reserved it, at a meter that is then shown here to the cent. Nobody
pays a guess: while the server is away an award is pending, and after a while the wager is not taken any more.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from round_engine.meters.awards import Due, Meter
from round_engine.round.operations import LinkMeter, Operation
from round_engine.rules.ruleset import Pay, RuleSet, WagerName
from round_engine.table import Table
from round_engine.wagers import SpotWagers
from shuffler.journal.entries import AwardAsked, AwardFixed, Entry, MeterLinked, MeterMoved, MoveKind
from shuffler.journal.meter_moves import MeterMoves
from shuffler.meters.errors import MeterMisuse
from shuffler.meters.sender import News, SenderLimits
from shuffler.meters.values import Claim, Hold, HoldState, MeterRules
from shuffler.table.shared_meters import Fixing, SharedMeter


class Messenger(Protocol):
    """The sender, as far as a table sees it."""

    limits: SenderLimits

    @property
    def news(self) -> News:
        """What is known now."""

    def ask(self, entry: AwardAsked, moves: int) -> None:
        """Reserve these awards once so many moves are on the server."""

    def hold(self, claim: Claim) -> None:
        """Remember a prize that the server has fixed."""

    def wake(self, *, hurry: bool = False) -> None:
        """There is something new in the journal; with `hurry`, somebody waits for it."""


class LinkedTable:
    """Implements `shuffler.table.shared_meters.SharedMeters`."""

    def __init__(
        self,
        moves: MeterMoves,
        sender: Messenger,
        *,
        clock: Callable[[], float],
        say: Callable[[str], None] | None = None,
    ) -> None:
        """`moves` is what the table's journal knows of its meters (`journal.position.meters`)."""
        self._moves, self._sender, self._clock = moves, sender, clock
        self._say = say or (lambda _: None)
        self._at_start = moves.newest
        self._asking: set[tuple[str, str, int, int]] = set()  # meter, round, spot, nth: in the books, or about to be
        self._fixed: set[tuple[str, str, int, int]] = set()
        self._said = ""
        for entry in moves.asked.values():  # a round that was open when the host died
            self._remember(entry)
            if entry.meter in moves.fixed:
                sender.hold(_claim(entry, moves.fixed[entry.meter]))
            sender.ask(entry, moves.newest)

    def lasting(self, entries: Sequence[Entry]) -> None:
        """Entries that last now: the sender may read them."""
        for entry in entries:
            if isinstance(entry, AwardAsked):
                self._sender.ask(entry, self._moves.newest)
        moves = [entry.kind for entry in entries if isinstance(entry, MeterMoved)]
        self._sender.wake(hurry=any(kind is not MoveKind.CONTRIBUTION for kind in moves))

    # --- wagers ---

    def refusal(self) -> str:
        """Why wagers on shared meters are not taken now; empty where they are."""
        news, limits = self._sender.news, self._sender.limits
        if news.stopped:
            return f"the shared meters are out of use: {news.stopped}"
        unsent = self._unsent()
        away = self._clock() - news.away_since if news.away_since is not None else 0.0
        if news.connected:
            return ""
        if unsent >= limits.moves:
            return f"{unsent} contributions wait for the meter server ({limits.moves} may)"
        if away >= limits.seconds:
            return f"the meter server has been away for {away:.0f} s ({limits.seconds:.0f} s may pass)"
        return ""

    def _unsent(self) -> int:
        news = self._sender.news
        return self._moves.newest - (news.pushed if news.pushed >= 0 else self._at_start)

    def shown(self, wager: WagerName) -> SharedMeter | None:
        """A meter for people; None where it is the table's own."""
        link, news = self._moves.links.get(wager), self._sender.news
        if link is None:
            return None
        snapshot = next((one for one in news.snapshots if one.shown.rules.name == link.meter), None)
        amount = held = None
        if snapshot is not None:
            amount = snapshot.shown.amount + self._moves.total(link.meter).change - snapshot.told
            held = snapshot.shown.held
        return SharedMeter(
            link.meter, amount, held or 0, news.connected, self._unsent(), news.stopped or news.trouble
        )

    def allowed(self, wagers: Sequence[SpotWagers]) -> tuple[SpotWagers, ...]:
        """The wagers that can be taken now."""
        why = self.refusal()
        if not why:
            self._said = self._said if self._said.startswith("pending") else ""
            return tuple(wagers)
        self._tell_once(f"no wagers on {', '.join(self._moves.links)} are taken: {why}", key="refused")
        return tuple(
            replace(one, stakes={name: stake for name, stake in one.stakes.items() if name not in self._moves.links})
            for one in wagers
        )

    # --- following ---

    def follow(self, table: Table) -> tuple[Operation, ...]:
        """Bring the meters here to what the server shows, with what this table has not sent yet."""
        found: list[Operation] = []
        by_name = {one.shown.rules.name: one for one in self._sender.news.snapshots}
        for wager, link in self._moves.links.items():
            snapshot = by_name.get(link.meter)
            if snapshot is None or wager not in table.jackpots:
                continue
            own = self._moves.total(link.meter)
            amount = snapshot.shown.amount + own.change - snapshot.told
            reserve = snapshot.shown.reserve + own.reserve_change - snapshot.told_reserve
            move = _to(table.meters[wager], amount, reserve, snapshot.shown.floor, link.meter)
            if move is not None and table.can(move):
                found.append(move)
        return tuple(found)

    # --- awards ---

    def fix(self, table: Table, round_id: str, dues: Sequence[Due]) -> Fixing:
        """The first award's prize, as the server fixed it; until then it is pending."""
        first = dues[0]
        link = self._moves.links.get(first.wager)
        if link is None:
            return Fixing(ready=True)
        nth = _next_award(table, first)
        key = link.meter, round_id, first.spot, nth
        if key in self._fixed:
            return Fixing(ready=True)
        if key not in self._asking:
            entry = self._wish(link, table, round_id, dues)
            self._remember(entry)
            return Fixing(ready=False, entries=(entry,))
        hold = self._hold(link.meter, round_id, first.spot, nth)
        if hold is None or hold.state is HoldState.WAITING:
            self._pending(round_id, first, hold)
            return Fixing(ready=False)
        if hold.state is not HoldState.FIXED:
            self._tell_once(
                f"the award of spot {first.spot} in round {round_id} is {hold.state} at the server: somebody must look",
                key="pending",
            )
            return Fixing(ready=False)
        self._said = ""
        self._fixed.add(key)
        self._sender.hold(
            Claim(link.meter, hold.ticket, round_id, first.spot, nth, hold.percent, hold.pot)
        )
        moves = _to(table.meters[first.wager], hold.amount, hold.reserve, hold.floor, link.meter)
        fixed = AwardFixed(meter=link.meter, round_id=round_id, spot=first.spot, ticket=hold.ticket, prize=hold.pot)
        return Fixing(ready=True, entries=(fixed,), operations=() if moves is None else (moves,))

    def _wish(self, link: MeterLinked, table: Table, round_id: str, dues: Sequence[Due]) -> AwardAsked:
        """All awards of the round on this meter, in their order (004 Appendix A), or the first alone."""
        of_meter = [one for one in dues if one.wager == dues[0].wager and one.from_meter]
        rules = self._rules(link.meter)
        if rules is not None and rules.order == "asked":
            of_meter = of_meter[:1]
        return AwardAsked(
            meter=link.meter,
            round_id=round_id,
            spots=tuple(one.spot for one in of_meter),
            nths=tuple(_next_award(table, one) for one in of_meter),
            percents=tuple(one.row.value for one in of_meter),
        )

    def _remember(self, entry: AwardAsked) -> None:
        self._asking |= {
            (entry.meter, entry.round_id, spot, nth) for spot, nth in zip(entry.spots, entry.nths, strict=True)
        }

    def _rules(self, meter: str) -> MeterRules | None:
        return next((one.shown.rules for one in self._sender.news.snapshots if one.shown.rules.name == meter), None)

    def _hold(self, meter: str, round_id: str, spot: int, nth: int) -> Hold | None:
        key = meter, round_id, spot, nth
        return next(
            (hold for of, hold in self._sender.news.holds if (of, hold.round_id, hold.spot, hold.nth) == key), None
        )

    def _pending(self, round_id: str, due: Due, hold: Hold | None) -> None:
        news = self._sender.news
        why = ""
        if hold is not None:
            why = "another table's award is served first"
        else:
            why = news.stopped or news.trouble
        if why:
            self._tell_once(
                f"the award of spot {due.spot} in round {round_id} is pending, nothing is paid: {why}", key="pending"
            )

    def _tell_once(self, text: str, *, key: str) -> None:
        if self._said != key + text:
            self._said = key + text
            self._say(text)


def _claim(asked: AwardAsked, fixed: AwardFixed) -> Claim:
    """The prize that was fixed when the host died."""
    at = asked.spots.index(fixed.spot)
    return Claim(
        fixed.meter, fixed.ticket, fixed.round_id, fixed.spot, asked.nths[at], asked.percents[at], fixed.prize
    )


def _next_award(table: Table, due: Due) -> int:
    """The number of a spot's next award in the round: one that was backed out is keyed again."""
    return 1 + sum(one.adjusted and one.spot == due.spot for one in table.jackpot(due.wager).records)


def _to(meter: Meter, amount: int, reserve: int, floor: int, name: str) -> LinkMeter | None:
    """The move that brings a meter there; None where it is there."""
    change, reserve_change = amount - meter.amount, reserve - meter.reserve
    if not change and not reserve_change and floor == meter.floor:
        return None
    return LinkMeter(
        wager=meter.wager, change=change, table=name, reserve_change=reserve_change, floor=floor
    )


def link(table: Table, moves: MeterMoves, offered: Sequence[MeterRules], name: str) -> list[MeterLinked]:
    """The entries that link a table's meters to those it is enrolled at; raises MeterMisuse where the rules differ."""
    found: list[MeterLinked] = []
    for rules in offered:
        wager = rules.wager
        if wager not in table.jackpots:
            raise MeterMisuse(f"meter {rules.name} is for {wager} wagers, and this layout has none")
        verify_rules(table.rules, rules)
        known = moves.links.get(wager)
        if known is not None:
            if (known.meter, known.table) != (rules.name, name):
                raise MeterMisuse(
                    f"the journal is linked to meter {known.meter} as table {known.table}, not to {rules.name}, {name}"
                )
            continue
        meter = table.meters[wager]
        found.append(
            MeterLinked(
                wager=wager, meter=rules.name, table=name, transfer=max(0, meter.amount - rules.seed),
                reserve_transfer=meter.reserve,
            )
        )  # fmt: skip
    if gone := [one.meter for one in moves.links.values() if one.meter not in {rules.name for rules in offered}]:
        raise MeterMisuse(f"the journal is linked to meter {gone[0]}, and the server has not enrolled {name} there")
    return found


def rules_of(rules: RuleSet, wager: WagerName, name: str, **other: object) -> MeterRules:
    """A meter for the tables of a rule set."""
    progressive, paytable = rules.progressives.get(wager), None
    if progressive is None:
        raise MeterMisuse(f"{rules.id} has no {wager} wager on its layout")
    paytable = rules.paytable(wager)
    percents = sorted({row.value for row in paytable.rows if row.pay is Pay.METER}, reverse=True)
    return MeterRules(
        name=name, wager=wager, denomination=progressive.denomination, spots=rules.house.seats,
        seed=progressive.seed, share_bp=paytable.contribution_bp, reserve_bp=progressive.reserve_bp,
        rounding=progressive.percentage_rounding, percents=tuple(percents),
        **other,  # type: ignore[arg-type]
    )  # fmt: skip


def verify_rules(rules: RuleSet, meter: MeterRules) -> None:
    """Refuse to link a table whose own rules lead to other prizes or shares than the meter's."""
    own = rules_of(rules, meter.wager, meter.name)
    for field, told in (
        ("denomination", "wager in cents"), ("seed", "seed in cents"), ("share_bp", "share in basis points"),
        ("reserve_bp", "reserve in basis points"), ("rounding", "rounding"), ("percents", "percentages"),
    ):  # fmt: skip
        here, there = getattr(own, field), getattr(meter, field)
        if here != there:
            raise MeterMisuse(f"meter {meter.name} has the {told} {there}, the rules of this table {here}")
    if own.spots > meter.spots:
        raise MeterMisuse(f"meter {meter.name} is for tables of {meter.spots} spots, and this one has {own.spots}")
    if rules.progressives[meter.wager].envy_source == "meter":
        raise MeterMisuse('envy_source = "meter" is not for shared meters: envy comes from the tray')
    if rules.progressives[meter.wager].several_meter_wins == "split":
        raise MeterMisuse('several_meter_wins = "split" is not for shared meters: awards come one after another')
