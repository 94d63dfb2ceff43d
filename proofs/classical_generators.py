"""Which classical generators the bit battery finds, and at what size. `make proof-classical-generators`.

Each generator goes through the fifteen tests and those beyond the standard (`shuffler bits --beyond`, Holm's rule at
1 %), in sequences of a million bits, under several seeds. Those that no test finds at any of the sizes are the point
of the record: passing says nothing against them. Then good bits go through the word test alone: its lengths follow the
exact law, and its p-values are small no more often than they say.
"""

import argparse
import sys
import time
from collections import Counter
from dataclasses import dataclass

from proofs.evidence import record
from randomness.bits import BEYOND, TESTS, Bits
from randomness.bits.battery import BitBattery
from randomness.bits.word_complexity import READINGS, WORDS, chance_of_at_most, word_complexity
from randomness.sources import make_source
from randomness.special import chi_square_tail

LEVEL = 0.01
LENGTH = 1_000_000
SIZES = (1, 10, 100)  # sequences
SEEDS = 3
GOOD_STREAMS = 1_000
SEED = 20_260_201

# name, what it is
GENERATORS = {
    "ctr": "CTR_DRBG AES-256, for comparison",
    "defect:mt19937": "MT19937, 32-bit words",
    "defect:java-random": "java.util.Random, nextInt()",
    "defect:java-random:keep=31": "java.util.Random, 31 bits of each state",
    "defect:java-random:keep=24": "java.util.Random, nextFloat()'s 24 bits",
    "defect:lcg": "LCG mod 2^32 (Numerical Recipes), all 32 bits",
    "defect:lcg:keep=24": "the same LCG truncated to 24 bits",
    "defect:lcg:keep=16": "the same LCG truncated to 16 bits",
    "defect:lcg:keep=8": "the same LCG truncated to 8 bits",
    "defect:minstd": "MINSTD, all 31 bits",
    "defect:minstd:keep=16": "MINSTD truncated to 16 bits",
    "defect:randu:keep=16": "RANDU truncated to 16 bits",
}


@dataclass(frozen=True, kw_only=True)
class Found:
    """How many seeds were rejected at a size, and by which tests."""

    generator: str
    bits: int
    seeds: int
    rejected: int
    tests: tuple[str, ...]


def find(generator: str, sequences: int, seeds: int, *, seed: int = SEED) -> Found:
    """The battery on so many sequences, under several seeds."""
    rejected, by = 0, Counter[str]()
    for number in range(seeds):
        source = make_source(generator, seed=seed, stream=number)
        battery = BitBattery((*TESTS, *BEYOND), corrected=True)
        for _ in range(sequences):
            battery.add(Bits.from_bytes(source.generate(LENGTH // 8)))
        names = battery.verdict(LEVEL).collective.rejected
        rejected += bool(names)
        by.update({name.split(",")[0].split("/")[0] for name in names})
    tests = tuple(name for name, _ in by.most_common())
    return Found(generator=generator, bits=sequences * LENGTH, seeds=seeds, rejected=rejected, tests=tests)


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """The word test on good bits: lengths of all readings against their law, and its small p-values."""

    streams: int
    lengths: dict[int, int]
    p: float
    alarms: int


def calibrate(streams: int, *, words: int = WORDS, seed: int = SEED) -> Calibration:
    """Good streams that just suffice for words of 64 bits, so that every reading has the same law."""
    lengths, alarms = Counter[int](), 0
    source = make_source("ctr", seed=seed)
    for _ in range(streams):
        bits = Bits.from_bytes(source.generate(64 * words // 8))
        (result,) = word_complexity(bits, words=words, most_words=words)
        alarms += result.p is not None and result.p <= LEVEL
        for reading in READINGS:
            taken = bits.values[reading.bit : reading.size * words : reading.size].copy()
            lengths[int(bits.engine.complexities(taken, words)[0])] += 1
    return Calibration(
        streams=streams,
        lengths=dict(lengths),
        p=_against_the_law(lengths, words, streams * len(READINGS)),
        alarms=alarms,
    )


def _against_the_law(lengths: Counter[int], words: int, total: int) -> float:
    """Chi-square over the lengths about the middle, both ends joined."""
    ends = range(words // 2 - 4, words // 2 + 4)
    classes = [sum(seen for length, seen in lengths.items() if length <= ends[0])]
    chances = [chance_of_at_most(ends[0], words)]
    for end in ends[1:]:
        classes.append(lengths[end])
        chances.append(chance_of_at_most(end, words) - chance_of_at_most(end - 1, words))
    classes.append(total - sum(classes))
    chances.append(1.0 - sum(chances))
    statistic = sum((seen - total * p) ** 2 / (total * p) for seen, p in zip(classes, chances, strict=True))
    return chi_square_tail(statistic, len(classes) - 1)


def report(found: list[Found], good: Calibration) -> str:
    """A row a generator, a column a size."""
    sizes = sorted({each.bits for each in found})
    lines = ["| generator | " + " | ".join(f"{size:,} bits" for size in sizes) + " | found by |"]
    lines.append("|---|" + "---|" * (len(sizes) + 1))
    for generator, what in GENERATORS.items():
        mine = {each.bits: each for each in found if each.generator == generator}
        if mine:
            cells = [f"{mine[size].rejected} of {mine[size].seeds}" for size in sizes]
            tests = dict.fromkeys(test for size in sizes for test in mine[size].tests)
            lines.append(f"| {what} | {' | '.join(cells)} | {', '.join(tests) or 'nothing'} |")
    return "\n".join(lines) + (
        f"\n\nThe word test on {good.streams:,} streams of good bits: {good.alarms} at p ≤ {LEVEL}; the "
        f"{sum(good.lengths.values()):,} lengths against their exact law: p = {good.p:.3f}.\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Which classical generators the bit battery finds.")
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="sequences of a million bits")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--good", type=int, default=GOOD_STREAMS, help="good streams for the word test")
    chosen = parser.parse_args()
    started = time.perf_counter()
    found = []
    for generator in GENERATORS:
        for size in chosen.sizes:
            found.append(find(generator, size, chosen.seeds))
            print(found[-1], flush=True)
    good = calibrate(chosen.good)
    body = (
        f"Fifteen tests of SP 800-22 with corrected constants and {len(BEYOND)} beyond, Holm's rule at {LEVEL:.0%}, in "
        f"{time.perf_counter() - started:.0f} s: seeds rejected.\n\n{report(found, good)}"
    )
    print(body)
    settings = (*map(str, chosen.sizes), str(chosen.seeds), str(chosen.good))
    usual = settings == (*map(str, SIZES), str(SEEDS), str(GOOD_STREAMS))
    smaller = f"python -m proofs.classical_generators {' '.join(sys.argv[1:])}"
    command = "make proof-classical-generators" if usual else smaller
    record("classical-generators", command=command, seed=SEED, body=body)


if __name__ == "__main__":
    main()
