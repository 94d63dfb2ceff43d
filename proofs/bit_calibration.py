"""Are the p-values of the fifteen bit tests uniform on ideal bits? `make proof-bit-calibration`: 2,000 × 10^6 bits.

Each of the 188 p-values, by the standard's constants and by the corrected ones, should keep its Kolmogorov–Smirnov
distance from uniform at 0.050 or less and fall to 0.01 or below 5 to 39 times in 2,000 (`proofs.uniformity`). The
excursion tests refuse walks with fewer than 500 cycles, about four in ten: more walks are drawn until as many have been
tested.

The far tail, where a family-wise rule lives, is shown on 100,000 sequences of 2^16 bits for the tests that take so few:
1 to 24 of them at p <= 0.0001. The other tests ask for a million bits; theirs is a column of the first table.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from proofs.evidence import record
from proofs.uniformity import FAR, Spread, largest_distance, spread, tail_bounds
from randomness.bits import TESTS, Bits, BitTest, serial
from randomness.bits.engine import BitArray
from randomness.result import Result

SEQUENCES = 2_000
BITS = 1_000_000
SEED = 20_260_101
_EXCURSIONS = ("random-excursions", "random-excursions-variant")
_FAR_RUNS = 100_000
_FAR_BITS = 1 << 16
_FAR_BATCH = 500

# Tests that 2^16 bits suffice for, with their defaults, and the serial test with the longest pattern the length allows.
FAR_TESTS: tuple[Callable[[Bits], tuple[Result, ...]], ...] = (
    *(test.corrected or test.run for test in TESTS if test.least_bits <= _FAR_BITS),
    partial(serial, length=13),
)

Source = Callable[[int, int, int], BitArray]


def aes_bits(seed: int, number: int, bits: int) -> BitArray:
    """Sequence `number` of the AES-256 counter-mode stream under `seed`."""
    key = seed.to_bytes(32, "big")
    stream = Cipher(algorithms.AES(key), modes.CTR(number.to_bytes(8, "big") + bytes(8))).encryptor()
    return np.unpackbits(np.frombuffer(stream.update(bytes((bits + 7) // 8)), dtype=np.uint8))[:bits]


def one_sequence(source: Source, seed: int, number: int, bits: int) -> list[tuple[str, str, float]]:
    """Every p-value of one sequence: test, constants, p."""
    sequence = Bits(source(seed, number, bits))
    found = []
    for test in TESTS:
        found += _p_values("standard", test.run(sequence))
        if test.corrected is not None:
            found += _p_values("corrected", test.corrected(sequence))
    return found


def one_walk(source: Source, seed: int, number: int, bits: int) -> list[tuple[str, str, float]]:
    """The same for the excursion tests alone."""
    sequence = Bits(source(seed, number, bits))
    tests: list[BitTest] = [test for test in TESTS if test.name in _EXCURSIONS]
    return [p for test in tests for p in _p_values("standard", test.run(sequence))]


def _p_values(constants: str, results: Iterable[Result]) -> list[tuple[str, str, float]]:
    return [(result.test, constants, result.p) for result in results if result.p is not None]


def calibrate(
    *, sequences: int, bits: int = BITS, seed: int = SEED, source: Source = aes_bits, workers: int | None = None
) -> tuple[Spread, ...]:
    """Draw the sequences and say how each p-value spread."""
    found: dict[tuple[str, str], list[float]] = {}
    walks = f"{_EXCURSIONS[0]}/+1", "standard"
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        jobs = [pool.submit(one_sequence, source, seed, number, bits) for number in range(sequences)]
        for job in jobs:
            for test, constants, p in job.result():
                found.setdefault((test, constants), []).append(p)
        number = sequences
        while len(found.get(walks, ())) < sequences and number < 4 * sequences:
            batch = range(number, number + max(8, sequences // 10))
            number = batch.stop
            for job in [pool.submit(one_walk, source, seed, number, bits) for number in batch]:
                for test, constants, p in job.result():
                    found.setdefault((test, constants), []).append(p)
    return tuple(spread(test, constants, p_values[:sequences]) for (test, constants), p_values in found.items())


def far_batch(source: Source, seed: int, start: int, size: int, bits: int) -> list[tuple[str, float]]:
    """The p-values of `size` short sequences."""
    sequences = [Bits(source(seed, number, bits)) for number in range(start, start + size)]
    results = [result for sequence in sequences for test in FAR_TESTS for result in test(sequence)]
    return [(result.test, result.p) for result in results if result.p is not None]


def far_tail(
    *, runs: int, bits: int = _FAR_BITS, seed: int = SEED, source: Source = aes_bits, workers: int | None = None
) -> dict[str, tuple[int, int]]:
    """For each p-value of the short tests: how many runs it had, and how many of them at p <= 0.0001."""
    found: dict[str, tuple[int, int]] = {}
    with ProcessPoolExecutor(workers or os.cpu_count()) as pool:
        jobs = [
            pool.submit(far_batch, source, seed, (1 << 40) + start, min(_FAR_BATCH, runs - start), bits)
            for start in range(0, runs, _FAR_BATCH)
        ]
        for job in jobs:
            for test, p in job.result():
                seen, tiny = found.get(test, (0, 0))
                found[test] = seen + 1, tiny + (p <= FAR)
    return found


def far_report(found: dict[str, tuple[int, int]], bits: int) -> str:
    """One row a p-value."""
    lines = [f"| test on {bits:,} bits | runs | p ≤ 0.0001 (expected) | within 1 … 24 |", "|---|---|---|---|"]
    lines += [
        f"| {test} | {runs:,} | {tiny} ({runs * FAR:.0f}) | {'yes' if 1 <= tiny <= 24 else '**no**'} |"
        for test, (runs, tiny) in found.items()
    ]
    return "\n".join(lines)


def families(spreads: Iterable[Spread]) -> dict[tuple[str, str], list[Spread]]:
    """The p-values by test and constants."""
    grouped: dict[tuple[str, str], list[Spread]] = {}
    for one in spreads:
        grouped.setdefault((one.test.split("/")[0], one.variant), []).append(one)
    return grouped


def report(spreads: tuple[Spread, ...]) -> str:
    """One row a test and set of constants: the worst of its p-values."""
    lines = [
        "| test | constants | p-values | runs each | largest distance | p ≤ 0.01, least … most | p ≤ 0.0001 (expected) "
        "| outside the bounds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (test, constants), members in families(spreads).items():
        outside = [one.test.partition("/")[2] or "it" for one in members if not one.uniform]
        total = sum(one.runs for one in members)
        lines.append(
            f"| {test} | {constants} | {len(members)} | {members[0].runs} | {max(one.distance for one in members):.4f} "
            f"| {min(one.low for one in members)} … {max(one.low for one in members)} "
            f"| {sum(one.tiny for one in members)} ({total / 10_000:.1f}) | {', '.join(outside) or 'none'} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibration of the fifteen bit tests on ideal bits.")
    parser.add_argument("--sequences", type=int, default=SEQUENCES)
    parser.add_argument("--far-runs", type=int, default=_FAR_RUNS)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    started = time.perf_counter()
    spreads = calibrate(sequences=chosen.sequences, seed=chosen.seed)
    bound = largest_distance(chosen.sequences)
    least, most = tail_bounds(chosen.sequences)
    first = time.perf_counter() - started
    far = far_tail(runs=chosen.far_runs, seed=chosen.seed)
    second = time.perf_counter() - started - first
    body = (
        f"AES-256 in counter mode. {chosen.sequences:,} sequences of {BITS:,} bits in {first:.0f} s; bounds: "
        f"distance ≤ {bound:.3f}, {least} … {most} at p ≤ 0.01.\n\n{report(spreads)}\n\n"
        f"The far tail in {second:.0f} s, by the corrected constants where there are any.\n\n"
        f"{far_report(far, _FAR_BITS)}\n"
    )
    print(body)
    record("bit-calibration", command="make proof-bit-calibration", seed=chosen.seed, body=body)


if __name__ == "__main__":
    main()
