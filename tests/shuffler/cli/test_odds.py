"""The command line of `shuffler odds`."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from shuffler.cli import app

runner = CliRunner()


def test_json_is_a_list_of_objects() -> None:
    result = runner.invoke(app, ["odds", "--rules", "ten-dollar-house", "--json"])
    assert result.exit_code == 0
    rows = json.loads(result.stdout)
    assert [(row["wager"], row["paytable"]) for row in rows] == [
        ("ante", "C"), ("pair_plus", "D"), ("six_card_bonus", "TCP-6B2"),
    ]  # fmt: skip
    assert rows[1]["house_advantage_fraction"] == "402/5525"


def test_a_table_is_the_default() -> None:
    result = runner.invoke(app, ["odds", "--rules", "south-dakota"])
    assert result.exit_code == 0
    assert "3.37298 %" in result.stdout


def test_markdown() -> None:
    result = runner.invoke(app, ["odds", "--printed", "--markdown"])
    assert result.exit_code == 0
    assert result.stdout.startswith("## Printed figures and exact ones\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--rules", "nevada"],
        ["--wager", "roulette"],
        ["--stake", "-1"],
        ["--set", "pair_plus.flush"],
        ["--changes", "missing.toml"],
    ],
)
def test_a_question_without_an_answer_ends_with_one_line_and_code_2(arguments: list[str]) -> None:
    result = runner.invoke(app, ["odds", *arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.startswith("shuffler odds: ")


def test_what_was_left_out_goes_to_standard_error() -> None:
    result = runner.invoke(app, ["odds", "--stake", "3", "--json"])
    assert result.exit_code == 0
    assert "left out: " in result.stderr
    json.loads(result.stdout)


def test_help_imports_no_numpy() -> None:
    program = "import sys, shuffler.cli; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
