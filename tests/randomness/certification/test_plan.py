"""Plans: the four that come with the product, and everything a plan file can get wrong."""

from importlib import resources
from pathlib import Path

import pytest

from randomness.certification import PLANS, PlanError, load_plan, parse_plan, strongest
from randomness.decks import DECK_TESTS
from randomness.draws import TESTS


def text_of(name: str) -> str:
    return resources.files("randomness.certification").joinpath(f"plans/{name}.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PLANS)
def test_every_plan_of_the_product_loads(name: str) -> None:
    plan = load_plan(name)
    assert plan.name == name
    assert plan.first_level == 0.009 < plan.level == 0.01


@pytest.mark.parametrize("name", ["standard", "full"])
def test_the_large_plans_leave_no_test_out(name: str) -> None:
    plan = load_plan(name)
    assert set(plan.deck_tests) == set(DECK_TESTS)
    assert set(plan.draw_tests) == {test.name for test in TESTS}


def test_the_digest_changes_with_any_value() -> None:
    text = text_of("quick")
    assert parse_plan(text, "a").digest() == parse_plan(text + "\n# a comment\n", "b").digest()
    assert parse_plan(text, "a").digest() != parse_plan(text.replace("= 0.01 ", "= 0.02 "), "b").digest()


BAD = {
    "an unknown key": ("name ", "colour = 1\nname ", "unknown key 'colour'"),
    "an unknown key in a table": ("[sample]", "[sample]\nsize = 3", r"unknown key 'size' in \[sample\]"),
    "a missing key": ('family   = "holm"', "", "'decision.family' is missing"),
    "a value of another type": ("decks           = 30_000", "decks = 'many'", "'sample.decks' is not 'many'"),
    "an unknown test": ("deck_tests = [", 'deck_tests = ["astrology",', "no test 'astrology' for deck_tests"),
    "a test named twice": ("deck_tests = [", 'deck_tests = ["each-card", "each-card",', "names 'each-card' twice"),
    "a name that is no text": ("deck_tests = [", "deck_tests = [1,", 'deck_tests is "all" or a list of names'),
    "another family rule": ('"holm"', '"hope"', "the only rule there is"),
    "a start order that is none": ('"previous"]', '"sideways"]', "sample.starts are of"),
    "a first look that takes the whole level": ("first = 0.009", "first = 0.01", "retest.first is above 0 and below"),
    "misreads that are no share": ("starts  ", "most_misread = 1.5\nstarts  ", "sample.most_misread is from 0"),
    "two re-tests": ("times = 1", "times = 2", "a search for a pass"),
    "a level that is none": ("level    = 0.01", "level = 0.0", "decision.level"),
    "an unknown key of the bits": ("[bits]", "[bits]\ncolour = 1", r"unknown key 'colour' in \[bits\]"),
    "sequences that are no number": ("sequences = 2", "sequences = 'two'", "'bits.sequences' is not 'two'"),
    "bits too short to test": ("length    = 1_000_000", "length = 10", "bits.length is from 1,000"),
    "a control that is no defect": ("[controls]", "[controls]\nmagic = 5", "control 'magic': no mechanism 'magic'"),
    "a control of no size": ("[controls]", "[controls]\nideal = 0", "the size of control 'ideal'"),
    "a least sample that is none": ("least_decks     = 10_000", "least_decks = 0", "sample.least_decks is at least 1"),
    "no TOML": ("[sample]", "[sample", "plan x: "),
}


def test_a_plan_without_bits_and_controls_has_none() -> None:
    text = resources.files("randomness.certification").joinpath("plans/quick.toml").read_text(encoding="utf-8")
    before, _, _ = text.partition("[bits]")
    plan = parse_plan(before, "x")
    assert (plan.bit_sequences, plan.controls) == (0, ())


@pytest.mark.parametrize("what", BAD)
def test_a_bad_plan_is_refused_by_name(what: str) -> None:
    old, new, message = BAD[what]
    text = text_of("quick")
    assert old in text
    with pytest.raises(PlanError, match=message):
        parse_plan(text.replace(old, new, 1), "x")


def test_a_plan_file_does_not_borrow_the_name_of_another_plan(tmp_path: Path) -> None:
    copy = tmp_path / "mine.toml"
    copy.write_text(text_of("quick") + "\n# the same in every value\n", encoding="utf-8")
    assert load_plan(str(copy)).digest() == load_plan("quick").digest()
    copy.write_text(text_of("quick").replace("level    = 0.01", "level    = 0.0095"), encoding="utf-8")
    with pytest.raises(PlanError, match="is called 'quick' and differs from the plan of that name"):
        load_plan(str(copy))
    copy.write_text(copy.read_text(encoding="utf-8").replace('"quick"', '"mine"'), encoding="utf-8")
    assert load_plan(str(copy)).level == 0.0095


def test_the_strongest_plan_that_a_files_size_allows() -> None:
    chosen = {decks: strongest(decks).plan.name for decks in (1, 9_999, 10_000, 5_000_000, 100_000_000)}
    assert list(chosen.values()) == ["quick", "quick", "standard", "standard", "full"]
    assert "below the least sample" in strongest(300).why
    assert strongest(None).plan.name == "standard"


def test_every_plan_names_its_least_sample() -> None:
    assert {load_plan(name).least_decks for name in PLANS} == {10_000}
    assert parse_plan(text_of("quick").replace("least_decks     = 10_000", ""), "x").least_decks == 10_000


def test_a_plan_that_does_not_exist() -> None:
    with pytest.raises(PlanError, match="there are quick, standard, full, gli-style"):
        load_plan("nonesuch")
