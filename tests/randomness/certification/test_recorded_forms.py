"""Every form a laboratory may send: compressed, in other encodings, with separators, headers, names and numberings."""

import contextlib
import gzip
import io
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from randomness.certification import Recorded, RecordedError, UnreadableError
from randomness.certification.recorded import Block, Form

RNG = np.random.default_rng(7)
DECKS = np.array([RNG.permutation(52) for _ in range(30)], np.uint8)
RANKS, SUITS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"), "CDHS"


def decks_of(blocks: list[Block]) -> np.ndarray:
    return np.concatenate([piece.decks for block in blocks for piece in block.pieces])


def rows(separator: str = ",", name: Callable[[int], object] = lambda face: face) -> str:
    return "".join(separator.join(str(name(int(face))) for face in deck) + "\n" for deck in DECKS)


def rank_first(face: int) -> str:
    return RANKS[face % 13] + SUITS[face // 13]


def suit_first(face: int) -> str:
    return SUITS[face // 13] + RANKS[face % 13]


def quoted(face: int) -> str:
    return f'"{rank_first(face)}"'


HEADER = ",".join(f"card{n}" for n in range(1, 53))
WITH_AN_ID = (
    "id,time," + HEADER + "\n" + "".join(f"{n},2026-01-01 10:00,{line}\n" for n, line in enumerate(rows().splitlines()))
)
BACKWARDS = ",".join(f"card{n}" for n in range(52, 0, -1)) + "\n" + "".join(
    ",".join(map(str, deck[::-1])) + "\n" for deck in DECKS
)  # fmt: skip

TEXTS: dict[str, str] = {
    "commas": rows(),
    "commas and blanks": rows(", "),
    "tabs": rows("\t"),
    "semicolons": rows(";"),
    "bars": rows("|"),
    "blanks": rows(" "),
    "a separator at the end": rows().replace("\n", ",\n"),
    "rank first": rows(",", rank_first),
    "suit first": rows("\t", suit_first),
    "suit signs first": rows(",", lambda face: "♣♦♥♠"[face // 13] + RANKS[face % 13]),
    "quoted": rows(",", quoted),
    "quoted numbers": rows(",", lambda face: f'"{face}"'),
    "numbered from 1": rows(",", lambda face: face + 1),
    "a header": HEADER + "\n" + rows(),
    "a header of other names": ",".join(f"x{n}y" for n in range(52)) + "\n" + rows(",", rank_first),
    "a header of numbers": ",".join(map(str, range(52))) + "\n" + rows(),
    "a quoted header": ",".join(f'"{n}"' for n in range(1, 53)) + "\n" + rows(",", quoted),
    "columns beside the cards": WITH_AN_ID,
    "an index, as pandas writes it": "," + ",".join(map(str, range(52))) + "\n"
    + "".join(f"{n},{line}\n" for n, line in enumerate(rows().splitlines())),
    "columns in another order": BACKWARDS,
    "comments": "# from the left machine\n// second line\n" + rows().replace("\n", "\n# a remark\n", 3),
    "a separator that a spreadsheet states": "sep=;\n" + rows(";"),
    "empty rows of a spreadsheet": rows().replace("\n", "\n" + "," * 51 + "\n", 2),
    "lines of old computers": rows().replace("\n", "\r"),
    "JSON lines from 1 on": "".join(json.dumps([int(face) + 1 for face in deck]) + "\n" for deck in DECKS),
    "JSON lines of names": "".join(json.dumps([suit_first(face) for face in deck]) + "\n" for deck in DECKS),
}  # fmt: skip


@pytest.mark.parametrize("what", TEXTS)
def test_a_text_in_this_form_gives_the_decks(what: str, tmp_path: Path) -> None:
    path = tmp_path / "decks.txt"
    path.write_text(TEXTS[what], encoding="utf-8", newline="")
    record = Recorded(str(path))
    assert np.array_equal(decks_of(list(record.blocks(7))), DECKS)
    assert record.layout.cards == 52
    assert record.layout.faces == tuple(range(52))
    assert record.layout.first == tuple(DECKS[0].tolist())


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "gzip in two members": lambda data: gzip.compress(data[:900]) + gzip.compress(data[900:]),
    "zstd": lambda data: bytes(pytest.importorskip("zstandard").ZstdCompressor().compress(data)),
    "gzip twice": lambda data: gzip.compress(gzip.compress(data)),
}  # fmt: skip
LAYERS = {
    "plain": (), "gzip": ("gzip",), "gzip in two members": ("gzip",), "zstd": ("Zstandard",),
    "gzip twice": ("gzip", "gzip"),
}  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be")


def in_numpy(save: Callable[[io.BytesIO], None]) -> bytes:
    out = io.BytesIO()
    save(out)
    return out.getvalue()


def in_parquet(table: dict[str, object]) -> bytes:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(table), out, row_group_size=8)
    return out.getvalue()


INPUTS = np.tile(np.arange(52, dtype=np.uint8), (30, 1))
BINARY: dict[str, tuple[Form, Callable[[], bytes]]] = {
    "npy": (Form.NUMPY, lambda: in_numpy(lambda out: np.save(out, DECKS.astype(np.int32)))),
    "npy from 1": (Form.NUMPY, lambda: in_numpy(lambda out: np.save(out, DECKS + 1))),
    "npz": (Form.NUMPY_ARCHIVE, lambda: in_numpy(lambda out: np.savez_compressed(out, decks=DECKS, inputs=INPUTS))),
    "npz with one table": (Form.NUMPY_ARCHIVE, lambda: in_numpy(lambda out: np.savez(out, x=DECKS, when=INPUTS[0]))),
    "parquet of lists": (Form.PARQUET, lambda: in_parquet({"deck": DECKS.tolist(), "input": INPUTS.tolist()})),
    "parquet of columns": (
        Form.PARQUET,
        lambda: in_parquet({"id": list(range(30))} | {f"c{n}": DECKS[:, n].tolist() for n in range(52)}),
    ),
    "parquet of names": (
        Form.PARQUET, lambda: in_parquet({"deck": [[suit_first(face) for face in deck] for deck in DECKS]}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_compressed_and_in_any_encoding(packing: str, encoding: str, tmp_path: Path) -> None:
    data = PACKED[packing](rows("\t", lambda face: "♣♦♥♠"[face // 13] + RANKS[face % 13]).encode(encoding))
    (tmp_path / "decks").write_bytes(data)
    record = Recorded(str(tmp_path / "decks"))
    assert np.array_equal(decks_of(list(record.blocks(7))), DECKS)
    assert record.about() == 30
    assert record.layout.compression == LAYERS[packing]


@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
@pytest.mark.parametrize("kind", BINARY)
def test_arrays_and_columns(kind: str, packing: str, tmp_path: Path) -> None:
    form, made = BINARY[kind]
    (tmp_path / "decks").write_bytes(PACKED[packing](made()))
    record = Recorded(str(tmp_path / "decks"))
    blocks = list(record.blocks(7))
    assert np.array_equal(decks_of(blocks), DECKS)
    assert (record.form, record.about(), record.layout.exact) == (form, 30, True)
    assert record.layout.has_input == (blocks[0].pieces[0].inputs is not None) == (kind in ("npz", "parquet of lists"))
    if record.layout.has_input:
        assert np.array_equal(np.concatenate([b.pieces[0].inputs for b in blocks]), INPUTS)  # type: ignore[misc]


@pytest.mark.parametrize("kind", ["text", *BINARY])
@pytest.mark.parametrize("packing", ["plain", "gzip", "zstd"])
def test_everything_through_a_pipe(kind: str, packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = PACKED[packing](rows().encode() if kind == "text" else BINARY[kind][1]())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    record = Recorded("-")
    assert np.array_equal(decks_of(list(record.blocks(7))), DECKS)


def test_marks_of_a_parquet_file_leave_decks_out(tmp_path: Path) -> None:
    marks = [n in (3, 4) for n in range(30)]
    (tmp_path / "d.parquet").write_bytes(in_parquet({"deck": DECKS.tolist(), "rigged": marks}))
    (block,) = Recorded(str(tmp_path / "d.parquet")).blocks(100)
    assert [(left.row, left.reason) for left in block.excluded] == [(4, "marked as rigged"), (5, "marked as rigged")]
    assert [(piece.first_row, len(piece.decks)) for piece in block.pieces] == [(1, 3), (6, 25)]
    (block,) = Recorded(str(tmp_path / "d.parquet"), test=True).blocks(100)
    assert len(decks_of([block])) == 30


def test_inputs_in_columns_go_along(tmp_path: Path) -> None:
    names = [f"card{n}" for n in range(1, 53)] + [f"input{n}" for n in range(1, 53)]
    lines = [",".join(names)] + [",".join(map(str, [*deck, *range(52)])) for deck in DECKS.tolist()]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    record = Recorded(str(tmp_path / "d.csv"))
    (block,) = record.blocks(100)
    assert record.layout.has_input
    assert np.array_equal(block.pieces[0].decks, DECKS)
    assert np.array_equal(block.pieces[0].inputs, INPUTS)  # type: ignore[arg-type]


def test_one_broken_deck_does_not_hide_that_cards_are_numbered_from_1(tmp_path: Path) -> None:
    decks = DECKS + 1
    decks[2, 5] = decks[2, 6]
    decks[4, 0] = 0
    np.savetxt(tmp_path / "d.csv", decks, fmt="%d", delimiter=",")
    record = Recorded(str(tmp_path / "d.csv"))
    found = decks_of(list(record.blocks(100)))
    assert record.layout.numbered_from == 1
    assert any("1 … 52" in note for note in record.notes)
    assert np.array_equal(found[5:], DECKS[5:])
    assert found[4, 0] == 255


def test_the_layout_of_another_deck_says_what_it_is(tmp_path: Path) -> None:
    short = [face for face in range(52) if face % 13 >= 5]
    lines = "".join(",".join(map(str, RNG.permutation(short))) + "\n" for _ in range(9))
    (tmp_path / "d.csv").write_text(lines)
    layout = Recorded(str(tmp_path / "d.csv")).layout
    assert (layout.cards, layout.faces, layout.decks, layout.numbered_from) == (32, tuple(short), 9, 0)


def test_a_card_that_is_none_of_the_52_is_kept_for_the_battery(tmp_path: Path) -> None:
    decks = DECKS.copy()
    decks[:, 3] = 52  # a joker in every deck: a wrong deck, not another numbering
    np.save(tmp_path / "d.npy", decks)
    assert decks_of(list(Recorded(str(tmp_path / "d.npy")).blocks(100)))[0, 3] == 52


UNREADABLE: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "there are no decks in it"),
    "a letter": (b"Dear laboratory,\nplease find\nthe decks\n", "a deck is 52 columns, not"),
    "a header alone": (HEADER.encode(), "'card1' is no card: expected 0 … 51, or a name such as QH, HQ"),
    "53 columns": ("\n".join(line + ",7" for line in rows().splitlines()).encode(), "a deck is 52 columns, not 53"),
    "one JSON value": (json.dumps(DECKS.tolist()).encode(), "one JSON value goes over the whole file"),
    "JSON objects of another kind": (b'{"cards": [1, 2]}\n', "no line of the beginning holds a deck"),
    "a gzip file that was cut": (gzip.compress(rows().encode())[:-200], "ends in the middle"),
    "a damaged gzip file": (b"\x1f\x8b\x08" + b"\x07" * 90, "damaged|can't read|ends in the middle"),
    "a bzip2 file": (b"BZh91AY", "a bzip2 file"),
    "an archive of something else": (b"PK\x03\x04" + b"0" * 90, "not a NumPy archive"),
    "half a parquet file": (b"PAR1" + b"0" * 90, "no Parquet file"),
    "suit and rank in two digits each": (
        rows(",", lambda face: 20 * (face // 13) + face % 13 + 1).encode(),
        "numbers its cards in a way that is not known",
    ),
    "suit and rank in halves of a byte": (
        in_numpy(lambda out: np.save(out, 16 * (DECKS // 13) + DECKS % 13)),
        r"not known, 0 … 60",
    ),
    "a table of fractions": (in_numpy(lambda out: np.save(out, DECKS / 2)), "rows of 52 integers"),
}


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_can_not_be_read_is_refused_and_says_why(what: str, tmp_path: Path) -> None:
    data, why = UNREADABLE[what]
    (tmp_path / "d").write_bytes(data)
    with pytest.raises(RecordedError, match=why):
        list(Recorded(str(tmp_path / "d")).blocks(10))


def test_a_line_in_the_middle_is_shown_with_its_number(tmp_path: Path) -> None:
    lines = (HEADER + "\n# remark\n" + rows()).splitlines()
    lines[20] = lines[20].replace(",", ";", 1)
    (tmp_path / "d.csv").write_text("\n".join(lines))
    with pytest.raises(UnreadableError) as refused:
        list(Recorded(str(tmp_path / "d.csv")).blocks(10))
    assert refused.value.line == 21
    assert f"  line 21: {lines[20][:40]}" in str(refused.value)


def test_the_tools_that_may_be_missing_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    (tmp_path / "d").write_bytes(b"\x28\xb5\x2f\xfd0000")
    with pytest.raises(RecordedError, match=r"install 'shuffler-bench\[formats\]'"):
        _ = Recorded(str(tmp_path / "d")).layout
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "d").write_bytes(b"PAR1")
    with pytest.raises(RecordedError, match=r"install 'shuffler-bench\[formats\]'"):
        _ = Recorded(str(tmp_path / "d")).layout


TOKENS = (
    "7",
    "51",
    "QH",
    "♠A",
    ",",
    "\t",
    ";",
    '"',
    "#",
    "\n",
    "[",
    "]",
    "{",
    '{"deck":',
    "card1",
    "\ufeff",
    "\x00",
    "1e9",
    "9" * 5000,
)


@given(
    st.binary(max_size=300)
    | st.lists(st.sampled_from(TOKENS), max_size=200).map(lambda parts: "".join(parts).encode())
    | st.tuples(
        st.sampled_from([b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x93NUMPY\x01\x00", b"PK\x03\x04", b"PAR1"]),
        st.binary(max_size=80),
    ).map(b"".join)
)
@settings(max_examples=100)
def test_whatever_is_in_a_file_it_is_read_or_refused(data: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        with contextlib.suppress(RecordedError):
            list(Recorded(file.name).blocks(10))


def test_a_numpy_header_that_ends_too_soon_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "decks.npy"
    np.save(path, np.arange(52, dtype=np.uint8)[None, :])
    path.write_bytes(path.read_bytes().replace(b"), }", b",  (("))
    with pytest.raises(RecordedError, match="not a NumPy file"):
        next(Recorded(str(path)).blocks(1))
