"""`shuffler doctor`: what is there, what is missing, and what to do about it."""

import json
import socket

import pytest
from typer.testing import CliRunner

from shuffler.cli import app, compiled, doctor


def test_a_machine_that_runs_the_tests_is_fine() -> None:
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 0
    found = {one["what"]: one for one in json.loads(result.stdout)}
    assert found["Python"]["fine"]
    assert found["extra live"]["fine"]
    assert found["build"] == {"what": "build", "fine": True, "said": compiled.build(), "needed": False}


def test_a_port_in_use_is_found_and_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(doctor, "PORTS", {port: "shuffler live"})
        result = CliRunner().invoke(app, ["doctor"])
    assert result.exit_code == 0
    assert f"no   port {port}" in result.stdout


def test_what_every_command_needs_decides_the_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (lambda: iter([doctor.Check("x", False, "pip install x", needed=True)]),))
    result = CliRunner().invoke(app, ["doctor"])
    assert (result.exit_code, "pip install x" in result.stdout) == (1, True)
