"""Exact odds as tables and as JSON; figures come from `round_engine.odds`, words from here."""

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

from round_engine.hands.strategy import Strategy
from round_engine.money import Cents, dollars
from round_engine.odds import AnteGame, Comparison, Quantity, TogetherOdds, WagerOdds
from round_engine.odds.printed import REMARKS
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import wager_label
from shuffler.odds.simulate import Simulated
from shuffler.odds.text_tables import TextTable, left, right

# Numbers.


def percent(value: Fraction, digits: int = 5) -> str:
    """A fraction as a percentage."""
    return f"{float(value) * 100:.{digits}f} %"


def fraction(value: Fraction) -> str:
    """A fraction as `a/b`, whole numbers too."""
    return f"{value.numerator}/{value.denominator}"


def cents_text(amount: Fraction) -> str:
    """Cents, exact or rounded to the nearest, as dollars."""
    return dollars(round(amount))


def _deviation(odds: WagerOdds) -> str:
    return "" if odds.standard_deviation is None else f"{odds.standard_deviation:.4f}"


# Tables.


def overview(every: Sequence[WagerOdds], *, exactly: bool = False) -> TextTable:
    """One line for each wager on each paytable; with fractions and sources where there is room."""
    more = (right("advantage exactly"), right("hits exactly"), left("clause")) if exactly else ()
    return TextTable(
        title="Exact odds",
        columns=(
            left("rules"), left("wager"), left("paytable"), right("house adv."), right("hit freq."), right("std dev."),
            *more,
        ),
        rows=tuple(
            (
                odds.rule_set, wager_label(odds.wager), odds.paytable, percent(odds.house_advantage),
                percent(odds.hit_frequency), _deviation(odds),
                *((fraction(odds.house_advantage), fraction(odds.hit_frequency), odds.clause) if exactly else ()),
            )
            for odds in every
        ),
        note=(
            "House advantage and standard deviation are in units of the first stake. Ante includes play and ante "
            f"bonus; it hits when the hand ends ahead. Rules played: {fingerprints(every)}."
        ),
    )  # fmt: skip


def fingerprints(every: Sequence[WagerOdds]) -> str:
    """Each rule set with the first digits of its fingerprint."""
    known = dict.fromkeys((odds.rule_set, odds.fingerprint[:12]) for odds in every)
    return ", ".join(f"{name} ({digits})" for name, digits in known)


def detail(odds: WagerOdds) -> TextTable:
    """Every outcome of one wager."""
    lines = [f"House advantage {percent(odds.house_advantage)} = {fraction(odds.house_advantage)}"]
    if odds.average_wager != 1:
        lines.append(
            f"of {float(odds.average_wager):.5f} units put up on average; "
            f"element of risk {percent(odds.element_of_risk)}"
        )
    lines.append(f"hit frequency {percent(odds.hit_frequency)} = {fraction(odds.hit_frequency)}")
    if odds.variance is not None:
        lines.append(f"variance {float(odds.variance):.5f}, standard deviation {_deviation(odds)}")
    if odds.strategy is not None:
        lines.append(f"strategy {odds.strategy}")
    lines.extend(odds.notes)
    return TextTable(
        title=(
            f"{odds.rule_set}: {wager_label(odds.wager)} {odds.paytable}, stake {dollars(odds.stake)} ({odds.clause})"
        ),
        columns=(left("outcome"), left("pays"), right("ways"), right("probability"), right("net"), right("return")),
        rows=tuple(
            (
                outcome.name,
                outcome.pays,
                f"{outcome.ways:,}",
                percent(odds.probability(outcome), 6),
                cents_text(outcome.net),
                f"{float(outcome.net * odds.probability(outcome) / odds.stake):+.6f}",
            )
            for outcome in odds.outcomes
        ),
        note="; ".join(lines) + f". {odds.deals:,} deals counted.",
    )


