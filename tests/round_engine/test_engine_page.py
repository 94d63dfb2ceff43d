"""The script of docs/engine.md runs as it stands, and comes to the same twice: by the table and by the batch."""

import contextlib
import io
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "engine.md"


def test_the_script_runs_and_names_every_door_it_documents() -> None:
    (script,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(script, str(PAGE), "exec"), {})
    by_table, by_batch, fingerprint = said.getvalue().split()
    assert by_table == by_batch == str(100_014 - 100 + 500 + 500 + 2_500)
    assert len(fingerprint) == 12
    for door in ("dues", "keys_for", "parse_hand", "settle_rounds"):
        assert f"{door}(" in script
    body = script.split("\n\n", 2)[2].strip().splitlines()
    assert len(body) <= 16
