"""Rule files that are wrong are refused, with the file and the line."""

from pathlib import Path
from typing import Any

import pytest

from round_engine.errors import RuleFileError
from round_engine.hands import rank3
from round_engine.rules.rulebook import RULE_SETS, load
from round_engine.rules.ruleset import Hand, Pay
from tests.round_engine.support import hand

SHIPPED = Path(__file__).parents[3] / "round_engine" / "rules"


def refusal(tmp_path: Path, old: str, new: str, source: str = "south-dakota") -> str:
    """What is said about a shipped file with one text replaced."""
    text = (SHIPPED / f"{source}.toml").read_text(encoding="utf-8")
    assert old in text
    mine = tmp_path / "mine.toml"
    mine.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RuleFileError) as caught:
        load(mine)
    assert caught.value.source == str(mine)
    assert caught.value.line is not None
    line = mine.read_text(encoding="utf-8").splitlines()[caught.value.line - 1]
    return f"{line} -> {caught.value.problem}"


# (text to replace, replacement, what the line named holds, what the message says)
WRONG: dict[str, tuple[str, str, str, str]] = {
    "unknown_key_at_the_top": (
        'id = "south',
        'colour = "red"\nid = "south',
        "colour",
        "the file has an unknown key 'colour'",
    ),
    "unknown_setting": ("tips = true", "tipps = true\ntips = true", "tipps", "settings has an unknown key 'tipps'"),
    "unknown_row": ("pair = {", 'two_pair = { pays = "1 to 1", clause = "x" }\npair = {', "two_pair", "unknown key"),
    "unknown_key_in_a_row": (
        'pays = "30 to 1" ',
        'pays = "30 to 1", bonus = 3 ',
        "three_of_a_kind",
        "unknown key 'bonus'",
    ),
    "unknown_wager": (
        "[paytables.pair_plus.A]",
        "[paytables.pears.A]\n[paytables.pair_plus.A]",
        "pears",
        "unknown key 'pears'",
    ),
    "missing_row": (
        'flush = { pays = "4 to 1" }\n',
        "",
        "[paytables.pair_plus.A]",
        "lacks the row flush",
    ),
    "missing_setting": ("tips = true # 000 (3)\n", "", "[settings]", "settings lacks 'tips'"),
    "missing_clause_of_a_paytable": (
        '[paytables.ante_bonus.A]\nclause = "000 (13)"\n',
        "[paytables.ante_bonus.A]\n",
        "[paytables.ante_bonus.A]",
        "lacks 'clause'",
    ),
    "missing_showdown_row": ('tie = { pays = "push", clause = "000 (11)" }\n', "", "[showdown.ante]", "lacks 'tie'"),
    "system_that_is_no_table": (
        "[progressive.systems.table] # the",
        "[progressive.systems] # the",
        "keypad",
        "must be a table",
    ),
    "lower_hand_pays_more": (
        'pays = "30 to 1"',
        'pays = "41 to 1"',
        "three_of_a_kind",
        "pays 41 to 1, more than straight_flush with 40 to 1",
    ),
    "lower_hand_pays_and_higher_nothing": (
        'pays = "40 to 1"',
        'pays = "nothing"',
        "three_of_a_kind",
        "but the higher straight_flush nothing",
    ),
    "a_lower_hand_pays_more_than_the_whole_meter": (
        'akq_suited = { pays = "500 for 1"',
        'akq_suited = { pays = "2,000 for 1"',
        "akq_suited",
        "more than akq_spades with 100% of meter of a meter at its seed of $1,000",
    ),
    "progressive_to_one": ('pays = "500 for 1"', 'pays = "500 to 1"', "akq_suited", 'is not returned; write "for 1"'),
    "meter_without_a_meter": (
        'pays = "1,000 to 1"',
        'pays = "100% of meter"',
        "royal_flush",
        "has no meter to pay from",
    ),
    "envy_without_a_meter": (
        'pays = "1,000 to 1"',
        'pays = "1,000 to 1", envy = "$5"',
        "royal_flush",
        "pays no envy bonus",
    ),
    "paytable_row_that_pushes": ('pays = "40 to 1"', 'pays = "push"', "straight_flush", "it cannot push"),
    "ante_bonus_for_one": ('pays = "5 to 1"', 'pays = "5 for 1"', "straight_flush", 'is paid "to 1" on the ante'),
    "showdown_from_a_meter": (
        'pays = "1 to 1", clause = "000 (7)"',
        'pays = "$5", clause = "000 (7)"',
        "dealer_does_not",
        "must pay",
    ),
    "odds_nobody_knows": ('pays = "40 to 1"', 'pays = "forty to one"', "straight_flush", "is none of"),
    "odds_by_zero": ('pays = "40 to 1"', 'pays = "40 to 0"', "straight_flush", "divides by zero"),
    "more_than_the_meter": ('pays = "100% of meter"', 'pays = "101% of meter"', "akq_spades", "from 1% to 100%"),
    "chosen_table_that_is_not_offered": ('pair_plus = "A"', 'pair_plus = "Z"', "pair_plus", "must be one of A, D"),
    "chosen_wager_without_a_table": (
        'progressive = "1"',
        'progressive = "1"\nbad_beat = "x"',
        "bad_beat",
        "there is no table",
    ),
    "no_ante_bonus_chosen": ('ante_bonus = "A"\n', "", "[house.paytables]", "lacks 'ante_bonus'"),
    "system_that_is_not_there": (
        'progressive = "table"',
        'progressive = "nexus"',
        "progressive",
        "must be one of table",
    ),
    "setting_of_the_wrong_kind": ("tips = true", 'tips = "yes"', "tips", "must be true or false"),
    "setting_outside_its_values": (
        'forced_fold = "pair-plus-only"',
        'forced_fold = "never"',
        "forced_fold",
        "must be one of",
    ),
    "order_that_names_one_twice": (
        '"play", "ante_bonus", "ante"',
        '"play", "play", "ante"',
        "settlement_order",
        "each once",
    ),
    "minimum_above_the_maximum": (
        'ante = { minimum = "posted", maximum = "posted"',
        'ante = { minimum = "$10", maximum = "$5"',
        "ante",
        "the minimum is above the maximum",
    ),
    "maximum_of_nothing": (
        'ante = { minimum = "posted", maximum = "posted"',
        'ante = { minimum = "posted", maximum = "$0"',
        "ante",
        "allows no wager",
    ),
    "money_without_a_dollar_sign": ('seed = "$1,000"', 'seed = "1000"', "seed", "is not an amount of dollars"),
    "money_as_a_number": ('seed = "$1,000"', "seed = 1000", "seed", "must be dollars in quotes"),
    "fractional_cents": ('seed = "$1,000"', 'seed = "$1,000.005"', "seed", "is not an amount of dollars"),
    "no_denomination": ('denomination = "$1"', 'denomination = "$0"', "denomination", "is no wager"),
    "percentage_nobody_knows": ('contribution = "14%"', 'contribution = "14"', "contribution", "must be a percentage"),
    "contribution_and_reserve_above_the_wager": (
        'reserve = "0%"',
        'reserve = "99%"',
        "[paytables.progressive.1]",
        "exceed the wager",
    ),
    "too_many_seats": ("seats = 7", "seats = 17", "seats", "from 1 to 16"),
    "more_spots_than_the_rules_allow": (
        "spots_per_player = 2 #",
        "spots_per_player = 3 #",
        "spots_per_player",
        "from 1 to 2",
    ),
    "dealing_that_is_not_offered": (
        'offers = ["groups", "rotation"]',
        'offers = ["rotation"]',
        'dealing = "groups"',
        "must be one of rotation",
    ),
    "dealing_nobody_knows": (
        'offers = ["groups", "rotation"]',
        'offers = ["thrown"]',
        "thrown",
        "lists some of groups, rotation",
    ),
    "qualifier_nobody_knows": (
        'with = "queen high"',
        'with = "four high"',
        "dealer_qualifies",
        "the dealer qualifies with",
    ),
    "cap_of_nothing": ('cap = "none"', 'cap = "$0"', "cap", "would pay nothing"),
    "format_of_the_future": ("format = 1", "format = 2", "format", "this version reads format 1"),
    "wrong_kind": ('kind = "rule-set"', 'kind = "side-wager"', "kind", 'kind must be "rule-set"'),
    "value_where_a_table_belongs": (
        'tie = { pays = "push", clause = "000 (11)" }',
        'tie = "push"',
        "tie",
        "must be a table",
    ),
    "not_toml_at_all": ("[settings]", "[settings", "[settings", "not valid TOML"),
}