def meter(odds: WagerOdds, stands_at: Cents | None) -> TextTable:
    """Where a metered wager's return comes from."""
    of = odds.meter
    assert of is not None
    rows = [
        ("awards from the tray", percent(of.tray)),
        ("contribution to meter and reserve, won some day", percent(of.contribution)),
        (f"seed of {dollars(of.seed)} for the next meter", percent(of.seeding)),
        (f"envy from {of.others} other bettors", percent(of.envy)),
        ("house advantage", percent(odds.house_advantage)),
        ("one top award in", f"{float(1 / of.top_probability):,.1f} wagers" if of.top_probability else "never"),
        ("average top award", cents_text(of.average_top)),
        ("meter without house advantage", "none" if of.break_even is None else cents_text(of.break_even)),
    ]
    if stands_at is not None:
        rows.append(
            (f"house advantage at a meter of {dollars(stands_at)}", percent(of.advantage_at(stands_at, odds.stake)))
        )
    return TextTable(
        title=f"{odds.rule_set}: {wager_label(odds.wager)} {odds.paytable}, long run",
        columns=(left("of each wager"), right("share")),
        rows=tuple(rows),
    )


def strategies(rules: RuleSet, game: AnteGame, compared: Sequence[Strategy]) -> TextTable:
    """What each way of deciding costs."""
    best = game.odds()
    decision = game.decision
    every = [best, *(game.odds(strategy) for strategy in compared)]
    return TextTable(
        title=f"{rules.id}: strategies for ante bonus {game.bonus.id}",
        columns=(
            left("play"), right("hands played"), right("house advantage"), right("costs more than optimal"),
            right("element of risk"), right("ends ahead"), right("std deviation"),
        ),
        rows=tuple(
            (
                odds.strategy or "", percent(odds.average_wager - 1, 3), percent(odds.house_advantage),
                percent(odds.house_advantage - best.house_advantage), percent(odds.element_of_risk),
                percent(odds.hit_frequency, 3), _deviation(odds),
            )
            for odds in every
        ),
        note=(
            f"By enumeration: the weakest hand worth playing is {decision.weakest_played}, worth "
            f"{fraction(decision.weakest_played_value)} of the ante; the strongest worth folding is "
            f"{decision.strongest_folded}, worth {fraction(decision.strongest_folded_value)} when played and -1 when "
            "folded."
        ),
    )  # fmt: skip


def printed(comparisons: Sequence[Comparison]) -> TextTable:
    """Every printed figure beside the exact one."""
    return TextTable(
        title="Printed figures and exact ones",
        columns=(
            left("source"), left("wager"), left("paytable"), left("figure"), right("printed"), right("exact"),
            right("difference"), left("verdict"),
        ),
        rows=tuple(
            (
                one.printed.place, wager_label(one.printed.wager), one.printed.paytable, one.printed.quantity.value,
                one.printed.shown(), _exact_text(one), _difference_text(one), _verdict_text(one),
            )
            for one in comparisons
        ),
        note=(
            "Agrees: the exact figure rounds to the printed one. 003 is the Bad Beat Progressive sheet, 004 the Light "
            "& Wonder manual. Metered wagers: contribution rates are printed nowhere; 14 %, 20 % and 26 % are the "
            "round rates that give the printed figures back, with six other bettors for envy."
        ),
    )  # fmt: skip


def _exact_text(one: Comparison) -> str:
    if one.printed.quantity is Quantity.TOP_ODDS:
        return f"{float(one.exact):,.2f} to 1"
    if one.printed.quantity is Quantity.AVERAGE_TOP:
        return f"${float(one.exact):,.2f}"
    return percent(one.exact)


def _difference_text(one: Comparison) -> str:
    if one.printed.quantity in (Quantity.TOP_ODDS, Quantity.AVERAGE_TOP):
        return f"{float(one.difference):+,.2f}"
    return f"{float(one.difference) * 100:+.5f}"


