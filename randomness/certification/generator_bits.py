"""The generator's bits in a run: the fifteen tests of SP 800-22 rev. 1a, each one figure of the family.

A test's figure is the least of its p-values over all sequences (with the second level of section 4.2 where there are
several sequences), multiplied by how many they are: Bonferroni's bound, valid whatever their dependence.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.bits import TESTS, Bits, BitTest
from randomness.bits.battery import BitBattery
from randomness.certification.model import BitRow, BitsPart, open_table
from randomness.errors import BitsError
from randomness.result import Finding, Null, Outcome, Result
from randomness.source import RandomSource

SECTION = "generator, SP 800-22"
CLAUSE = "NIST SP 800-22 rev. 1a, "
REQUEST = 1 << 16  # what one request of a DRBG may carry
LEVEL = 0.01  # section 4.2.1: the standard's own, each p-value alone
MOST_FINDINGS = 3

BitArray = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class BitSource:
    """Where the bits of a run come from, and its sequences."""

    source: str
    sequences: Callable[[], Iterable[BitArray]]
    name: str = ""
    file_sha256: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BitsFound:
    """What the tests said: results for the family, and the record."""

    results: tuple[Result, ...]
    record: BitsPart


def generator_bits(source: Callable[[], RandomSource], *, sequences: int, length: int, describes: str) -> BitSource:
    """So many sequences from a generator, most significant bit first."""

    def made() -> Iterator[BitArray]:
        stream, size = source(), -(-length // 8)
        for _ in range(sequences):
            data = b"".join(stream.generate(min(REQUEST, size - at)) for at in range(0, size, REQUEST))
            yield np.unpackbits(np.frombuffer(data, np.uint8))[:length]

    return BitSource(source=describes, sequences=made)


def run_bits(
    bits: BitSource, *, progress: Callable[[int], None] = lambda _done: None, stop: Callable[[], bool] = lambda: False
) -> BitsFound | None:
    """Every sequence through all fifteen; None when `stop` said so on the way, or where there is no sequence."""
    batteries = {test.name: BitBattery((test,), corrected=True) for test in TESTS}
    whole = hashlib.sha256()
    lengths: list[int] = []
    for sequence in bits.sequences():
        if stop():
            return None
        whole.update(np.packbits(sequence).tobytes())
        lengths.append(len(sequence))
        one = Bits(sequence)
        for battery in batteries.values():
            battery.add(one)
        progress(len(lengths))
    if not lengths:
        return None
    rows = [_row(test, batteries[test.name], sum(lengths)) for test in TESTS]
    p_values = [p for _, _, found in rows for p in found]
    record = BitsPart(
        source=bits.source,
        sequences=len(lengths),
        length=lengths[0],
        bits=sum(lengths),
        sha256=whole.hexdigest(),
        constants="corrected where the standard's are known to be off",
        p_values=len(p_values),
        below_0_01=sum(p < LEVEL for p in p_values),
        expected_below_0_01=len(p_values) * LEVEL,
        tests=tuple(row for _, row, _ in rows),
        name=bits.name,
        file_sha256=bits.file_sha256,
        provenance=open_table(dict(bits.provenance)),
    )
    return BitsFound(results=tuple(result for result, _, _ in rows), record=record)


def _row(test: BitTest, battery: BitBattery, bits: int) -> tuple[Result, BitRow, list[float]]:
    """One test: its figure, its line in the record, and its p-values."""
    clause = f"{CLAUSE}{test.section}"
    found = [result for results in battery.results for result in results]
    p_values = [result.p for result in found if result.p is not None]
    try:
        verdict = battery.verdict()
    except BitsError:
        unmet = tuple(dict.fromkeys(why for result in found for why in result.unmet))[:1]
        untested = Result(test=test.name, outcome=Outcome.TOO_FEW, samples=bits, unmet=unmet)
        return untested, BitRow(test=test.name, clause=clause, sees=test.sees, p_values=0, unmet=unmet), []
    adjusted = verdict.collective.adjusted
    worst = sorted(adjusted, key=adjusted.__getitem__)[:MOST_FINDINGS]
    result = Result(
        test=test.name,
        outcome=Outcome.TESTED,
        samples=bits,
        statistic=min(p_values),
        p=min(adjusted.values()),
        null=Null.ASYMPTOTIC,
        effect=sum(p < LEVEL for p in p_values) / len(p_values),
        effect_unit="share of p-values below 0.01",
        findings=tuple(
            Finding(place=f"{name}: p of the test adjusted to", observed=adjusted[name], expected=1.0, z=float("inf"))
            for name in worst
            if adjusted[name] < LEVEL
        ),
    )
    levels = [asdict(level) | {"share": level.share} for level in verdict.second_levels]
    spreads = [level["uniformity"] for level in levels if level["uniformity"] is not None]
    line = BitRow(
        test=test.name,
        clause=clause,
        sees=test.sees,
        p_values=len(p_values),
        lowest_p=min(p_values),
        below_0_01=sum(p < LEVEL for p in p_values),
        lowest_share=min(level["share"] for level in levels),
        share_low=levels[0]["share_low"],
        lowest_uniformity=min(spreads) if spreads else None,
    )
    return result, line, p_values
