"""A kit on disk: `manifest.json` and one file of decks for each set; the key beside the folder, for its owner alone."""

import csv
import hashlib
import json
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from randomness.certification import Recorded
from randomness.proficiency import (
    KitKey,
    KitScore,
    LabVerdict,
    ProficiencyError,
    SetAnswer,
    answer_set,
    commitment,
    key_from_json,
    key_to_json,
    score,
    set_decks,
)
from randomness.proficiency.composing import VERSION, Decks

MANIFEST = "manifest.json"
FORMAT = "shuffler-proficiency"
HEADER = ("set", "verdict", "because")
BLOCK = 1 << 14
MOST_BYTES = 64 << 20
ASKS = (
    "For each set, say whether a fair shuffler made it. Each row is one deck of 52 cards, top first, faces 0 to 51 "
    "(rank = face % 13, suit = face // 13), in the order dealt; every deck was shuffled from the order 0 to 51. Write "
    "a CSV file with the columns set, verdict (fair, defective or inconclusive) and, if you like, because."
)

Say = Callable[[str], None]


# ----- making ---------------------------------------------------------------------------------------------------------


def make_kit(folder: Path, key_file: Path, key: KitKey, salt: bytes, *, form: str, say: Say) -> dict[str, Any]:
    """Write sets, manifest and key; return the manifest. Raises ProficiencyError where something is there already."""
    if folder.exists() and any(folder.iterdir()):
        raise ProficiencyError(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(key_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as out:
        out.write(json.dumps({"format": FORMAT, "salt": salt.hex(), "key": key_to_json(key)}, indent=1) + "\n")
    sets = []
    for number, one in enumerate(key.sets, start=1):
        path = folder / f"{one.name}.{form}"
        _write_set(path, set_decks(one, key.decks), form)
        sets.append({"name": one.name, "file": path.name, "sha256": _sha256(path)})
        say(f"{number} of {len(key.sets)} sets")
    manifest = {
        "format": FORMAT, "version": VERSION, "asks": ASKS, "decks": key.decks,
        "key_commitment": commitment(key, salt), "sets": sets,
    }  # fmt: skip
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def _write_set(path: Path, blocks: Iterator[Decks], form: str) -> None:
    if form == "npy":
        np.save(path, np.concatenate(list(blocks)))
        return
    with path.open("w", encoding="ascii") as out:
        for decks in blocks:
            out.writelines(",".join(map(str, row)) + "\n" for row in decks.tolist())


def _sha256(path: Path) -> str:
    with path.open("rb") as data:
        return hashlib.file_digest(data, "sha256").hexdigest()


# ----- reading --------------------------------------------------------------------------------------------------------


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ProficiencyError(f"{path} is larger than {MOST_BYTES >> 20} MB")
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ProficiencyError(f"{path}: {problem.strerror}") from None
    except ValueError as problem:
        raise ProficiencyError(f"{path} is not JSON: {problem}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ProficiencyError(f"{path} does not belong to a proficiency kit")
    return found


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest; raises ProficiencyError where it is of another version or a set was changed."""
    manifest = _json(folder / MANIFEST)
    if manifest.get("version") != VERSION:
        raise ProficiencyError(f"{folder} is of version {manifest.get('version')}; this program reads {VERSION}")
    try:
        for one in manifest["sets"]:
            path = folder / Path(one["file"]).name
            if not path.is_file():
                raise ProficiencyError(f"{path} is missing")
            if _sha256(path) != one["sha256"]:
                raise ProficiencyError(f"{path} is not the file that the manifest names: it was changed")
    except (KeyError, TypeError) as problem:
        raise ProficiencyError(f"{folder / MANIFEST} is damaged: {problem} is missing") from None
    return manifest


def answers_of(folder: Path, *, say: Say) -> Iterator[SetAnswer]:
    """Our own battery's answers, set by set."""
    manifest = read_manifest(folder)
    for number, one in enumerate(manifest["sets"], start=1):
        recorded = Recorded(str(folder / Path(one["file"]).name))
        blocks = (piece.decks for block in recorded.blocks(BLOCK) for piece in block.pieces)
        yield answer_set(one["name"], blocks)
        say(f"{number} of {len(manifest['sets'])} sets")


def write_answers(path: Path, answers: Sequence[SetAnswer]) -> None:
    """As CSV."""
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(HEADER)
        writer.writerows((one.name, one.said, one.because) for one in answers)


def read_answers(path: Path) -> list[SetAnswer]:
    """From CSV; raises ProficiencyError with the line that can't be read."""
    words = ", ".join(LabVerdict)
    answers = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as data:
            for number, row in enumerate(csv.reader(data), start=1):
                cells = [cell.strip() for cell in row]
                if not any(cells) or (number == 1 and cells[:2] == list(HEADER[:2])):
                    continue
                if len(cells) < 2 or cells[1].lower() not in list(LabVerdict):
                    raise ProficiencyError(f"{path}, line {number}: expected a set and one of {words}, not {row}")
                because = cells[2] if len(cells) > 2 else ""
                answers.append(SetAnswer(name=cells[0], said=LabVerdict(cells[1].lower()), because=because))
    except OSError as problem:
        raise ProficiencyError(f"{path}: {problem.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as problem:
        raise ProficiencyError(f"{path} is not a CSV file: {problem}") from None
    return answers


def score_kit(folder: Path, key_file: Path, answers: Sequence[SetAnswer]) -> KitScore:
    """Check the key against the manifest's commitment, then score."""
    manifest, sealed = read_manifest(folder), _json(key_file)
    key = key_from_json(sealed.get("key", {}))
    try:
        salt = bytes.fromhex(sealed["salt"])
    except (KeyError, TypeError, ValueError):
        raise ProficiencyError(f"{key_file} has no salt") from None
    if commitment(key, salt) != manifest.get("key_commitment"):
        raise ProficiencyError(f"{key_file} is not the key that {folder / MANIFEST} committed to")
    return score(key, answers)