def _verdict_text(one: Comparison) -> str:
    remark = REMARKS.get((one.printed.paytable, one.printed.quantity, one.printed.text), "")
    return f"{one.verdict}: {remark}" if remark else one.verdict.value


def changed(before: Sequence[WagerOdds], after: Sequence[WagerOdds], what: Sequence[str]) -> TextTable:
    """What a change does to every figure that it touches."""
    rows = []
    for old, new in zip(before, after, strict=True):
        moved = new.house_advantage - old.house_advantage
        rows.append(
            (
                old.rule_set, wager_label(old.wager), old.paytable, percent(old.house_advantage),
                percent(new.house_advantage), f"{float(moved) * 100:+.5f}", percent(old.hit_frequency),
                percent(new.hit_frequency),
                f"{_deviation(old)} → {_deviation(new)}",
            )
        )  # fmt: skip
    return TextTable(
        title="Before and after " + ", ".join(what),
        columns=(
            left("rules"), left("wager"), left("paytable"), right("advantage before"), right("after"),
            right("difference"), right("hits before"), right("after"), right("std dev."),
        ),
        rows=tuple(rows),
    )  # fmt: skip


def together(odds: TogetherOdds) -> TextTable:
    """The total of several wagers on one hand."""
    stakes = ", ".join(
        f"{wager_label(wager)} {odds.paytables[wager]} {dollars(stake)}" for wager, stake in odds.stakes.items()
    )
    deals = sum(odds.distribution.values())
    return TextTable(
        title=f"{odds.rule_set}: together on one spot: {stakes}",
        columns=(right("net result"), right("ways"), right("probability")),
        rows=tuple(
            (cents_text(net), f"{ways:,}", percent(Fraction(ways, deals), 6)) for net, ways in odds.distribution.items()
        ),
        note=(
            f"Expected loss {cents_text(odds.expected_loss)} a hand, {percent(odds.house_advantage)} of the first "
            "stakes; "
            f"ends ahead {percent(odds.hit_frequency)}; standard deviation ${sqrt(odds.variance) / 100:,.2f}; "
            f"the cap binds in {odds.capped:,} of {deals:,} deals."
            + ("" if odds.strategy is None else f" Played as: {odds.strategy}.")
            + "".join(f" The {wager_label(on)} meter stands at {cents_text(at)}." for on, at in odds.meters.items())
            + (f" Envy from {odds.others} others: {cents_text(odds.envy)} a hand (in the loss)." if odds.envy else "")
            + f" Rules played: {odds.rule_set} ({odds.fingerprint[:12]})."
        ),
    )


def simulated(run: Simulated) -> TextTable:
    """What a simulation came to beside what is exact."""
    fits = "agrees with the exact figures" if run.p_value >= SUSPICIOUS else "does NOT agree with the exact figures"
    meters = "".join(f" The {wager_label(wager)} meter ends at {dollars(at)}." for wager, at in run.meters.items())
    return TextTable(
        title=f"{run.rule_set} ({run.fingerprint[:12]}): {run.rounds:,} rounds simulated",
        columns=(left("figure"), right("simulated"), right("exact"), right("deviation")),
        rows=tuple(
            (
                one.name,
                percent_or_number(one.name, one.observed),
                percent_or_number(one.name, one.exact),
                f"{one.deviations:+.2f} σ",
            )
            for one in run.figures
        ),
        note=(
            f"The worst is {run.worst}: p = {run.p_value:.4f} for a worst deviation as large; the simulation {fits}. "
            "The law of the worst is drawn from the exact chances; several kinds of wager by Bonferroni."
            + ("" if run.strategy is None else f" Played as: {run.strategy}.")
            + meters
        ),
    )


SUSPICIOUS = 0.001


def percent_or_number(name: str, value: float) -> str:
    """Holds and frequencies as percentages, variances in squared stakes."""
    return f"{value:.5f}" if name.endswith("variance") else f"{value * 100:.5f} %"


