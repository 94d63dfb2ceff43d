"""Raw bits from a file for a certification run, with the provenance that `shuffler collect` leaves beside it."""

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification import BitSource, CertificationError, Plan
from randomness.certification.recorded import MARKS
from shuffler.lab.bit_files import BitReader
from shuffler.lab.collecting.files import provenance_beside


def recorded(path: Path, plan: Plan, *, test: bool) -> BitSource:
    """A file's bits in sequences of the plan's length: as many as the plan asks for, all where it asks for none."""
    try:
        with open(path, "rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise CertificationError(f"can't read the bits {path}: {error.strerror}") from None
    provenance = _provenance(path)
    marks = [mark for mark in MARKS if provenance.get(mark)]
    if marks and not test:
        raise CertificationError(f"the bits in {path} are marked as {' and '.join(marks)}; --test counts them")

    def sequences() -> Iterator[NDArray[np.uint8]]:
        with open(path, "rb") as file:
            yield from BitReader(file, length=plan.bit_length).sequences(plan.bit_sequences or None)

    return BitSource(
        source="recorded", sequences=sequences, name=path.name, file_sha256=digest, provenance=provenance
    )


def _provenance(path: Path) -> dict[str, Any]:
    beside = provenance_beside(path)
    if not beside.exists():
        return {}
    try:
        said = json.loads(beside.read_text(encoding="utf-8"))["provenance"]
    except (OSError, ValueError, KeyError, TypeError):
        raise CertificationError(f"{beside} is not readable as provenance: mend it or take it away") from None
    return dict(said) if isinstance(said, dict) else {}
