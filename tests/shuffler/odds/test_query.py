"""Questions about odds: what is answered, and what is refused with a reason."""

from fractions import Fraction
from pathlib import Path

import pytest

from round_engine.errors import MoneyError, RoundEngineError, RuleError, RuleFileError
from round_engine.odds import WagerOdds
from shuffler.odds import Answer, Query, answer
from shuffler.odds.query import money

OWN_RULES = """
extends = "ten-dollar-house"
id = "my-house"

[paytables.pair_plus.D]
flush = { pays = "4 to 1", clause = "house rule" }
"""


def ask(**question: object) -> Answer:
    return answer(Query(**question))  # type: ignore[arg-type]


def one(**question: object) -> WagerOdds:
    (odds,) = ask(**question).odds
    return odds


def test_every_rule_set_and_the_bad_beat_once() -> None:
    every = ask().odds
    assert {odds.rule_set for odds in every} == {
        "south-dakota", "south-dakota-2015", "ten-dollar-house", "light-and-wonder", "bad-beat", "prime",
    }  # fmt: skip
    assert [odds.rule_set for odds in every if odds.wager == "bad_beat"] == ["bad-beat"]


def test_the_bad_beat_can_be_laid_over_any_rule_set() -> None:
    laid = one(rules=("ten-dollar-house",), wagers=("bad_beat",))
    assert (laid.rule_set, laid.house_advantage) == ("ten-dollar-house", one(rules=("bad-beat",)).house_advantage)


@pytest.mark.parametrize("text", ["pair_plus", "Pair-Plus", "pair plus"])
def test_wagers_may_be_written_in_several_ways(text: str) -> None:
    assert one(rules=("ten-dollar-house",), wagers=(text,)).wager == "pair_plus"