# JSON.


def simulated_json(run: Simulated) -> dict[str, Any]:
    """A simulation as plain data."""
    return {
        "rule_set": run.rule_set,
        "rules_fingerprint": run.fingerprint,
        "strategy": run.strategy,
        "rounds": run.rounds,
        "figures": [
            {"name": one.name, "simulated": one.observed, "exact": one.exact, "deviations": one.deviations}
            for one in run.figures
        ],
        "worst": run.worst,
        "p_value": run.p_value,
        "meters_cents": dict(run.meters),
        "meter_wins": run.meter_wins,
    }


def as_json(odds: WagerOdds) -> dict[str, Any]:
    """One wager as plain data; fractions both as numbers and exactly."""
    data: dict[str, Any] = {
        "rule_set": odds.rule_set,
        "rules_fingerprint": odds.fingerprint,
        "paytable": odds.paytable,
        "wager": odds.wager,
        "designators": list(odds.designators),
        "clause": odds.clause,
        "stake_cents": int(odds.stake),
        "strategy": odds.strategy,
        **_both("house_advantage", odds.house_advantage),
        **_both("hit_frequency", odds.hit_frequency),
        **_both("element_of_risk", odds.element_of_risk),
        **_both("variance", odds.variance),
        "standard_deviation": odds.standard_deviation,
        "deals": odds.deals,
        "outcomes": [
            {
                "name": outcome.name,
                "pays": outcome.pays,
                "ways": outcome.ways,
                "probability": float(odds.probability(outcome)),
                "net_cents": float(outcome.net),
                "hit": outcome.hit,
            }
            for outcome in odds.outcomes
        ],
        "notes": list(odds.notes),
    }
    if odds.meter is not None:
        data["meter"] = {
            **_both("contribution", odds.meter.contribution),
            **_both("seeding", odds.meter.seeding),
            **_both("tray", odds.meter.tray),
            **_both("envy", odds.meter.envy),
            **_both("top_probability", odds.meter.top_probability),
            **_both("average_top_cents", odds.meter.average_top),
            **_both("break_even_cents", odds.meter.break_even),
            "others": odds.meter.others,
            "seed_cents": int(odds.meter.seed),
        }
    return data


def comparison_json(one: Comparison) -> dict[str, Any]:
    """One printed figure as plain data."""
    return {
        "source": one.printed.place,
        "wager": one.printed.wager,
        "paytable": one.printed.paytable,
        "figure": one.printed.quantity.value,
        "printed": float(one.printed.value),
        **_both("exact", one.exact),
        "difference": float(one.difference),
        "verdict": one.verdict.value,
    }


def together_json(odds: TogetherOdds) -> dict[str, Any]:
    """The total of several wagers as plain data."""
    return {
        "rule_set": odds.rule_set,
        "rules_fingerprint": odds.fingerprint,
        "strategy": odds.strategy,
        "meters_cents": {wager: float(at) for wager, at in odds.meters.items()},
        **_both("envy_cents", odds.envy),
        "paytable": " + ".join(odds.paytables[wager] for wager in odds.stakes),
        "wager": " + ".join(wager for wager in odds.stakes),
        "stakes_cents": {wager: int(stake) for wager, stake in odds.stakes.items()},
        **_both("house_advantage", odds.house_advantage),
        **_both("hit_frequency", odds.hit_frequency),
        **_both("expected_loss_cents", odds.expected_loss),
        **_both("variance_cents", odds.variance),
        "capped_ways": odds.capped,
        "distribution": [{"net_cents": float(net), "ways": ways} for net, ways in odds.distribution.items()],
    }


def _both(name: str, value: Fraction | None) -> dict[str, Any]:
    if value is None:
        return {name: None, f"{name}_fraction": None}
    return {name: float(value), f"{name}_fraction": fraction(value)}
