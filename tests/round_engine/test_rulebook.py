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


def test_a_file_may_extend_a_file_that_extends_one(tmp_path: Path) -> None:
    (tmp_path / "state.toml").write_text('extends = "south-dakota"\nid = "state"\n[settings]\ntips = false\n')
    (tmp_path / "house.toml").write_text('extends = "state.toml"\nid = "house"\n[settings]\ncap = "$500"\n')
    rules = load(tmp_path / "house.toml")
    assert (rules.id, rules.settings.tips, rules.settings.cap) == ("house", False, 50_000)


def test_files_that_extend_one_another_for_ever_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('extends = "b.toml"\n')
    (tmp_path / "b.toml").write_text('extends = "a.toml"\n')
    with pytest.raises(RuleFileError, match="more than 8 files extend one another"):
        load(tmp_path / "a.toml")


def test_extends_must_be_a_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("extends = 5\n")
    with pytest.raises(RuleFileError, match=r"a\.toml:1: extends must name a rule set or a file"):
        load(tmp_path / "a.toml")


def test_a_side_wager_is_no_rule_set_and_the_other_way_round() -> None:
    with pytest.raises(RuleFileError, match='kind must be "rule-set" here'):
        load("bad-beat")
    with pytest.raises(RuleFileError, match='kind must be "side-wager" here'):
        load("south-dakota", sides=["light-and-wonder"])


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(RuleFileError, match="cannot be read"):
        load(tmp_path / "mine.toml")


def test_an_inherited_key_is_refused_in_the_file_it_stands_in(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "ten-dollar-house"\n[house]\nlimit_ceiling = "$5"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml:3: the ante limits exceed the ceiling"):
        load(mine)
