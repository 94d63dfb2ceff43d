"""Files as machines write them: cards that were not read, rows of a wrong length, lines that are blamed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randomness.certification import (
    Recorded,
    RecordedSubject,
    Run,
    RunRecord,
    UnreadableError,
    certify,
    load_plan,
    local_engine,
)

PLAN = replace(
    load_plan("quick"), name="small", decks_per_shard=100, bit_sequences=0, controls=(), least_decks=1,
    deck_tests=("suit-runs",), draw_tests=(), retest_times=0, most_misread=0.01,
)  # fmt: skip
RANKS = ("Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Jack", "Queen", "King", "Ace")
NAMES = [f"{rank} of {suit}" for suit in ("Clubs", "Diamonds", "Hearts", "Spades") for rank in RANKS]
DECKS = np.random.default_rng(3).permuted(np.tile(np.arange(52), (300, 1)), axis=1)


def rows(cell: object = str) -> list[list[str]]:
    return [[cell(card) for card in deck] for deck in DECKS.tolist()]  # type: ignore[operator]


def certified(tmp_path: Path, text: str, name: str = "d.csv") -> RunRecord:
    (tmp_path / name).write_text(text, encoding="utf-8")
    subject = RecordedSubject(recorded=Recorded(str(tmp_path / name)))
    return certify(Run(plan=PLAN, subject=subject), local_engine(1))


def lines(table: list[list[str]], end: str = "\n") -> str:
    return "\n".join(",".join(row) for row in table) + end


def test_names_in_words_are_the_same_decks_as_numbers(tmp_path: Path) -> None:
    words = certified(tmp_path, lines(rows(NAMES.__getitem__)), "words.csv")
    numbers = certified(tmp_path, lines(rows()), "numbers.csv")
    assert words.sample == numbers.sample
    assert words.results == numbers.results


@pytest.mark.parametrize("code", ["NR", "", "?"])
@pytest.mark.parametrize("place", [0, 20, 51])
def test_rows_with_a_card_that_was_not_read_are_excluded_and_counted(code: str, place: int, tmp_path: Path) -> None:
    table = rows()
    table[7][place] = code
    table[9][3] = table[9][4] = code
    sample = certified(tmp_path, lines(table)).sample
    assert (sample.decks, sample.rows_read, sample.excluded_rows) == (298, 300, 2)
    assert (sample.misreads.cards, sample.misreads.rows) == (3, 2)
    reasons = [(one.row, one.reason) for one in sample.excluded]
    assert reasons == [(8, "1 card was not read"), (10, "2 cards were not read")]


def test_too_many_misreads_keep_a_run_from_passing(tmp_path: Path) -> None:
    table = rows()
    assert certified(tmp_path, lines(table), "a.csv").verdict.outcome == "passed"
    for row in range(3):
        table[100 * row][0] = "NR"
    assert certified(tmp_path, lines(table), "b.csv").verdict.outcome == "passed"
    table[50][0] = "NR"
    record = certified(tmp_path, lines(table), "c.csv")
    assert record.verdict.outcome == "inconclusive"
    assert record.verdict.missing == ("cards were not read in 1.33 % of the rows; at most 1 % may be",)


@pytest.mark.parametrize("at", [0, 5, 299])
@pytest.mark.parametrize("extra", [-1, 1])
def test_a_row_of_cards_with_a_wrong_number_of_them_counts_against_the_device(
    at: int, extra: int, tmp_path: Path
) -> None:
    """The first row, too: it used to be skipped without a word."""
    table = rows()
    table[at] = table[at][:-1] if extra < 0 else [*table[at], "7"]
    record = certified(tmp_path, lines(table))
    assert record.verdict.outcome == "failed"
    assert [(one.row, one.reason) for one in record.sample.malformed] == [
        (at + 1, f"a deck of {52 + extra} cards, not 52")
    ]
    assert record.sample.rows_read == 300


def test_a_file_that_ends_in_the_middle_of_a_row_is_refused(tmp_path: Path) -> None:
    table = rows()
    table[-1] = table[-1][:20]
    with pytest.raises(UnreadableError, match="at line 300: the file ends in the middle of a row"):
        certified(tmp_path, lines(table, end=""))


def test_the_line_that_is_blamed_is_the_one_in_the_file(tmp_path: Path) -> None:
    table = rows()
    table[280][5] = "QX"
    text = "# " + "x" * 3_000_000 + "\n\n# second\n" + lines(table)
    with pytest.raises(UnreadableError, match="at line 284: 'QX' is no card"):
        certified(tmp_path, text)
