"""What a soak showed, as values that add up: several tables soaked side by side make one report."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from round_engine.odds import odds_of
from round_engine.rules.ruleset import RuleSet
from shuffler.virtual.soak.holds import HoldBook, HoldRow, exact_holds, judge, poisson_p


@dataclass(slots=True)
class InjectionRow:
    """One kind of injection: what came of it until the next one was injected."""

    injected: int = 0
    noticed: int = 0  # a fault, a misdeal, an exposed card, a power-up or a lost line followed
    recovered: int = 0  # a round was settled afterwards
    void: int = 0  # rounds
    signs: Counter[str] = field(default_factory=Counter)

    def add(self, other: "InjectionRow") -> None:
        """Take in what another table saw."""
        self.injected += other.injected
        self.noticed += other.noticed
        self.recovered += other.recovered
        self.void += other.void
        self.signs += other.signs


@dataclass(slots=True)
class SoakReport:
    """What a soak showed."""

    rules: str = ""
    rules_fingerprint: str = ""
    rounds: int = 0
    settled: int = 0
    void: int = 0
    injections: dict[str, InjectionRow] = field(default_factory=dict)
    raised: Counter[str] = field(default_factory=Counter)
    cleared: int = 0
    attended: int = 0
    power_cycles: int = 0
    void_reasons: Counter[str] = field(default_factory=Counter)
    out_of_balance: int = 0
    hold_book: HoldBook = field(default_factory=HoldBook)
    holds: list[HoldRow] = field(default_factory=list)
    jackpots: dict[str, tuple[int, float, float]] = field(default_factory=dict)  # seen, expected, p
    problems: list[str] = field(default_factory=list)
    stopped_early: bool = False

    @property
    def injected(self) -> int:
        """Injections in all."""
        return sum(row.injected for row in self.injections.values())

    def to_json(self) -> dict[str, Any]:
        """The report as plain data, for other programs."""
        plain: dict[str, Any] = _plain(self)
        return plain

    def judge(self, rules: RuleSet, others: int) -> None:
        """The observed holds against the exact ones, and the jackpots; `others` sit at the table with each player."""
        self.rules, self.rules_fingerprint = rules.id, rules.fingerprint
        self.holds = judge(self.hold_book, exact_holds(rules, others))
        for wager, lit in self.hold_book.lit.items():
            seen = self.hold_book.jackpots.get(wager, 0)
            expected = lit * top_chance(rules, wager)
            self.jackpots[wager] = (seen, expected, poisson_p(seen, expected))


def _plain(value: Any) -> Any:
    """Values as JSON has them; `dataclasses.asdict` turns the keys of a Counter into pairs."""
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def merged(reports: Iterable[SoakReport]) -> SoakReport:
    """Tables side by side as one report, not judged yet."""
    total = SoakReport()
    for report in reports:
        total.rounds += report.rounds
        total.settled += report.settled
        total.void += report.void
        for name, row in report.injections.items():
            total.injections.setdefault(name, InjectionRow()).add(row)
        total.raised += report.raised
        total.cleared += report.cleared
        total.attended += report.attended
        total.power_cycles += report.power_cycles
        total.void_reasons += report.void_reasons
        total.out_of_balance += abs(report.out_of_balance)
        total.hold_book.add(report.hold_book)
        total.problems += report.problems
    return total


def top_chance(rules: RuleSet, wager: str) -> float:
    """How likely one lit hand is to reset the meter: only the whole-meter award does."""
    (odds,) = odds_of(rules, wager, paytable=rules.paytable(wager).id)
    top = odds.outcomes[0]
    return top.ways / odds.deals


def signs_text(row: InjectionRow) -> str:
    """What an injection showed itself by, the most frequent first."""
    return ", ".join(f"{name.lower().replace('_', ' ')} {count:,}" for name, count in row.signs.most_common(4))
