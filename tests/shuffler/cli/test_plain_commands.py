"""Commands start light: plain help in sections, and plain values taken as typer itself would take them."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shuffler.cli import COMMANDS, app
from shuffler.cli.lazy import load
from shuffler.cli.plain_values import spare_pydantic

ROOT = Path(__file__).parent.parent.parent.parent
NOT_NEEDED = (
    "asyncio", "cryptography", "firmware_sim", "numpy", "pydantic", "randomness", "rich", "round_engine", "sqlite3",
)  # fmt: skip
WORDS = (
    "", "0", "1", "-1", "7", "8", "007", "1.5", "-0.25", "1e3", "1_000", " 5 ", "nan", "inf", "true", "x",
    "/etc/passwd", "no/such/file", ".", "-", "9" * 30,
)  # fmt: skip


@pytest.mark.parametrize("arguments", [["--help"], ["deal", "--help"], ["deal", "socket://127.0.0.1:1"]])
def test_a_command_imports_only_what_it_needs(arguments: list[str]) -> None:
    code = (
        "import atexit, sys\n"
        f"atexit.register(lambda: print('loaded', [name for name in {NOT_NEEDED!r} if name in sys.modules]))\n"
        f"sys.argv = ['shuffler', *{arguments!r}]\n"
        "from shuffler.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "loaded []"


def test_options_stand_under_the_headings_they_name() -> None:
    shown = CliRunner().invoke(app, ["collect", "--help"]).stdout
    headings = [line for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert {"Arguments:", "Options:", "Device:"} <= set(headings)
    assert "--supervisor" in shown.partition("Device:")[2]
    assert "╭" not in shown


def test_a_group_lists_its_commands_with_their_whole_first_sentences() -> None:
    shown = CliRunner().invoke(app, ["journal", "--help"]).stdout
    assert "..." not in shown.partition("Commands:")[2]


def _all_parameters(command: Any) -> list[Any]:
    found = list(command.params)
    for child in getattr(command, "commands", {}).values():
        found += _all_parameters(child)
    return found


def _taken(param: Any, value: Any) -> tuple[str, Any]:
    try:
        taken = param.get_runtime_param().coerce(value, param=param, ctx=None)
    except Exception as problem:
        return type(problem).__name__, str(problem)
    return type(taken).__name__, repr(taken)


def test_every_value_is_taken_or_refused_as_typer_does_it() -> None:
    ours, typers = ([p for row in COMMANDS for p in _all_parameters(load(row))] for _ in range(2))
    plain = 0
    for own, of_typer in zip(ours, typers, strict=True):
        several = getattr(own, "multiple", False) or own.nargs == -1
        for value in [None, own.default, *([word] if several else word for word in WORDS)]:
            own._runtime_param = None
            spare_pydantic([own])
            assert _taken(own, value) == _taken(of_typer, value), (own.name, value)
            plain += type(own._runtime_param).__name__ == "_PlainFirst"  # and not handed over to typer
    assert plain > len(ours)
