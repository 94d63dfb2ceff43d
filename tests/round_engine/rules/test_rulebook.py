"""Shipped rule files say what the documents say; the user's own are found, laid over them, or refused."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest

from round_engine.errors import RuleFileError
from round_engine.rules.fingerprint import plain
from round_engine.rules.rulebook import RULE_SETS, SIDE_WAGERS, RuleSet, WagerName, load


def pays(rules: RuleSet, wager: WagerName, table: str) -> list[str]:
    return [str(row) for row in rules.paytables[wager][table].rows]


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_shipped_rule_set_loads_with_and_without_the_side_wager(name: str) -> None:
    assert load(name).id == name
    assert "bad_beat" in load(name, sides=SIDE_WAGERS).progressives


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_rule_set_survives_pickling(name: str) -> None:
    rules = load(name, sides=SIDE_WAGERS)
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(RuleFileError, match="there are light-and-wonder, "):
        load("north-dakota")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RuleFileError, match=r"mine\.toml: there is no such file"):
        load(tmp_path / "mine.toml")


def test_changes_choose_a_designator() -> None:
    rules = load("light-and-wonder", changes={"house": {"designator": "TCP-05"}})
    assert (rules.paytable("ante_bonus").id, rules.paytable("pair_plus").id) == ("C", "A")


def test_a_file_of_the_users_own_says_only_what_differs(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "south-dakota"\nid = "mine"\n[house.paytables]\npair_plus = "D"\n')
    assert pays(load(mine), "pair_plus", load(mine).paytable("pair_plus").id) == [
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
    with pytest.raises(RuleFileError, match="can't be read"):
        load(tmp_path / "mine.toml")


def test_an_inherited_key_is_refused_in_the_file_it_stands_in(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "ten-dollar-house"\n[house]\nlimit_ceiling = "$5"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml:3: the ante limits exceed the ceiling"):
        load(mine)


# --- provenance ------------------------------------------------------------------------------------------------------


def test_a_file_that_extends_another_has_an_id_of_its_own(tmp_path: Path) -> None:
    mine = tmp_path / "my-house.toml"
    mine.write_text('extends = "south-dakota"\n[settings]\ntips = false\n')
    rules = load(mine)
    assert (rules.id, rules.document) == ("my-house", "000")
    assert rules.title == "my-house, from: South Dakota 20:18:16:15.02, current text"
    for text in ('extends = "south-dakota"\nid = "south-dakota"\n', 'extends = "my-house.toml"\nid = "my-house"\n'):
        (tmp_path / "again.toml").write_text(text)
        with pytest.raises(RuleFileError, match=r"again\.toml:2: a file that extends another needs an id of its own"):
            load(tmp_path / "again.toml")


def test_what_a_file_changes_is_cited_as_changed_by_it(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(
        'extends = "south-dakota"\n'
        '[paytables.pair_plus.A]\nflush = { pays = "3 to 1" }\npair = { pays = "2 to 1", clause = "house rule 7" }\n'
        "[settings]\nalive_after_fold = { pair_plus = true }\n"
        '[progressive]\nseed = "$2,000"\n'
    )
    rules = load(mine)
    rows = {row.hand: row.clause for row in rules.paytables["pair_plus"]["A"].rows}
    assert rows["flush"] == "000 (14) paytable 1, changed by mine"
    assert (rows["pair"], rows["straight"]) == ("house rule 7", "000 (14) paytable 1")
    assert rules.clauses["forfeited"] == "000 (8), changed by mine"
    assert rules.progressives["progressive"].clauses["reseeded"] == "000 (16)(a)(v), changed by mine"
    changed = load("south-dakota", changes={"paytables": {"progressive": {"1": {"contribution": "15%"}}}})
    assert changed.progressives["progressive"].clauses["contributed"] == "000 (16)(a)(i), changed"
    same = load("south-dakota", changes={"house": {"seats": 5}, "progressive": {"seed": "$1,000"}})
    assert same.progressives == load("south-dakota").progressives


def test_the_fingerprint_is_of_everything_that_is_played() -> None:
    every = {load(name).fingerprint for name in RULE_SETS}
    assert len(every) == len(RULE_SETS)
    rules = load("south-dakota")
    assert rules.fingerprint == load("south-dakota").fingerprint
    assert rules.short_fingerprint == rules.fingerprint[:12]
    others = [
        load("south-dakota", changes={"house": {"seats": 6}}),
        load("south-dakota", changes={"paytables": {"pair_plus": {"D": {"flush": {"pays": "2 to 1"}}}}}),
        load("south-dakota", changes={"settings": {"tip_push": "dealer"}}),
        load("south-dakota", sides=["bad-beat"]),
        replace(rules, clauses={**rules.clauses, "misdeal": "another"}),
    ]
    assert len({rules.fingerprint, *(other.fingerprint for other in others)}) == 6


def test_the_fingerprint_counts_no_default_and_no_order() -> None:
    rules = load("ten-dollar-house")
    turned = replace(rules, clauses=dict(reversed(rules.clauses.items())))
    assert turned.fingerprint == rules.fingerprint
    assert "cap_counts_awards" not in json.dumps(plain(rules.settings))
    assert plain(replace(rules.settings, cap_counts_awards=True))["cap_counts_awards"] is True


# --- refusals name the right file ------------------------------------------------------------------------------------


def test_a_base_that_is_not_there_is_refused_in_the_file_that_names_it(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('\nextends = "nobody.toml"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml:2: extends 'nobody\.toml', and there is no such file"):
        load(mine)
    mine.write_text('\nextends = "north-dakota"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml:2: extends 'north-dakota'; there are light-and-wonder"):
        load(mine)


def test_a_missing_part_is_refused_in_the_rule_file_and_not_in_the_side_wagers(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text('format = 1\nkind = "rule-set"\nid = "x"\ntitle = "x"\ndocument = "x"\n')
    with pytest.raises(RuleFileError, match=r"mine\.toml: the file lacks 'game'"):
        load(mine, sides=["bad-beat"])


# --- limits that are posted ------------------------------------------------------------------------------------------


def test_every_table_has_posted_limits() -> None:
    for name in RULE_SETS:
        house = load(name, changes={"house": {"limit_ceiling": "$300"}}).house
        for wager in ("ante", "pair_plus", "six_card_bonus"):
            assert house.limits[wager].minimum is not None
            assert house.limits[wager].maximum is not None or house.limit_ceiling is not None
    assert load("south-dakota").house.limit_ceiling == 100_000
