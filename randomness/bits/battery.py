"""Sequences put through the fifteen tests, and one verdict on all of them.

Three readings stand side by side. The standard's for one sequence: each p-value at 0.01 on its own. The standard's for
many: the share that passes, and the spread of p-values, each p-value name on its own. And the collective one, which
decides: every p-value (near 1 as well as near 0 where both tell), every share and every spread together, by Holm's
rule, so that ideal bits fail it no more often than the level says.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from randomness.bits.engine import BitArray
from randomness.bits.registry import TESTS, BitTest
from randomness.bits.second_level import LEVEL, SecondLevel, second_level
from randomness.bits.sequence import Bits
from randomness.errors import BitsError
from randomness.holm import Collective, chance_of_an_alarm, holm
from randomness.result import Result


@dataclass(frozen=True, kw_only=True)
class BatteryVerdict:
    """What the battery says about all sequences."""

    sequences: int
    results: tuple[tuple[Result, ...], ...]
    second_levels: tuple[SecondLevel, ...]
    collective: Collective
    stream: tuple[Result, ...]
    below_level: int
    tested: int

    @property
    def passed(self) -> bool:
        """The collective verdict."""
        return self.collective.passed

    @property
    def alarm_chance_alone(self) -> float:
        """How often ideal bits would show at least one p-value below the standard's level, were they independent."""
        return chance_of_an_alarm(self.tested, LEVEL)


class BitBattery:
    """Takes sequences one by one; keeps their results, not their bits."""

    def __init__(self, tests: Sequence[BitTest] = TESTS, *, corrected: bool = False) -> None:
        self.tests = tuple(tests)
        self.corrected = corrected
        self._bounds = {test.name for test in tests if test.bound}
        self._both_ends = {test.name for test in tests if test.both_ends}
        self.results: list[tuple[Result, ...]] = []
        self._beginning: list[BitArray] = []  # as many first bits as the tests on the whole stream look at
        self._wanted = max((test.stream_bits for test in tests), default=0)

    def add(self, bits: Bits) -> tuple[Result, ...]:
        """The results of one more sequence."""
        each = (test for test in self.tests if not test.stream_bits)
        found = tuple(result for test in each for result in test.results(bits, corrected=self.corrected))
        self.results.append(found)
        if self._wanted:
            kept = bits.values[: self._wanted].copy()
            self._beginning.append(kept)
            self._wanted -= kept.size
        return found

    def verdict(self, level: float = LEVEL) -> BatteryVerdict:
        """All sequences together. With no p-value at all there is nothing to judge, and that is an error."""
        by_name: dict[str, list[float]] = {}
        for _, result in self._tested():
            by_name.setdefault(result.test, []).append(_p(result))
        stream = tuple(self._stream_results())
        tested_streams = [result for result in stream if result.p is not None]
        if not by_name and not tested_streams:
            raise BitsError(self._why_nothing(stream))
        spreading = {name: p for name, p in by_name.items() if name.split("/")[0] not in self._bounds}
        levels = tuple(second_level(name, p_values) for name, p_values in spreading.items())
        family = {f"{result.test}, sequence {number + 1}": self._telling(result) for number, result in self._tested()}
        tested = len(family)
        family |= {f"{result.test}, all sequences": _p(result) for result in tested_streams}
        if len(self.results) > 1:
            for one in levels:
                family[f"{one.test}, share"] = _share_tail(one.sequences - one.passed, one.sequences)
                if one.uniformity is not None:
                    family[f"{one.test}, spread"] = one.uniformity
        return BatteryVerdict(
            sequences=len(self.results),
            results=tuple(self.results),
            second_levels=levels,
            collective=holm(family, level),
            stream=stream,
            below_level=sum(_p(result) < LEVEL for _, result in self._tested()),
            tested=tested,
        )

    def _telling(self, result: Result) -> float:
        """The p-value, with both ends folded together where both tell."""
        p = _p(result)
        return min(1.0, 2.0 * min(p, 1.0 - p)) if result.test.split("/")[0] in self._both_ends else p

    def _tested(self) -> Iterator[tuple[int, Result]]:
        for number, results in enumerate(self.results):
            yield from ((number, result) for result in results if result.p is not None)

    def _stream_results(self) -> Iterator[Result]:
        """The tests on the first bits of all sequences together."""
        tests = [test for test in self.tests if test.stream_bits]
        if tests and self._beginning:
            beginning = Bits(np.concatenate(self._beginning))
            yield from (result for test in tests for result in test.results(beginning, corrected=self.corrected))

    def _why_nothing(self, stream: tuple[Result, ...]) -> str:
        for results in (*self.results, stream):
            for result in results:
                return f"no test could be run: {result.test}: {'; '.join(result.unmet)}"
        return "no sequence to test"


def _p(result: Result) -> float:
    assert result.p is not None
    return result.p


def _share_tail(failed: int, sequences: int) -> float:
    """P(at least so many of the sequences fail at the standard's level), were the p-value uniform."""
    if failed == 0:
        return 1.0
    return min(
        1.0,
        math.fsum(
            math.comb(sequences, k) * LEVEL**k * (1.0 - LEVEL) ** (sequences - k) for k in range(failed, sequences + 1)
        ),
    )