@pytest.mark.parametrize("case", WRONG)
def test_refused_with_file_and_line(case: str, tmp_path: Path) -> None:
    old, new, line_holds, says = WRONG[case]
    line, _, problem = refusal(tmp_path, old, new).partition(" -> ")
    assert line_holds in line
    assert says in problem


def test_ceiling_below_a_fixed_limit_is_refused() -> None:
    with pytest.raises(RuleFileError, match="the ante limits exceed the ceiling"):
        load("ten-dollar-house", changes={"house": {"limit_ceiling": "$9"}})


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({"ante": {"maximum": "$11"}}, "the rules fix a maximum of \\$10"),
        ({"six_card_bonus": {"minimum": "$4"}}, "the rules fix a minimum of \\$5"),
        ({"ante": {"minimum": "$11"}}, "the minimum is above the maximum"),
        ({"play": {"minimum": "$1"}}, "unknown key 'play'"),
    ],
)
def test_posted_limits_stay_inside_the_fixed_ones(limits: dict[str, Any], says: str) -> None:
    with pytest.raises(RuleFileError, match=says):
        load("ten-dollar-house", changes={"house": {"limits": limits}})


def test_a_refused_change_names_where_it_came_from() -> None:
    with pytest.raises(RuleFileError, match=r"^changed settings: settings\.tips must be true or false"):
        load("south-dakota", changes={"settings": {"tips": 1}})


