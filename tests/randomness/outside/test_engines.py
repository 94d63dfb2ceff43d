"""The table of engines and how they are named."""

import pytest

from randomness.errors import OutsideError
from randomness.outside import dieharder, engines_named, quick_engines


def test_dieharder_reads_raw_bytes_from_standard_input() -> None:
    assert dieharder(15).command == ("dieharder", "-g", "200", "-d", "15", "-Y", "1")
    assert dieharder(None).command == ("dieharder", "-g", "200", "-a", "-Y", "1")


def test_engines_are_named_in_text() -> None:
    chosen = engines_named("dieharder:15, ent,dieharder:all")
    assert [engine.command[:1] + engine.command[3:5] for engine in chosen] == [
        ("dieharder", "-d", "15"),
        ("ent",),
        ("dieharder", "-a", "-Y"),
    ]
    assert len(engines_named("dieharder")) == 3


@pytest.mark.parametrize("names", ["", "testu01", "dieharder:x", "ent:3", "ent,,rngtest"])
def test_unknown_names_are_refused_with_the_list(names: str) -> None:
    with pytest.raises(OutsideError, match="there are ent, rngtest"):
        engines_named(names)


def test_the_quick_set_names_every_engine() -> None:
    assert {engine.name for engine in quick_engines()} == {"dieharder", "ent", "rngtest", "practrand"}
