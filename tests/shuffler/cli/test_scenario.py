"""`shuffler scenario`."""

import json
from pathlib import Path
from xml.etree import ElementTree as xml

from typer.testing import CliRunner

from shuffler.cli import app
from shuffler.kit.scenarios.scenario import names

runner = CliRunner()
BAD = 'about = "a light that is not red"\n[[step]]\nexpect = { panel = { red = true } }\n'


def test_the_list_names_the_library() -> None:
    told = runner.invoke(app, ["scenario", "list"])
    assert told.exit_code == 0
    assert [line.split()[0] for line in told.stdout.splitlines()] == names()
    assert len(json.loads(runner.invoke(app, ["scenario", "list", "--json"]).stdout)) == 12


def test_a_scenario_that_passes_and_one_that_fails(tmp_path: Path) -> None:
    bad, report = tmp_path / "bad.scenario.toml", tmp_path / "report.xml"
    bad.write_text(BAD, encoding="utf-8")
    told = runner.invoke(app, ["scenario", "run", "early-grab", str(bad), "--junit", str(report)])
    assert told.exit_code == 1
    assert told.stdout.startswith("passed  early-grab (7 steps, 41 s of virtual time)\nFAILED  ")
    assert "    step 1 (expect, line 2)\n      expected: panel red True\n" in told.stdout
    assert told.stdout.endswith("2 scenarios, 1 failed\n")
    assert xml.parse(report).getroot().get("failures") == "1"


def test_json_and_another_seed(tmp_path: Path) -> None:
    bad = tmp_path / "bad.scenario.toml"
    bad.write_text(BAD, encoding="utf-8")
    told = runner.invoke(app, ["scenario", "run", str(bad), "--seed", "9", "--json"])
    found = json.loads(told.stdout)
    assert (told.exit_code, found["passed"], found["seed"]) == (1, False, 9)
    assert found["failure"]["expected"] == "panel red True"
    assert found["repeat"].endswith("--seed 9")


def test_check_reads_and_plays_nothing(tmp_path: Path) -> None:
    told = runner.invoke(app, ["scenario", "check", "boxed-card"])
    assert (told.exit_code, told.stdout) == (0, "boxed-card: 7 steps\n")
    wrong = tmp_path / "wrong.toml"
    wrong.write_text('about = "x"\n[[step]]\npush = "OK"\n', encoding="utf-8")
    told = runner.invoke(app, ["scenario", "check", str(wrong)])
    assert told.exit_code == 2
    assert f"shuffler: {wrong}:2: a step has one verb of send" in told.stderr


def test_a_report_that_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    told = runner.invoke(app, ["scenario", "run", "early-grab", "--junit", str(tmp_path / "no" / "report.xml")])
    assert told.exit_code == 2
    assert "No such file or directory" in told.stderr
