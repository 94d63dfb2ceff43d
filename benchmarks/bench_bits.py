"""SP 800-22, all fifteen tests on a million bits: this package against NIST's own C code in one run."""

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import sp80022suite

from benchmarks import Section, best_rate
from randomness.bits import TESTS, Bits, aperiodic_templates

N = 1_000_000
SEED = 5  # a walk with 1,000 cycles or so, else the excursion tests refuse

# Each C function gives one p-value, the lowest where the test has several; defaults of the suite as arguments.
PEER: dict[str, Callable[[bytes], float]] = {
    "frequency": sp80022suite.frequency,
    "block-frequency": lambda bits: sp80022suite.block_frequency(128, bits),
    "runs": sp80022suite.runs,
    "longest-run": sp80022suite.longest_run_of_ones,
    "rank": sp80022suite.rank,
    "spectral": sp80022suite.discrete_fourier_transform,
    "non-overlapping-template": lambda bits: sp80022suite.non_overlapping_template_matchings(9, bits),
    "overlapping-template": lambda bits: sp80022suite.overlapping_template_matchings(9, bits),
    "universal": sp80022suite.universal,
    "linear-complexity": lambda bits: sp80022suite.linear_complexity(500, bits),
    "serial": lambda bits: sp80022suite.serial(16, bits),
    "approximate-entropy": lambda bits: sp80022suite.approximate_entropy(10, bits),
    "cumulative-sums": sp80022suite.cumulative_sums,
    "random-excursions": sp80022suite.random_excursions,
    "random-excursions-variant": sp80022suite.random_excursions_variant,
}


def seconds(work: Callable[[], object], repeats: int) -> float:
    """The quickest of several runs."""

    def once() -> int:
        work()
        return 1

    return 1.0 / best_rate(once, repeats)


def run() -> list[Section]:
    values = np.random.default_rng(SEED).integers(0, 2, N, dtype=np.uint8)
    raw = values.tobytes()
    rows = []
    totals = [0.0, 0.0, 0.0]
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        write_templates(Path(folder))  # the C code reads its templates from a file under the current folder
        for test in TESTS:
            ours = [result.p for result in test.run(Bits(values))]
            theirs = PEER[test.name](raw)
            assert abs(min(ours) - theirs) < 1e-6, f"{test.name}: {min(ours)} here, {theirs} in C"
            compiled = seconds(lambda test=test: test.run(Bits(values)), 7)
            plain = seconds(lambda test=test: test.run(Bits(values, compiled=False)), 5)
            peer = seconds(lambda test=test: PEER[test.name](raw), 3)
            for place, figure in enumerate((compiled, plain, peer)):
                totals[place] += figure
            rows.append(row(test.name, compiled, plain, peer))
    rows.append(row("**all fifteen**", *totals))
    together = seconds(lambda: run_together(values, compiled=None), 7)
    apart = seconds(lambda: run_together(values, compiled=False), 5)
    rows.append(row("**all fifteen, counts shared**", together, apart, totals[2]))
    return [
        Section(
            title="SP 800-22 on 1,000,000 bits",
            columns=("test", "numba, ms", "numpy alone, ms", "NIST C code, ms", "ratio, numba", "ratio, numpy"),
            rows=tuple(rows),
            note="One core. The C code is NIST's, as packaged in `sp80022suite` from PyPI, compiled by its own setup; "
            "every p-value agrees to 1e-6 (where it gives one p-value of several, the lowest).",
        )
    ]


def run_together(values: np.ndarray, *, compiled: bool | None) -> None:
    bits = Bits(values, compiled=compiled)
    for test in TESTS:
        test.run(bits)


def row(name: str, compiled: float, plain: float, peer: float) -> tuple[str, ...]:
    figures = [f"{figure * 1e3:.2f}" for figure in (compiled, plain, peer)]
    return (name, *figures, f"{peer / compiled:.1f}×", f"{peer / plain:.1f}×")


def write_templates(folder: Path) -> None:
    (folder / "templates").mkdir()
    lines = (" ".join(template) for template in aperiodic_templates())
    (folder / "templates" / "template9").write_text("\n".join(lines) + "\n", encoding="ascii")
