"""`--set` in short, as a rule file would say it."""

import pytest

from round_engine.errors import RuleError
from round_engine.odds import parse_changes
from round_engine.rules import rulebook
from round_engine.rules.ruleset import RuleSet

BAD_BEAT = ("paytables", "bad_beat", "TCP-BBP01")


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS)


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("pair_plus.D.flush=4", ["paytables", "pair_plus", "D", "flush", "pays"], "4 to 1"),
        ("pair_plus.D.flush=7 to 2", ["paytables", "pair_plus", "D", "flush", "pays"], "7 to 2"),
        ("pair_plus.D.pair=0", ["paytables", "pair_plus", "D", "pair", "pays"], "nothing"),
        ("ante_bonus.A.straight=2", ["paytables", "ante_bonus", "A", "straight", "pays"], "2 to 1"),
        ("ante.A.straight=2", ["paytables", "ante_bonus", "A", "straight", "pays"], "2 to 1"),
        ("progressive.2.straight=3", ["paytables", "progressive", "2", "straight", "pays"], "3 for 1"),
        ("progressive.1.contribution=15%", ["paytables", "progressive", "1", "contribution"], "15%"),
        ("progressive.1.akq_spades.envy=$200", ["paytables", "progressive", "1", "akq_spades", "envy"], "$200"),
        ("bad_beat.straight_flush=30", [*BAD_BEAT, "straight_flush", "pays"], "30% of meter"),
        ("bad_beat.pair=5", [*BAD_BEAT, "pair", "pays"], "$5"),
        ("bad_beat.top_straight_flush.from=9", [*BAD_BEAT, "top_straight_flush", "from"], "9"),
        ("progressive.denomination=$5", ["progressive", "denomination"], "$5"),
        ("settings.cap=$500", ["settings", "cap"], "$500"),
        ("settings.alive_after_fold.ante_bonus=true", ["settings", "alive_after_fold", "ante_bonus"], True),
        ("house.seats=6", ["house", "seats"], 6),
    ],
)
def test_a_change(rules: RuleSet, text: str, path: list[str], value: object) -> None:
    inner: object = parse_changes([text], rules)
    for key in path:
        assert isinstance(inner, dict)
        inner = inner[key]
    assert inner == value
    rulebook.load("light-and-wonder", sides=rulebook.SIDE_WAGERS, changes=parse_changes([text], rules))


def test_without_a_table_every_table_of_the_wager_changes(rules: RuleSet) -> None:
    changes = parse_changes(["pair_plus.flush=3"], rules)
    assert set(changes["paytables"]["pair_plus"]) == {"A", "B", "C", "D"}


def test_several_changes_are_merged(rules: RuleSet) -> None:
    changes = parse_changes(["pair_plus.A.flush=3", "pair_plus.A.straight=5"], rules)
    assert changes["paytables"]["pair_plus"]["A"] == {"flush": {"pays": "3 to 1"}, "straight": {"pays": "5 to 1"}}


@pytest.mark.parametrize("text", ["", "pair_plus.flush", "=3", "pair_plus.flush=", "pair_plus..flush=3"])
def test_what_is_no_change_is_refused(rules: RuleSet, text: str) -> None:
    with pytest.raises(RuleError, match="is no change"):
        parse_changes([text], rules)


@pytest.mark.parametrize("text", ["pair_plus.full_house=3", "pair_plus.A=3", "pair_plus.Z.flush=3"])
def test_an_unknown_row_is_refused(rules: RuleSet, text: str) -> None:
    with pytest.raises(RuleError, match=r"has no row .*it has .*flush"):
        parse_changes([text], rules)


def test_something_else_after_a_row_is_refused(rules: RuleSet) -> None:
    with pytest.raises(RuleError, match="after a row come envy and from"):
        parse_changes(["pair_plus.flush.colour=3"], rules)


def test_changes_that_contradict_each_other_are_refused(rules: RuleSet) -> None:
    with pytest.raises(RuleError, match="contradict"):
        parse_changes(["a=1", "a.b=2"], rules)
