"""`shuffler conform` and `shuffler fuzz` as commands: exit codes, JSON, JUnit, sentences for bad input."""

import json
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from shuffler.cli import app

runner = CliRunner()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    build = Build(profile=load("i-deal-style"), serial="CLI", speed=200.0, seed=7)
    with background([Location(build=build, ports=(Tcp(),))]) as bench:
        yield bench.url


def test_rules_of_a_device_as_json_and_junit(url: str, tmp_path: Path) -> None:
    junit = tmp_path / "report.xml"
    rules = ["--rule", "H-2", "--rule", "C-4"]
    said = runner.invoke(app, ["conform", "device", url, *rules, "--json", "--junit", str(junit)])
    assert said.exit_code == 0, said.output
    told = json.loads(said.stdout)
    assert [(row["rule"], row["verdict"]) for row in told["rules"]] == [("H-2", "PASSED"), ("C-4", "PASSED")]
    assert ElementTree.parse(junit).getroot().get("failures") == "0"


def test_a_rule_that_does_not_apply_is_no_verdict(url: str) -> None:
    said = runner.invoke(app, ["conform", "device", url, "--rule", "X-3"])
    assert said.exit_code == 3
    assert "does not apply" in said.stdout


def test_an_unknown_rule_is_a_sentence(url: str) -> None:
    said = runner.invoke(app, ["conform", "device", url, "--rule", "Z-9"])
    assert said.exit_code == 2
    assert "no such rule" in said.stderr


def test_a_device_that_is_not_there() -> None:
    assert runner.invoke(app, ["conform", "device", "socket://127.0.0.1:1"]).exit_code == 2
    assert runner.invoke(app, ["fuzz", "socket://127.0.0.1:1"]).exit_code == 2


def test_a_controller_that_never_comes_is_no_verdict() -> None:
    said = runner.invoke(app, ["conform", "controller", "--patience", "1"])
    assert said.exit_code == 3
    assert "watching on socket://127.0.0.1:" in said.stderr
    assert "no host opened a session" in said.stdout


@pytest.mark.parametrize(
    "words", [["conform", "controller", "--profile", "nosuch"], ["fuzz"], ["fuzz", "x", "--listen", "0"]]
)
def test_what_can_not_start(words: list[str]) -> None:
    said = runner.invoke(app, words)
    assert said.exit_code == 2
    assert said.stderr.startswith("shuffler: ")


@pytest.mark.slow
def test_fuzzing_a_device_and_repeating_a_case(url: str, tmp_path: Path) -> None:
    said = runner.invoke(app, ["fuzz", url, "--seed", "4", "--steps", "24", "--out", str(tmp_path / "broke.toml")])
    assert said.exit_code == 0, said.output
    assert "seed 4, 24 steps" in said.stderr
    case = tmp_path / "case.fuzz.toml"
    case.write_text('format = "shuffler-fuzz/1"\n[[step]]\nwhat = "noise"\nraw = "0102"\n', encoding="utf-8")
    again = runner.invoke(app, ["fuzz", url, "--repeat", str(case)])
    assert again.exit_code == 0, again.output
    case.write_text("nonsense", encoding="utf-8")
    bad = runner.invoke(app, ["fuzz", url, "--repeat", str(case)])
    assert bad.exit_code == 2
    assert "Traceback" not in bad.output
