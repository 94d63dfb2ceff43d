"""`shuffler theory`."""

import json

import pytest
from typer.testing import CliRunner

from shuffler.cli import app

runner = CliRunner()


def test_the_riffle_table_has_the_published_figures() -> None:
    told = runner.invoke(app, ["theory", "riffle", "--passes", "5-7"])
    assert told.exit_code == 0
    for figure in ("0.92373", "0.61355", "0.33406"):
        assert figure in told.stdout
    assert "4.538 right guesses" in told.stdout


@pytest.mark.slow
def test_nothing_is_cut_off_on_a_terminal_of_80_columns() -> None:
    told = runner.invoke(app, ["theory", "riffle", "--passes", "1-12"])
    assert "…" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) <= 80


def test_the_shelf_table_knows_that_two_passes_are_one_over_more_shelves() -> None:
    once = json.loads(runner.invoke(app, ["theory", "shelf", "--shelves", "200", "--json"]).stdout)
    twice = json.loads(runner.invoke(app, ["theory", "shelf", "--shelves", "10", "--passes", "2", "--json"]).stdout)
    assert once[0]["total_variation_exact"] == twice[0]["total_variation_exact"]
    assert once[0]["total_variation"] == pytest.approx(0.0102784321)


@pytest.mark.slow
def test_simulation_stands_beside() -> None:
    command = ["theory", "shelf", "--shelves", "50", "--simulate", "5000", "--json"]
    told = json.loads(runner.invoke(app, command).stdout)[0]
    assert abs(told["simulated"]["guesses"] - told["guesses"]) < 5 * told["simulated"]["guesses_error"]
    assert "5,000 decks from the kernel" in runner.invoke(app, command[:-1]).stdout
    assert "5,000 decks" in runner.invoke(app, ["theory", "riffle", "--passes", "9", "--simulate", "5000"]).stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["riffle", "--passes", "0"],
        ["riffle", "--passes", "many"],
        ["riffle", "--cards", "1"],
        ["riffle", "--passes", "10", "--level", "2"],
        ["riffle", "--passes", "12", "--cards", "104", "--simulate", "10"],
        ["shelf", "--shelves", "0"],
        ["shelf", "--shelves", "1000", "--passes", "20"],
    ],
)
def test_bad_input_is_refused_in_a_line(arguments: list[str]) -> None:
    told = runner.invoke(app, ["theory", *arguments])
    assert told.exit_code == 2
    assert told.exception is None or isinstance(told.exception, SystemExit)
    assert "Traceback" not in told.output
