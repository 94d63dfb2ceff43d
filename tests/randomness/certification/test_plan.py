"""Plans: the four that come with the product, and everything a plan file can get wrong."""

from importlib import resources

import pytest

from randomness.certification import PLANS, PlanError, load_plan, parse_plan
from randomness.decks import DECK_TESTS
from randomness.draws import TESTS


def text_of(name: str) -> str:
    return resources.files("randomness.certification").joinpath(f"plans/{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_of_the_product_loads_and_names_a_clause_for_each_test(name: str) -> None:
    plan = load_plan(name)
    assert plan.name == name
    assert all(test.clause for test in (*plan.deck_tests, *plan.draw_tests))


@pytest.mark.parametrize("name", ["standard", "full"])
def test_the_large_plans_leave_no_test_out(name: str) -> None:
    plan = load_plan(name)
    assert {test.name for test in plan.deck_tests} == set(DECK_TESTS)
    assert {test.name for test in plan.draw_tests} == {test.name for test in TESTS}


def test_the_digest_changes_with_any_value() -> None:
    text = text_of("quick")
    assert parse_plan(text, "a").digest() == parse_plan(text + "\n# a comment\n", "b").digest()
    assert parse_plan(text, "a").digest() != parse_plan(text.replace("= 0.01 ", "= 0.02 "), "b").digest()


BAD = {
    "an unknown key": ("name ", "colour = 1\nname ", "unknown key 'colour'"),
    "an unknown key in a table": ("[sample]", "[sample]\nsize = 3", r"unknown key 'size' in \[sample\]"),
    "a missing key": ('family   = "holm"', "", "'decision.family' is missing"),
    "a value of another type": ("decks           = 30_000", "decks = 'many'", "'sample.decks' is not 'many'"),
    "an unknown test": ("[deck_tests]", '[deck_tests]\nastrology = "none"', "no test 'astrology'"),
    "a clause that is no text": ("[deck_tests]", "[deck_tests]\npeaks = 1", "no test 'peaks'"),
    "another family rule": ('"holm"', '"hope"', "the only rule there is"),
    "a start order that is none": ('"previous"]', '"sideways"]', "sample.starts are of"),
    "two re-tests": ("times = 1", "times = 2", "a search for a pass"),
    "a level that is none": ("level    = 0.01", "level = 0.0", "decision.level"),
    "an unknown key of the bits": ("[bits]", "[bits]\ncolour = 1", r"unknown key 'colour' in \[bits\]"),
    "sequences that are no number": ("sequences = 2", "sequences = 'two'", "'bits.sequences' is not 'two'"),
    "bits too short to test": ("length    = 1_000_000", "length = 10", "bits.length is from 1,000"),
    "a control that is no defect": ("[controls]", "[controls]\nmagic = 5", "control 'magic': no mechanism 'magic'"),
    "a control of no size": ("[controls]", "[controls]\nideal = 0", "the size of control 'ideal'"),
    "no TOML": ("[sample]", "[sample", "plan x: "),
}


def test_a_plan_without_bits_and_controls_has_none() -> None:
    text = resources.files("randomness.certification").joinpath("plans/quick.toml").read_text(encoding="utf-8")
    before, _, after = text.partition("[bits]")
    plan = parse_plan(before + "[deck_tests]" + after.partition("[deck_tests]")[2], "x")
    assert (plan.bit_sequences, plan.controls) == (0, ())


@pytest.mark.parametrize("what", BAD)
def test_a_bad_plan_is_refused_by_name(what: str) -> None:
    old, new, message = BAD[what]
    text = text_of("quick")
    assert old in text
    with pytest.raises(PlanError, match=message):
        parse_plan(text.replace(old, new, 1), "x")


def test_a_plan_that_does_not_exist() -> None:
    with pytest.raises(PlanError, match="there are quick, standard, full, gli-style"):
        load_plan("nonesuch")