def test_a_rule_file_of_the_users_own(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(OWN_RULES, encoding="utf-8")
    mine = one(rules=(str(file),), wagers=("pair_plus",))
    assert mine.rule_set == "my-house"
    assert mine.house_advantage == Fraction(128, 5525)


def test_a_designator_chooses_tables() -> None:
    every = ask(rules=("light-and-wonder",), paytable="TCP-12").odds
    assert [(odds.wager, odds.paytable) for odds in every] == [("ante", "C"), ("pair_plus", "D")]


def test_a_stake_becomes_the_denomination_of_a_progressive() -> None:
    five = one(rules=("south-dakota",), wagers=("progressive",), paytable="1", stake="5")
    dollar = one(rules=("south-dakota",), wagers=("progressive",), paytable="1")
    assert five.stake == 500
    # The seed stays $1,000 and envy in dollars: both weigh a fifth as much.
    assert five.house_advantage - dollar.house_advantage == Fraction(4, 5) * Fraction(1000 + 6 * 175, 22_100)


def test_a_stake_that_some_wagers_do_not_take_leaves_those_out() -> None:
    given = ask(stake="3")
    assert any("six_card_bonus takes at least $5" in line for line in given.left_out)
    assert any("every bad_beat wager on this meter is $1" in line for line in given.left_out)
    assert {odds.wager for odds in given.odds if odds.rule_set == "ten-dollar-house"} == {"ante", "pair_plus"}


def test_a_stake_that_a_named_wager_does_not_take_is_refused() -> None:
    with pytest.raises(RuleError, match="at least"):
        ask(rules=("ten-dollar-house",), wagers=("six_card_bonus",), stake="3")


def test_few_wagers_are_shown_with_their_outcomes() -> None:
    assert len(ask(rules=("ten-dollar-house",)).tables) == 4
    assert len(ask().tables) == 1
    assert len(ask(detail=True).tables) > 30


def test_a_meter_that_is_asked_for_is_shown() -> None:
    (_, _, long_run) = ask(rules=("light-and-wonder",), wagers=("progressive",), paytable="1", meter="9030").tables
    assert long_run.rows[-1] == ("house advantage at a meter of $9,030", "0.00000 %")


def test_strategies_are_compared() -> None:
    given = ask(rules=("ten-dollar-house",), strategies=True, strategy="K-Q-2")
    (table,) = given.tables
    assert [row[0] for row in table.rows][:3] == ["optimal: high card Q-6-4 or better", "K-Q-2", "always"]
    assert given.data[0]["house_advantage"] == min(row["house_advantage"] for row in given.data)


def test_a_strategy_applies_to_the_ante() -> None:
    assert one(rules=("ten-dollar-house",), wagers=("ante",), strategy="never").house_advantage == 1


def test_before_and_after_a_change() -> None:
    given = ask(rules=("south-dakota",), wagers=("pair_plus",), paytable="A", change=("pair_plus.flush=3",))
    assert [(row["variant"], row["house_advantage_fraction"]) for row in given.data] == [
        ("before", "128/5525"),
        ("after", "402/5525"),
    ]
    assert given.tables[0].rows[0][5] == "+4.95928"


def test_changes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "what-if.toml"
    file.write_text('[paytables.pair_plus.A]\nflush = { pays = "3 to 1" }\n', encoding="utf-8")
    given = ask(rules=("south-dakota",), wagers=("pair_plus",), paytable="A", changes=file)
    assert given.data[1]["house_advantage_fraction"] == "402/5525"


@pytest.mark.parametrize("content", ["not toml", None])
def test_a_file_of_changes_that_cannot_be_read_is_refused(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "what-if.toml"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(RuleFileError, match=r"what-if\.toml"):
        ask(rules=("south-dakota",), changes=file)


def test_a_cap_can_be_put_on_and_taken_off() -> None:
    capped = ask(rules=("south-dakota",), wagers=("six_card_bonus",), stake="10", change=("settings.cap=$500",))
    assert capped.data[-1]["house_advantage"] > capped.data[0]["house_advantage"]
    free = ask(rules=("ten-dollar-house",), wagers=("six_card_bonus",), stake="10", change=("settings.cap=none",))
    assert free.data[-1]["house_advantage"] < free.data[0]["house_advantage"]


@pytest.mark.slow
def test_stakes_together_on_one_spot() -> None:
    given = ask(rules=("ten-dollar-house",), together="ante=10, pair_plus=$5,six_card_bonus=5.00")
    assert given.data[0]["stakes_cents"] == {"ante": 1000, "pair_plus": 500, "six_card_bonus": 500}
    assert sum(row["ways"] for row in given.data[0]["distribution"]) == 407_170_400


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ({"wagers": ("play",)}, "ante includes play"),
        ({"wagers": ("roulette",)}, "no wager with odds"),
        ({"rules": ("nevada",)}, "no rule set of that name"),
        ({"rules": ("missing.toml",)}, "there is no such file"),
        ({"paytable": "Z"}, "no paytable Z"),
        ({"rules": ("ten-dollar-house",), "wagers": ("progressive",)}, "none of ten-dollar-house has progressive"),
        ({"stake": "ten"}, "not an amount of dollars"),
        ({"stake": "-5"}, "not an amount of dollars"),
        ({"stake": "0"}, r"more than \$0"),
        ({"strategy": "sometimes"}, "no strategy"),
        ({"change": ("pair_plus.flush=free",), "rules": ("south-dakota",)}, "none of"),
        ({"change": ("nonsense.key=1",), "rules": ("south-dakota",)}, "unknown key"),
        ({"strategies": True, "wagers": ("pair_plus",)}, "strategies decide the ante"),
        ({"together": "ante=10"}, "needs one rule set"),
        ({"together": "ante", "rules": ("ten-dollar-house",)}, "is no stake"),
        ({"together": "ante=5,ante=5", "rules": ("ten-dollar-house",)}, "two stakes"),
        ({"together": "progressive=1", "rules": ("ten-dollar-house",)}, "none of ten-dollar-house has progressive"),
    ],
)
def test_what_cannot_be_answered_says_why(question: dict[str, object], problem: str) -> None:
    with pytest.raises(RoundEngineError, match=problem):
        ask(**question)


@pytest.mark.parametrize(("text", "cents"), [("10", 1000), ("$10", 1000), ("0.50", 50), ("1,000", 100_000)])
def test_money(text: str, cents: int) -> None:
    assert money(text, "stake") == cents


def test_fractions_of_a_cent_are_refused() -> None:
    with pytest.raises(MoneyError, match="stake"):
        money("0.005", "stake")


