"""docs/rules.md: what is wrong with clauses is found, and its examples work."""

import re
import tomllib
from pathlib import Path

import pytest

from proofs import clauses
from proofs.pages import rules as rules_page
from proofs.pages.markdown import replaced
from round_engine.rules.rulebook import load

PAGE = rules_page.PAGE.read_text(encoding="utf-8")


def test_what_is_wrong_with_clauses_is_found() -> None:
    documents = clauses.clauses()
    every = {one.id: {"a::test"} for entries in documents.values() for one in entries if one.engine}
    assert clauses.problems(documents, every) == []
    wrong = {**every, "000 (17)": {"a::test"}, "000 (99)": {"a::test"}}
    del wrong["003 (9)(h)"]
    assert clauses.problems(documents, wrong) == [
        "no test shows 003 (9)(h)",
        "000 (17) has tests, but is said to be no engine's",
        "a test names 000 (99), which is no clause",
    ]


def test_a_stale_part_is_replaced_and_a_missing_place_is_named() -> None:
    page = "before\n<!-- made: x -->\nold\n<!-- end: x -->\nafter\n"
    assert replaced(page, {"x": "new"}) == "before\n<!-- made: x -->\n\nnew\n\n<!-- end: x -->\nafter\n"
    with pytest.raises(SystemExit, match="has no place for y"):
        replaced(page, {"y": "new"})


def test_the_pages_round_can_be_played() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    played: dict[str, object] = {}
    exec(example.replace("print(", "list("), played)
    assert played["table"].ledger.balance("player:ann") == 1000  # type: ignore[attr-defined]


def test_the_pages_rule_file_can_be_loaded(tmp_path: Path) -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "our-house.toml").write_text(example, encoding="utf-8")
    rules = load(tmp_path / "our-house.toml")
    assert (rules.id, rules.house.paytables["pair_plus"], rules.settings.cap) == ("our-house", "D", 1_000_000)  # type: ignore[index]
    assert tomllib.loads(example)["extends"] == "south-dakota"
