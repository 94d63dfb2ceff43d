"""Shipped rule files say what the documents say; the user's own are found, laid over them, or refused."""

import pickle
from pathlib import Path

import pytest

from round_engine.errors import RuleFileError
from round_engine.rulebook import RULE_SETS, SIDE_WAGERS, RuleSet, Wager, load


def pays(rules: RuleSet, wager: Wager, table: str) -> list[str]:
    return [str(row) for row in rules.paytables[wager][table].rows]


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_shipped_rule_set_loads_with_and_without_the_side_wager(name: str) -> None:
    assert load(name).id == name
    assert Wager.BAD_BEAT in load(name, sides=SIDE_WAGERS).progressives


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_rule_set_survives_pickling(name: str) -> None:
    rules = load(name, sides=SIDE_WAGERS)
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(RuleFileError, match="there are south-dakota, "):
        load("north-dakota")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match=r"mine\.toml: cannot be read"):
        load(tmp_path / "mine.toml")


def test_changes_choose_a_designator() -> None:
    rules = load("light-and-wonder", changes={"house": {"designator": "TCP-05"}})
    assert (rules.paytable(Wager.ANTE_BONUS).id, rules.paytable(Wager.PAIR_PLUS).id) == ("C", "A")


def test_a_file_of_the_users_own_says_only_what_differs(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "south-dakota"\nid = "mine"\n[house.paytables]\npair_plus = "D"\n')
    assert pays(load(mine), Wager.PAIR_PLUS, load(mine).paytable(Wager.PAIR_PLUS).id) == [
        "40 to 1", "30 to 1", "6 to 1", "3 to 1", "1 to 1",
    ]  # fmt: skip


def test_an_unknown_key_names_the_file_and_the_line(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "south-dakota"\n\n[settings]\ntip_poosh = "dealer"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml:4: settings has an unknown key 'tip_poosh'"):
        load(mine)
