"""Where keys stand in a TOML text, whatever form they take."""

import tomllib
from importlib import resources
from typing import Any

import pytest

from round_engine.rules.rulebook import RULE_SETS, SIDE_WAGERS
from strict_toml.lines import key_lines

TEXT = '''\
# a comment with [brackets] and = signs
top = 1
"quoted key" = "a # no comment" # a comment
[table] # header
inner = { one = 1, two = { three = "}" } }
list = [
  1, # one
  { four = 4 },
  "]",
]
long = """
fake = 1
[nothing]
"""
raw = \'\'\'
'x' = "y"\'\'\'
[table.sub]
dotted.key = 5
[[rows]]
a = 1
[[rows]]
a = "escaped \\" quote"
b = 2
'''


def test_every_form_of_key_is_found() -> None:
    tomllib.loads(TEXT)
    lines = key_lines(TEXT)
    assert {".".join(path): line for path, line in lines.items()} == {
        "top": 2, "quoted key": 3, "table": 4,
        "table.inner": 5, "table.inner.one": 5, "table.inner.two": 5, "table.inner.two.three": 5,
        "table.list": 6, "table.list.0": 7, "table.list.1": 8, "table.list.1.four": 8, "table.list.2": 9,
        "table.long": 11, "table.raw": 15,
        "table.sub": 17, "table.sub.dotted": 18, "table.sub.dotted.key": 18,
        "rows": 19, "rows.0": 19, "rows.0.a": 20, "rows.1": 21, "rows.1.a": 22, "rows.1.b": 23,
    }  # fmt: skip


@pytest.mark.parametrize("name", [*RULE_SETS, *SIDE_WAGERS])
def test_every_key_of_a_shipped_file_is_found_on_a_line_that_has_it(name: str) -> None:
    text = (resources.files("round_engine") / "rules" / f"{name}.toml").read_text(encoding="utf-8")
    lines, written = key_lines(text), text.splitlines()

    def walk(data: dict[str, Any], path: tuple[str, ...]) -> None:
        for key, value in data.items():
            assert key in written[lines[(*path, key)] - 1]
            if isinstance(value, dict):
                walk(value, (*path, key))

    walk(tomllib.loads(text), ())
