"""A table run for a long time with every fault in the catalogue at a low rate, and its reconciliation."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

from firmware_sim.emulator import Build
from firmware_sim.mechanism import composition
from firmware_sim.trouble_table import TROUBLES, Nature, Trigger
from protocol.vocabulary import PowerUpCause
from round_engine.ledger import LAYOUT, Posting
from round_engine.odds import odds_of
from round_engine.operations import CloseRound, DeclareMisdeal, OpenRound
from round_engine.ruleset import RuleSet, Wager
from round_engine.table import Table
from shuffler.bots import Bot
from shuffler.bridge import Want
from shuffler.bridge.entries import Entry, Note, Operated
from shuffler.desk import Books
from shuffler.holds import HoldBook, HoldRow, exact_holds, judge, poisson_p
from shuffler.virtual_table import USB_FRAME_US, VirtualTable, quick

# Left out: they end the device's memory, after which its epoch is a new one; the kill proof has them.
SOAKED = tuple(kind.name for kind in TROUBLES if kind.name not in ("memory_corrupt",))
POWER_CYCLE_EVERY = 3  # visits without a settled round: then it is switched off and on, as the panel says
WRONG_DECKS = ("SHORT_DECK", "LONG_DECK")  # not mended on the spot: a proper deck is brought
DECK_CARDS = 52
ROUND_CARDS = 28  # about how many cards move between two injections


@dataclass(slots=True)
class SoakReport:
    """What a soak showed."""

    rounds: int = 0
    settled: int = 0
    void: int = 0
    injected: Counter[str] = field(default_factory=Counter)
    raised: Counter[str] = field(default_factory=Counter)
    cleared: int = 0
    attended: int = 0
    power_cycles: int = 0
    void_reasons: Counter[str] = field(default_factory=Counter)
    out_of_balance: int = 0
    holds: list[HoldRow] = field(default_factory=list)
    jackpots: dict[str, tuple[int, float, float]] = field(default_factory=dict)  # seen, expected, p
    problems: list[str] = field(default_factory=list)


class Soak:
    """Runs a table and keeps count."""

    def __init__(
        self, rules: RuleSet, books: Books, bots: Sequence[Bot], build: Build, *, seed: int, rate: float
    ) -> None:
        """`rate` is the chance of one trouble before each round."""
        self.report = SoakReport()
        self.hold_book = HoldBook()
        self.table = VirtualTable(Table(rules), books, bots, quick(build), seed=seed, poll_us=USB_FRAME_US)
        self._rules = rules
        self._others = len(bots) - 1
        self._luck = Random(seed + 1)
        self._rate = rate
        self._visits = 0  # since a round was settled
        self._last_fault = ""
        self._round_postings: list[Posting] = []
        self.table.desk.watch = self._watch
        self.table.desk.attend = self._attend

    def run(self, rounds: int, progress: Callable[[int], None] | None = None) -> SoakReport:
        """Play so many rounds and reconcile."""
        goal = self.table.done + rounds
        while self.table.done < goal:
            if self._rate and self._luck.random() < self._rate:
                self._trouble()
            self.table.play(1)
            if progress is not None:
                progress(self.table.done)
        return self.reconcile()

    def _trouble(self) -> None:
        """One trouble of the catalogue, at a random card or at once."""
        name = self._luck.choice(SOAKED)
        self.report.injected[name] += 1
        kind = next(kind for kind in TROUBLES if kind.name == name)
        trigger = Trigger()
        if kind.passes:
            trigger = Trigger(at_card=self._luck.randint(1, ROUND_CARDS))
        elif kind.nature is Nature.CARD:
            trigger = Trigger(when="event=GroupReady")
        options = {"level": 0.02} if name == "worn_reader" else {}
        self.table.emulator.control.inject(name, trigger, **options)
        self.table.desk.take([], self.table.bench.now)

    def _attend(self, want: Want) -> None:
        """A technician comes: mends everything and says so at the panel."""
        if want in (Want.ATTENTION, Want.BACKUP):
            self.report.attended += 1
            self._visits += 1
            emulator = self.table.emulator
            emulator.control.mend()
            machine = emulator.machine
            no_deck = want is Want.BACKUP and not machine.infeed_occupied
            if no_deck or (self._last_fault in WRONG_DECKS and self._visits > 1):
                machine.take_from_infeed()
                machine.put_in_infeed(machine.introduce(composition(DECK_CARDS)))
            emulator.control.press("OK")
            if self._visits % POWER_CYCLE_EVERY == 0:
                self.report.power_cycles += 1
                emulator.power_cycle(PowerUpCause.SWITCHED_ON, self.table.bench.now)

    def _watch(self, entries: Sequence[Entry]) -> None:
        report = self.report
        for entry in entries:
            match entry:
                case Operated(OpenRound(), _):
                    self._round_postings = []
                    report.rounds += 1
                case Operated(CloseRound(), postings):
                    self._round_postings += postings
                    self.hold_book.settle(self._round_postings)
                    report.settled += 1
                    self._visits = 0
                case Operated(DeclareMisdeal(reason=reason), _):
                    report.void += 1
                    report.void_reasons[reason.split(":")[0][:60]] += 1
                case Operated(_, postings):
                    self._round_postings += postings
                case Note("fault", _, text):
                    self._last_fault = text.split(" ")[0]
                    report.raised[self._last_fault] += 1
                case Note("fault cleared", _, _):
                    report.cleared += 1

    def reconcile(self) -> SoakReport:
        """The report so far."""
        report, ledger = self.report, self.table.desk.bridge.table.ledger
        report.out_of_balance = ledger.total()
        if ledger.total():
            report.problems.append(f"the books are out of balance by {ledger.total()} cents")
        if not self.table.desk.bridge.in_round and ledger.balance(LAYOUT):
            report.problems.append(f"{ledger.balance(LAYOUT)} cents lie on the layout between rounds")
        for metered, meter in self.table.desk.bridge.table.meters.items():
            if ledger.balance(f"meter:{metered}") != meter.amount:
                report.problems.append(f"the {metered} meter shows {meter.amount}, the books say otherwise")
        if report.settled + report.void + self.table.desk.bridge.in_round != report.rounds:
            report.problems.append("a round is neither settled nor void")
        exact = exact_holds(self._rules, self._others)
        report.holds = judge(self.hold_book, exact)
        for wager, lit in self.hold_book.lit.items():
            seen = self.hold_book.jackpots.get(wager, 0)
            expected = lit * top_chance(self._rules, wager)
            report.jackpots[wager] = (seen, expected, poisson_p(seen, expected))
        return report


def top_chance(rules: RuleSet, wager: str) -> float:
    """How likely one lit hand is to reset the meter: only the whole-meter award does."""
    (odds,) = odds_of(rules, Wager(wager), paytable=rules.paytable(Wager(wager)).id)
    top = odds.outcomes[0]
    return top.ways / odds.deals
