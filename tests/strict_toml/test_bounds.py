"""Limits on nesting: what would cost the parser minutes or gigabytes is refused before it starts."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strict_toml import Source, parse_toml
from strict_toml.bounds import MAX_DEPTH, MAX_KEY_PARTS, excess

ROOT = Path(__file__).parents[2]


class Refused(Exception):
    """A refusal of this test's."""


def refusal(name: str, line: int | None, problem: str) -> Refused:
    return Refused(f"{name}, line {line}: {problem}")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ok = 1\n" + ".".join("a" * 30_000) + " = 1", "line 2: a key has more than 16 parts"),
        (" . ".join('"a"' for _ in range(30_000)) + " = 1", "line 1: a key has more than 16 parts"),
        ("[" + ".".join("a" * 30_000) + "]", "line 1: a key has more than 16 parts"),
        ("\n\na = " + "[" * 30_000 + "]" * 30_000, "line 3: more than 16 brackets are open at once"),
        ("a = " + "{a = " * 30_000 + "1" + "}" * 30_000, "line 1: more than 16 brackets are open at once"),
        ("a = [\n" * 100_000, "line 17: more than 16 brackets are open at once"),
    ],
)
def test_deep_nesting_is_refused_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(Refused, match=problem):
        parse_toml(Source("deep.toml", text), refusal)


def test_the_limits_themselves_are_allowed() -> None:
    parts = ".".join("a" * MAX_KEY_PARTS)
    assert excess(f"{parts} = {'[' * MAX_DEPTH}{']' * MAX_DEPTH}") is None
    assert excess(f"{parts}.a = 1") is not None
    assert excess(f"a = {'[' * (MAX_DEPTH + 1)}") is not None


@pytest.mark.parametrize(
    "text",
    [
        "a = '" + "[" * 100 + "'",
        'a = "' + '\\"[' * 100 + '"',
        'a = """\n' + "[a.a\n" * 100 + '"""',
        "a = '''\n" + "[a.a\n" * 100 + "'''",
        "# " + "a.[{" * 100,
        "a = [" + "1.5, " * 1000 + "]",
        "[a]\n" * 1 + "".join(f"k{i} = {i}.5\n" for i in range(1000)),
    ],
)
def test_brackets_and_dots_in_texts_comments_and_numbers_do_not_count(text: str) -> None:
    tomllib.loads(text)
    assert excess(text) is None


def toml_files() -> Iterator[Path]:
    for room in ("firmware_sim", "randomness", "round_engine", "shuffler", "examples"):
        yield from (ROOT / room).rglob("*.toml")


def test_every_file_of_the_product_is_far_from_the_limits() -> None:
    files = list(toml_files())
    assert len(files) > 20
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert excess(text) is None, file


@given(st.text(alphabet="ab.[]{}=\"'#\\\n ,1", max_size=200))
def test_any_text_is_judged(text: str) -> None:
    found = excess(text)
    assert found is None or 1 <= found[0] <= text.count("\n") + 1
