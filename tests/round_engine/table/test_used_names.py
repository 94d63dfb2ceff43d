"""Names used once: exact for any names, small for numbered ones."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from round_engine.table.used_names import UsedNames

NAMES = st.one_of(
    st.text(alphabet="ab0123/", max_size=6), st.integers(0, 30).map(str), st.integers(0, 30).map("s/{}".format)
)


@given(st.lists(NAMES, max_size=60), st.lists(NAMES, max_size=20))
def test_it_is_a_set(names: list[str], asked: list[str]) -> None:
    used = UsedNames()
    for name in names:
        used.add(name)
    assert {name: name in used for name in (*names, *asked)} == {name: name in set(names) for name in (*names, *asked)}
    assert sorted(used) == sorted(set(names))
    assert UsedNames(json.loads(json.dumps(used.plain()))) == used


def test_numbered_names_take_one_run() -> None:
    used = UsedNames()
    for number in range(10_000, 0, -1):
        used.add(f"r{number}")
    assert used.plain() == {"r": [[1, 10_000]]}


@pytest.mark.parametrize("runs", [{"r": [[2, 1]]}, {"r": [["1", 2]]}, {"r": [[1]]}])
def test_runs_that_are_none(runs: dict[str, list[list[int]]]) -> None:
    with pytest.raises(ValueError, match=r"run|unpack"):
        UsedNames(runs)