# --- what-ifs are never ignored --------------------------------------------------------------------------------------


def test_a_change_reaches_the_strategies() -> None:
    given = ask(
        rules=("south-dakota",), strategies=True, change=("showdown.play.dealer_does_not_qualify.pays=nothing",)
    )
    before, after = (row for row in given.data if row["strategy"].startswith("optimal"))
    assert (before["variant"], after["variant"]) == ("before", "after")
    assert after["house_advantage"] > before["house_advantage"]
    assert [", after showdown" in table.title for table in given.tables] == [False, True]
    assert before["rules_fingerprint"] != after["rules_fingerprint"]


@pytest.mark.slow
def test_a_change_reaches_stakes_together_and_a_file_is_laid_under_the_line(tmp_path: Path) -> None:
    file = tmp_path / "what-if.toml"
    file.write_text('[settings]\nalive_after_fold = { pair_plus = false }\ncap = "$100"\n', encoding="utf-8")
    given = ask(
        rules=("ten-dollar-house",), together="ante=10,pair_plus=10", changes=file, change=("settings.cap=none",),
        strategy="never",
    )  # fmt: skip
    before, after = given.data
    assert before["capped_ways"] == after["capped_ways"] == 0
    assert after["house_advantage"] > before["house_advantage"]


def test_a_change_reaches_a_wager_at_another_denomination() -> None:
    given = ask(
        rules=("south-dakota",), wagers=("progressive",), paytable="1", stake="5",
        change=("progressive.straight=nothing",),
    )  # fmt: skip
    assert given.data[1]["house_advantage"] > given.data[0]["house_advantage"] + 0.1


@pytest.mark.slow
def test_the_optimal_strategy_is_optimal_for_the_wagers_asked_about() -> None:
    """Folding forfeits a 6 Card Bonus here, so hands are worth playing that an ante alone is not."""
    question = {
        "rules": ("south-dakota",), "together": "ante=1,six_card_bonus=100",
        "change": ("settings.alive_after_fold.six_card_bonus=false",),
    }  # fmt: skip
    best = ask(**question).data[1]
    assert best["strategy"].startswith("optimal for these wagers")
    for strategy in ("always", "Q-6-4", "never"):
        assert best["house_advantage"] <= ask(**question, strategy=strategy).data[1]["house_advantage"]
    assert best["house_advantage"] < ask(**question, strategy="Q-6-4").data[1]["house_advantage"] - 0.01


@pytest.mark.slow
def test_progressive_and_bad_beat_together_agree_with_each_alone() -> None:
    mixed = ask(rules=("south-dakota",), together="ante=1,progressive=1,bad_beat=1", others=6).data[0]
    alone = [
        one(rules=("south-dakota",), wagers=(wager,), paytable=paytable, stake="1").house_advantage
        for wager, paytable in (("ante", None), ("progressive", "1"), ("bad_beat", None))
    ]
    assert mixed["house_advantage"] == pytest.approx(float(sum(alone)) / 3, abs=1e-12)
    richer = ask(rules=("south-dakota",), together="ante=1,progressive=1", meter="20000", others=0).data[0]
    assert richer["meters_cents"] == {"progressive": 2_000_000}
    assert richer["house_advantage"] < 0


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        ({"printed": True, "change": ("pair_plus.flush=3",)}, "--set means nothing with --printed"),
        ({"printed": True, "strategies": True}, "different questions"),
        ({"together": "ante=5", "stake": "5"}, "--stake means nothing with --together"),
        ({"together": "ante=5", "wagers": ("ante",)}, "--wager means nothing with --together"),
        ({"together": "ante=5", "detail": True}, "--detail means nothing with --together"),
        ({"strategies": True, "meter": "5"}, "--meter means nothing with --strategies"),
        ({"strategies": True, "others": 3}, "--others means nothing with --strategies"),
        ({"together": "ante=5", "rules": ("south-dakota",), "meter": "5"}, "the stakes have none"),
        ({"together": "progressive=2", "rules": ("south-dakota",)}, r"every progressive wager on this meter is \$1"),
    ],
)
def test_what_cannot_be_combined_is_refused(question: dict[str, object], problem: str) -> None:
    with pytest.raises(RoundEngineError, match=problem):
        ask(**question)
