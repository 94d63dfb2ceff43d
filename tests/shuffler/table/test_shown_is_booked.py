"""What a table has shown is in its books, wherever it was killed: separate processes, a real line, SIGKILL."""

import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from proofs.auditor import audit
from proofs.auditor.shown import shown_rounds
from shuffler.cli.table import rules_by_name
from shuffler.journal import SqliteJournal
from shuffler.journal.restart import reopen

RULES = "light-and-wonder"


@pytest.mark.slow
@pytest.mark.parametrize("moment", [" game over", " dealer: "])
def test_a_kill_right_after_a_line_was_shown(moment: str, tmp_path: Path) -> None:
    book = tmp_path / "books.db"
    command = [sys.executable, "-m", "shuffler", "table", "--rounds", "500", "--seats", "3", "--speed", "400"]
    table = subprocess.Popen([*command, "--journal", str(book)], stdout=subprocess.PIPE, text=True, encoding="utf-8")
    assert table.stdout is not None
    lines = []
    for line in table.stdout:
        lines.append(line)
        if line.startswith(moment):
            break
    table.kill()
    lines += table.stdout.readlines()  # what it had put on the pipe before it died
    table.stdout.close()
    table.wait()
    with closing(SqliteJournal(book, clock=lambda: "-")) as books:
        reopen(books, rules_by_name(RULES), rules_name=RULES)
    shown = shown_rounds(lines)
    found = audit(book, shown=shown)
    assert found.problems == []
    assert any(one.outcome == "settled" for one in shown.values()) or moment == " dealer: "
