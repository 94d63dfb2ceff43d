"""NIST's own sample files and what its tool prints for them, where a folder of vectors is given."""

import os
import re
from pathlib import Path

import pytest

from randomness.assessment import Samples, assess

FOLDER = Path(os.environ.get("SHUFFLER_VECTORS", "")) / "sp800_90b"
FILES = sorted(FOLDER.glob("*.bin")) if os.environ.get("SHUFFLER_VECTORS") else []
FIGURE = re.compile(r"(Literal|Bitstring) (.+?) (?:Prediction )?Estimate: (.+?) = (\S+)$")
WHOLE = re.compile(r"(H_bitstring|H_original|Assessed min entropy)(?: =|:) (\S+)$")


@pytest.mark.skipif(not FILES, reason="SHUFFLER_VECTORS names no folder with sp800_90b/*.bin and *.res")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_figure_of_nists_tool_to_six_digits(path: Path) -> None:
    lines = path.with_suffix(".res").read_text(encoding="utf-8").splitlines()
    expected = {match.groups()[:-1]: float(match[match.lastindex or 0]) for line in lines if (match := _read(line))}
    found = assess(Samples.from_bytes(path.read_bytes()))
    seen: dict[tuple[str, ...], float] = {("H_original",): found.h_original, ("Assessed min entropy",): found.assessed}
    if found.h_bitstring is not None:
        seen["H_bitstring",] = found.h_bitstring
    for of, estimate in found.estimates():
        assert estimate.min_entropy is not None
        for name, value in {**estimate.figures, "min entropy": estimate.min_entropy}.items():
            seen[of, estimate.name, name] = value
    assert seen.keys() == expected.keys()
    assert len(expected) > 50
    for name, value in expected.items():
        assert seen[name] == pytest.approx(value, rel=5e-7), name


def _read(line: str) -> re.Match[str] | None:
    return FIGURE.match(line) or WHOLE.match(line)
