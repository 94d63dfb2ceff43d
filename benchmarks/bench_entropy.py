"""SP 800-90B, every non-IID estimator on a million 8-bit samples: this package against NIST's own tool, run beside.

The tool is not part of this package: `SHUFFLER_EA_NON_IID` names its binary `ea_non_iid`; without it the peer's
columns stay empty.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks import Section
from randomness.assessment import Samples, assess

SAMPLES = 1_000_000
SEED = 90
PEER = os.environ.get("SHUFFLER_EA_NON_IID")


def run() -> list[Section]:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for width in (8, 4, 1):
            path = Path(folder) / f"random{width}.bin"
            path.write_bytes(np.random.default_rng(SEED).integers(0, 1 << width, SAMPLES, dtype=np.uint8).tobytes())
            rows.append(row(path, width))
    return [
        Section(
            title="SP 800-90B, non-IID estimators on 1,000,000 samples",
            columns=(
                "bits a sample",
                "here, CPU s",
                "the command, CPU s",
                "NIST's tool, CPU s",
                "ratio",
                "of the command",
            ),
            rows=tuple(rows),
            note="Processor time of one core. `here` is the assessment in a warm process, `the command` is `shuffler "
            "entropy FILE --json` with start and import, kernels compiled before. NIST's tool is run beside where "
            "`SHUFFLER_EA_NON_IID` names its binary; the assessed entropies agree to six digits.",
        )
    ]


def row(path: Path, width: int) -> tuple[str, ...]:
    samples = path.read_bytes()
    here = assess(Samples.from_bytes(samples)).assessed  # compiles, too
    warm = min(_seconds(resource.RUSAGE_SELF, lambda: assess(Samples.from_bytes(samples))) for _ in range(3))
    command = [sys.executable, "-m", "shuffler", "entropy", str(path), "--json"]
    whole = min(_seconds(resource.RUSAGE_CHILDREN, lambda: _run(command)) for _ in range(3))
    if PEER is None:
        return (str(width), f"{warm:.2f}", f"{whole:.2f}", "not given", "", "")
    said = re.search(r"Assessed min entropy: (\S+)", _run([PEER, "-vv", str(path)]))
    assert said is not None, f"{PEER} names no assessed min entropy"
    assert abs(float(said[1]) - here) < 1e-6, f"{here} here, {said[1]} by NIST's tool"
    peer = min(_seconds(resource.RUSAGE_CHILDREN, lambda: _run([PEER, str(path)])) for _ in range(3))
    return (str(width), f"{warm:.2f}", f"{whole:.2f}", f"{peer:.2f}", f"{peer / warm:.1f}×", f"{peer / whole:.1f}×")


def _run(command: list[str]) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _seconds(whose: int, work: Callable[[], object]) -> float:
    """Processor time, user and system, of this process or of the children it waited for."""
    before = resource.getrusage(whose)
    work()
    after = resource.getrusage(whose)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
