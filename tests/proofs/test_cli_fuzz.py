"""The command line, small: `make proof-cli-fuzz` makes ten thousand calls."""

import pytest

from proofs import cli_fuzz
from proofs.cli_fuzz import Tally, judge, run, targets
from shuffler.cli import COMMANDS


@pytest.mark.slow
def test_nothing_typed_ends_in_a_traceback() -> None:
    tally = run(60, 4, seed=3)
    assert tally.problems == []
    assert tally.calls >= 62


def test_every_command_is_a_target_and_options_of_every_kind_are_found() -> None:
    found = targets()
    assert {target.words[0] for target in found} == {row.name for row in COMMANDS}
    assert {option.kind for target in found for option in target.options} == {"number", "file", "flag", "words"}


def test_a_traceback_and_an_unknown_exit_code_are_found() -> None:
    tally = Tally()
    judge(["x"], 1, "Traceback (most recent call last):\n  ...\nKeyError: 3", tally)
    judge(["y"], 77, "", tally)
    judge(["z"], 2, "shuffler: no such file", tally)
    assert tally.problems == ["['x']: KeyError: 3", "['y']: exit code 77"]
    assert cli_fuzz.EXIT_CODES
