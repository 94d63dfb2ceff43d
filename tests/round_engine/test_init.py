"""The room's door: every listed name is there, and asking for hands loads nothing else."""

import subprocess
import sys

import pytest

import round_engine


@pytest.mark.parametrize("name", round_engine.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(round_engine, name) is not None


def test_the_list_is_whole_and_unknown_names_are_unknown() -> None:
    assert set(round_engine.__all__) == set(round_engine._HOME_OF)
    with pytest.raises(AttributeError, match="has no attribute 'dealer'"):
        _ = round_engine.dealer


def test_hands_alone_load_no_rules() -> None:
    module = "round_engine.rules.rulebook"
    code = f"import sys, round_engine.hands; print('{module}' in sys.modules, 'tomllib' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["False", "False"]


def test_every_error_of_the_room_has_its_root() -> None:
    errors = [getattr(round_engine, name) for name in round_engine._HOMES["errors"]]
    assert all(issubclass(error, round_engine.RoundEngineError) for error in errors)
