"""The proof of theory at a small size."""

from dataclasses import replace

import pytest

from proofs.theory import run, table


@pytest.mark.slow
def test_every_line_agrees_and_a_false_figure_would_not() -> None:
    lines = run(decks=3000, seed=7)
    assert len(lines) == 18
    assert [line.name for line in lines if not line.agrees] == []
    assert "NO" not in table(lines)
    assert not replace(lines[6], published=".335").agrees
    assert not replace(lines[6], guesses=lines[6].guesses + 0.2).agrees
    wrong = replace(lines[6], simulated=lines[5].simulated)
    assert not wrong.agrees
    assert "NO" in table([wrong])
