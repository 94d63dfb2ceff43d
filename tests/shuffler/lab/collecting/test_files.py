"""Collected files: what certification reads back, what a crash leaves, whose file it is."""

import json
from pathlib import Path
from typing import Any

import pytest

from randomness.certification import Recorded
from shuffler.lab.collecting import BitFile, CollectedDeck, CollectionFile, DeckFile

DECKS = [tuple(range(52)), tuple(range(51, -1, -1)), (1, 0, *range(2, 52))]
HEAD = {"method": "m", "device": {"serial": "S", "profile": "p", "firmware": "1", "program_sha256": "aa"}}


def other(**device: str) -> dict[str, Any]:
    return {**HEAD, "device": {**HEAD["device"], **device}}  # type: ignore[dict-item]


def fill(path: Path, decks: list[tuple[int, ...]], *, resume: bool = False) -> DeckFile:
    file = DeckFile(path, HEAD, resume=resume)
    for number, cards in enumerate(decks):
        file.write(CollectedDeck(shuffle=number, cards=cards, marks=("seeded",) if number == 1 else ()))
    file.close("complete", {"misdealt": 2})
    return file


def read(path: Path, *, test: bool = False) -> tuple[Recorded, list[tuple[int, ...]]]:
    recorded = Recorded(str(path), test=test)
    blocks = list(recorded.blocks(100))
    assert not any(block.malformed for block in blocks)
    return recorded, [tuple(deck) for block in blocks for piece in block.pieces for deck in piece.decks.tolist()]


def test_certification_reads_what_was_collected_with_marks_and_provenance(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    fill(path, DECKS)
    recorded, decks = read(path, test=True)
    assert decks == DECKS
    assert recorded.provenance == HEAD
    assert recorded.stretches[0]["left_out"] == {"misdealt": 2}
    assert read(path)[1] == [DECKS[0], DECKS[2]]  # the seeded one is left out


def test_a_collection_goes_on_after_a_crash_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    fill(path, DECKS[:2])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]) + b'{"deck":[1,2,')  # no closing line, and a torn one
    gone_on = fill(path, DECKS[2:], resume=True)
    assert gone_on.decks == 3
    recorded, decks = read(path, test=True)
    assert decks == DECKS
    assert len(recorded.stretches) == 2
    assert json.loads(path.read_text().splitlines()[-1])["provenance"]["decks"] == 1


def test_every_moment_of_a_collection_is_a_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    file = DeckFile(path, HEAD, resume=False)
    for many, cards in enumerate(DECKS, 1):
        file.write(CollectedDeck(shuffle=many, cards=cards))
        assert read(path)[1] == DECKS[:many]
    file.close("stopped", {})


@pytest.mark.parametrize(
    ("resume", "why"), [(False, "already: continue it with --resume"), (True, "not written by `shuffler")]
)
def test_a_file_of_someone_elses_is_left_alone(tmp_path: Path, resume: bool, why: str) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text("precious\n")
    with pytest.raises(CollectionFile, match=why):
        DeckFile(path, HEAD, resume=resume)
    assert path.read_text() == "precious\n"


@pytest.mark.parametrize("key", ["serial", "profile", "firmware", "program_sha256"])
def test_another_device_does_not_go_on_with_it(tmp_path: Path, key: str) -> None:
    path = tmp_path / "d.jsonl"
    fill(path, DECKS)
    before = path.read_bytes()
    with pytest.raises(CollectionFile, match=f"is of {key.replace('_', ' ')} .*, this device has else"):
        DeckFile(path, other(**{key: "else"}), resume=True)
    assert path.read_bytes() == before


def test_resuming_what_is_not_there_begins_it(tmp_path: Path) -> None:
    assert fill(tmp_path / "d.jsonl", DECKS, resume=True).decks == 3


def test_bits_have_their_provenance_and_digest_beside(tmp_path: Path) -> None:
    path = tmp_path / "b.bin"
    file = BitFile(path, HEAD, marks=("seeded",))
    file.write(b"ab")
    file.write(b"c")
    said = json.loads(file.close("complete").read_text())["provenance"]
    assert path.read_bytes() == b"abc"
    assert said["sha256"] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, "abc"
    assert (said["bytes"], said["seeded"], said["method"]) == (3, True, "m")
    with pytest.raises(CollectionFile, match="there already"):
        BitFile(path, HEAD, marks=())


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(CollectionFile, match="can't write"):
        DeckFile(tmp_path / "no" / "d.jsonl", HEAD, resume=False)
