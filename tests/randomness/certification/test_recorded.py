"""Recorded decks: every form, every way a row can be wrong, and that rows keep their numbers."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from randomness.certification import Recorded, RecordedError, UnreadableError
from randomness.certification.recorded import LONGEST_LINE, NO_READ, BadRow, Block, Form, card_code

RNG = np.random.default_rng(5)
DECKS = np.array([RNG.permutation(52) for _ in range(25)], np.uint8)


def all_decks(blocks: list[Block]) -> np.ndarray:
    return np.concatenate([piece.decks for block in blocks for piece in block.pieces])


def csv(rows: list[list[object]]) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


def written(tmp_path: Path, text: str, name: str = "decks.csv") -> Recorded:
    (tmp_path / name).write_text(text, encoding="utf-8")
    return Recorded(str(tmp_path / name))


NAMES = [r + s for s in "cdhs" for r in ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")]


@pytest.mark.parametrize("form", ["numbers", "names", "json", "objects", "npy"])
def test_every_form_gives_the_same_decks(form: str, tmp_path: Path) -> None:
    rows = DECKS.tolist()
    if form == "npy":
        np.save(tmp_path / "decks.npy", DECKS.astype(np.int32))
        record = Recorded(str(tmp_path / "decks.npy"))
    else:
        text = {
            "numbers": csv(rows),
            "names": csv([[NAMES[face] for face in row] for row in rows]),
            "json": "".join(json.dumps(row) + "\n" for row in rows),
            "objects": '{"provenance": {"device": "X"}}\n' + "".join(json.dumps({"deck": row}) + "\n" for row in rows),
        }[form]
        record = written(tmp_path, text)
    blocks = list(record.blocks(10))
    assert [block.rows for block in blocks] == [10, 10, 5]
    assert [block.first_row for block in blocks] == [1, 11, 21]
    assert np.array_equal(all_decks(blocks), DECKS)
    if form == "objects":
        assert record.provenance == {"device": "X"}


@pytest.mark.parametrize(("name", "code"), [("2c", 0), ("A♠", 51), ("10D", 21), ("Td", 21), ("qH", 36), ("7", 7)])
def test_card_names(name: str, code: int) -> None:
    assert card_code(name) == code


@pytest.mark.parametrize("name", ["", "NR", "nr", " ", "?", "--", "No Read", None])
def test_a_card_that_was_not_read(name: str | None) -> None:
    assert card_code(name) == NO_READ


@pytest.mark.parametrize("name", ["Queen of Hearts", "queen_of_hearts", "QUEEN HEARTS", "Hearts Queen", "Q of hearts"])
def test_cards_in_words(name: str) -> None:
    assert card_code(name) == card_code("QH") == 36
    assert card_code("10 of Clubs") == card_code("ten of clubs") == card_code("TC") == 8
    assert card_code("Ace of Spades") == 51


@pytest.mark.parametrize("name", ["1h", "QX", "Queen of Cups", "Eleven of Hearts", "-1", "256", "Q", "3.0"])
def test_what_is_no_card(name: str) -> None:
    with pytest.raises(BadRow, match="no card"):
        card_code(name)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("1,x,3", "a deck is 52 columns, not 3 columns"),
        (",".join(["x"] * 52), "'x' is no card"),
        (",".join(["300"] * 52), "300 is no card"),
        (",".join(["x", *map(str, range(50))]), "a deck is 52 columns, not 51 columns"),
    ],
)
def test_a_row_that_can_not_be_read_is_refused_with_its_line_and_what_was_expected(
    bad: str, reason: str, tmp_path: Path
) -> None:
    lines = csv(DECKS.tolist()).splitlines()
    lines[6] = bad
    with pytest.raises(UnreadableError) as refused:
        list(written(tmp_path, "# decks\n\n" + "\n".join(lines)).blocks(100))
    first, shown, expected = str(refused.value).splitlines()
    assert first == f"decks.csv can't be read at line 9: {reason}" + first.partition(reason)[2]
    assert shown.startswith(f"  line 9: {bad[:60]}")
    card = "0 … 51, or a name such as QH, HQ or Queen of Hearts"
    assert expected == f"  expected: 52 cards separated by commas, each {card}"


def test_numbers_out_of_range_in_an_array_are_refused_by_row(tmp_path: Path) -> None:
    decks = DECKS.astype(np.int64)
    decks[13, 9] = 999
    np.save(tmp_path / "d.npy", decks)
    with pytest.raises(RecordedError, match="can't be read at row 14: 999 in column 10 is no card"):
        list(Recorded(str(tmp_path / "d.npy")).blocks(10))


def test_a_complete_row_with_a_wrong_number_of_cards_is_what_a_device_dealt(tmp_path: Path) -> None:
    rows = DECKS.tolist()
    rows[3] = rows[3][:-1]
    (block,) = written(tmp_path, "".join(json.dumps({"deck": row}) + "\n" for row in rows)).blocks(100)
    assert [(bad.row, bad.reason) for bad in block.malformed] == [(4, "a deck of 51 cards, not 52")]
    assert [(piece.first_row, len(piece.decks)) for piece in block.pieces] == [(1, 3), (5, 21)]


def test_rigged_and_seeded_decks_are_left_out_unless_it_is_a_test(tmp_path: Path) -> None:
    rows = [{"deck": row} for row in DECKS[:4].tolist()]
    rows[1]["rigged"] = True
    rows[2]["seeded"] = True
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (block,) = written(tmp_path, text).blocks(100)
    assert [(left.row, left.reason) for left in block.excluded] == [(2, "marked as rigged"), (3, "marked as seeded")]
    (block,) = Recorded(str(tmp_path / "decks.csv"), test=True).blocks(100)
    assert not block.excluded
    assert len(all_decks([block])) == 4


def test_input_orders_go_along(tmp_path: Path) -> None:
    row = {"deck": DECKS[0].tolist(), "input": list(range(52))}
    (block,) = written(tmp_path, json.dumps(row)).blocks(5)
    assert block.pieces[0].inputs is not None
    assert block.pieces[0].inputs[0].tolist() == list(range(52))


@pytest.mark.parametrize("form", ["json", "npy", "csv"])
def test_the_first_rows_of_a_file_and_how_many_it_has(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"d.{form}"
    if form == "npy":
        np.save(path, DECKS)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in DECKS.tolist()) if form == "json" else
                        "# a comment\n" + csv(DECKS.tolist()) + "\n\n")  # fmt: skip
    record = Recorded(str(path))
    assert record.count_rows() == len(DECKS)
    blocks = list(record.blocks(4, most=6))
    assert [block.rows for block in blocks] == [4, 2]
    assert np.array_equal(all_decks(blocks), DECKS[:6])
    assert record.rows == len(DECKS)


def test_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    text = csv(DECKS.tolist()).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    record = Recorded("-")
    assert np.array_equal(all_decks(list(record.blocks(7))), DECKS)
    import hashlib

    assert record.digest() == hashlib.sha256(text).hexdigest()
    assert record.about() is None
    assert record.form is Form.CSV


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(RecordedError, match="no file"):
        Recorded(str(tmp_path / "none.csv"))
    np.save(tmp_path / "flat.npy", np.arange(52))
    with pytest.raises(RecordedError, match="rows of 52 integers"):
        list(Recorded(str(tmp_path / "flat.npy")).blocks(5))
    (tmp_path / "not.npy").write_text("hello")
    with pytest.raises(RecordedError, match="not a NumPy file"):
        list(Recorded(str(tmp_path / "not.npy")).blocks(5))


def test_provenance_may_stand_anywhere_and_what_a_report_can_not_carry_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    deck = json.dumps(list(range(52)))
    path.write_text(f'{{"provenance": {{"who": "\\ud800"}}}}\n{deck}\n{{"provenance": {{"ended": 1}}}}\n{deck}\n')
    recorded = Recorded(str(path))
    blocks = list(recorded.blocks(10))
    assert sum(len(piece.decks) for block in blocks for piece in block.pieces) == 2
    assert recorded.provenance == {"who": "?"}
    assert recorded.stretches == [{"ended": 1}]


def test_a_row_nested_beyond_all_bounds_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    deep = "[" * 200_000
    for bad in (deep, f'{{"provenance": {deep}'):
        path.write_text(f"{json.dumps(list(range(52)))}\n{bad}\n")
        with pytest.raises(UnreadableError, match="line 2: not JSON"):
            list(Recorded(str(path)).blocks(10))


def test_a_line_without_an_end_is_read_in_pieces_and_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_bytes(b"7" * (3 * LONGEST_LINE + 5))
    with pytest.raises(UnreadableError, match="a deck is 52 columns, not 1 column") as refused:
        list(Recorded(str(path)).blocks(10))
    assert len(str(refused.value)) < 400


def test_an_error_is_short_however_long_the_cell(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text(csv(DECKS[:2].tolist()) + ",".join(["Q" * 5000, *map(str, range(51))]))
    with pytest.raises(UnreadableError) as refused:
        list(Recorded(str(path)).blocks(10))
    assert len(str(refused.value)) < 400