def test_a_shared_key_of_two_systems_is_refused_on_its_own_line(tmp_path: Path) -> None:
    told = refusal(tmp_path, 'envy_source = "tray"', 'envy_source = "bank"', "light-and-wonder")
    assert told.startswith('envy_source = "bank"')
    told = refusal(tmp_path, 'folded_hands = "disqualified"', 'folded_hands = "dead"', "light-and-wonder")
    assert told.startswith('folded_hands = "dead"')


def test_a_designator_must_name_tables_that_are_there(tmp_path: Path) -> None:
    told = refusal(tmp_path, 'TCP-09 = { ante_bonus = "C"', 'TCP-09 = { ante_bonus = "X"', "light-and-wonder")
    assert told.startswith("TCP-09")


@pytest.mark.parametrize(
    ("words", "lowest"),
    [
        ("queen high", "Qh 3d 2c"),
        ("king high", "Kh 3d 2c"),
        ("ace high", "Ah 4d 2c"),
        ("pair", "2c 2d 3h"),
        ("any hand", "5h 3d 2c"),
    ],
)
def test_the_lowest_hand_that_qualifies(words: str, lowest: str) -> None:
    rules = load("south-dakota", changes={"game": {"dealer_qualifies": {"with": words}}})
    assert rank3(*rules.least_qualifying_hand) == rank3(*hand(lowest))


def test_optional_rows_may_be_added() -> None:
    row = {"pays": "50 to 1", "clause": "house"}
    rules = load("south-dakota", changes={"paytables": {"pair_plus": {"A": {"akq_suited": row}}}})
    top = rules.paytable("pair_plus").rows[0]
    assert (top.hand, top.pay, top.value, top.clause) == (Hand.AKQ_SUITED, Pay.TO_ONE, 50, "house")


@pytest.mark.parametrize("name", RULE_SETS)
def test_every_row_of_a_shipped_file_names_a_clause_of_its_document(name: str) -> None:
    rules = load(name)
    rows = [row for tables in rules.paytables.values() for table in tables.values() for row in table.rows]
    rows += [row for by_result in rules.showdown.values() for row in by_result.values()]
    assert rows
    assert {row.clause[:3] for row in rows} == {rules.document}
    assert all(text.startswith(rules.document) for key, text in rules.clauses.items() if key != "cap")
