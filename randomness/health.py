"""SP 800-90B section 4.4 health tests: repetition count and adaptive proportion, always on, and the start-up test.

Knows samples and cut-offs; knows nothing of generators. A failure latches: the monitor never passes again.
"""

import math
from dataclasses import dataclass
from enum import Enum

from randomness.entropy import EntropySource
from randomness.errors import EntropyError, EntropyUnavailable, HealthFailure

START_UP_SAMPLES = 1024
"""SP 800-90B 4.3 requirement 9: the start-up tests run over at least 1,024 consecutive samples."""

BINARY_WINDOW = 1024
"""SP 800-90B 4.4.2: window of the adaptive proportion test for a binary source."""

SYMBOL_WINDOW = 512
"""SP 800-90B 4.4.2: window for a source with more than two values."""


class ProportionRule(Enum):
    """Which formula gives the cut-off of the adaptive proportion test.

    The document counts the window's first sample among the W tries although it always matches itself. CORRECTED leaves
    it out (2 + the quantile over W - 1 tries), as jitterentropy does; it is what makes the false-alarm rate <= alpha.
    """

    AS_PRINTED = "as printed"
    CORRECTED = "corrected"


def repetition_cutoff(min_entropy: float, alpha_bits: float) -> int:
    """SP 800-90B 4.4.1: C = 1 + ceil(-log2(alpha) / H), with alpha = 2 ** -alpha_bits."""
    return 1 + math.ceil(alpha_bits / min_entropy)


def binomial_quantile(tries: int, chance: float, alpha_bits: float) -> int:
    """The least k with P(Binomial(tries, chance) <= k) >= 1 - 2 ** -alpha_bits.

    Summed from the upper tail, so that a small alpha is not lost against 1.
    """
    alpha = 2.0**-alpha_bits
    log_chance, log_rest = math.log(chance), math.log1p(-chance)
    tail = 0.0
    for k in range(tries, -1, -1):
        log_term = (
            math.lgamma(tries + 1) - math.lgamma(k + 1) - math.lgamma(tries - k + 1)
            + k * log_chance + (tries - k) * log_rest
        )  # fmt: skip
        tail += math.exp(log_term)
        if tail > alpha:
            return k
    return 0


def proportion_cutoff(
    min_entropy: float, alpha_bits: float, window: int, rule: ProportionRule = ProportionRule.CORRECTED
) -> int:
    """SP 800-90B 4.4.2: 1 + CRITBINOM(W, 2^-H, 1 - alpha), or with the first sample left out."""
    chance = 2.0**-min_entropy
    if rule is ProportionRule.AS_PRINTED:
        return 1 + binomial_quantile(window, chance, alpha_bits)
    return 2 + binomial_quantile(window - 1, chance, alpha_bits)


@dataclass(frozen=True, kw_only=True)
class HealthPolicy:
    """What is claimed of the source and how rarely a good one may alarm.

    The default claims full entropy in every byte. Alpha 2^-40 is the strict end of the range that the document
    suggests (2^-20 to 2^-40): a generator that reseeds for each of 10^9 shuffles reads 5·10^10 samples.
    """

    min_entropy: float = 8.0
    alpha_bits: float = 40.0
    window: int = SYMBOL_WINDOW
    rule: ProportionRule = ProportionRule.CORRECTED

    def __post_init__(self) -> None:
        if not 0 < self.min_entropy <= 8:
            raise EntropyError(f"min_entropy is in bits a byte, above 0 and at most 8, not {self.min_entropy}")
        if not 1 <= self.alpha_bits <= 64:
            raise EntropyError(f"alpha_bits is the false-alarm rate as 2^-alpha_bits, 1 to 64, not {self.alpha_bits}")
        if self.window < 2:
            raise EntropyError(f"a window has at least 2 samples, not {self.window}")

    @classmethod
    def assessed(cls, min_entropy: float, *, binary: bool, alpha_bits: float = 40.0) -> "HealthPolicy":
        """The policy for a source of so much assessed entropy a sample, as `randomness.assessment` gives it.

        Start from the source's own figure: a claim above it would miss failures, one below it alarms too rarely.
        """
        return cls(min_entropy=min_entropy, alpha_bits=alpha_bits, window=BINARY_WINDOW if binary else SYMBOL_WINDOW)

    @property
    def repetition(self) -> int:
        """Fail at this many equal samples in a row."""
        return repetition_cutoff(self.min_entropy, self.alpha_bits)

    @property
    def proportion(self) -> int:
        """Fail at this many occurrences of a window's first sample inside it."""
        return proportion_cutoff(self.min_entropy, self.alpha_bits, self.window, self.rule)


class HealthMonitor:
    """Both continuous tests over one stream of samples (a byte each); raises HealthFailure once, then for ever."""

    def __init__(self, policy: HealthPolicy | None = None) -> None:
        self.policy = policy if policy is not None else HealthPolicy()
        self._repetition_cutoff = self.policy.repetition
        self._proportion_cutoff = self.policy.proportion
        self._previous = -1
        self._run = 0
        self._anchor = -1
        self._seen = 0
        self._matches = 0
        self.samples = 0
        self.failure: str | None = None

    def feed(self, samples: bytes) -> None:
        """Test each sample in turn."""
        if self.failure is not None:
            raise HealthFailure(self.failure)
        window, previous, run = self.policy.window, self._previous, self._run
        anchor, seen, matches = self._anchor, self._seen, self._matches
        for number, value in enumerate(samples, self.samples + 1):
            if value == previous:
                run += 1
                if run >= self._repetition_cutoff:
                    self._fail(f"repetition count test: sample value {value} came {run} times in a row", number)
            else:
                previous, run = value, 1
            if seen == 0:
                anchor, matches = value, 1
            elif value == anchor:
                matches += 1
                if matches >= self._proportion_cutoff:
                    self._fail(
                        f"adaptive proportion test: sample value {value} came {matches} times "
                        f"within {seen + 1} samples of a window of {window}",
                        number,
                    )
            seen = seen + 1 if seen + 1 < window else 0
        self.samples += len(samples)
        self._previous, self._run = previous, run
        self._anchor, self._seen, self._matches = anchor, seen, matches

    def _fail(self, what: str, number: int) -> None:
        self.samples = number
        self.failure = f"{what} (sample {self.samples}); the entropy source is unfit"
        raise HealthFailure(self.failure)


class MonitoredEntropy:
    """An entropy source under both tests; the start-up test runs before the first byte goes out.

    Start-up samples are thrown away, as the document allows, so that none is both judged and used.
    """

    def __init__(self, source: EntropySource, policy: HealthPolicy | None = None) -> None:
        self._source = source
        self._started = False
        self.monitor = HealthMonitor(policy)
        self.name = f"{source.name}, SP 800-90B health tests on"

    def start_up(self) -> None:
        """Run the start-up test now; also the on-demand test of SP 800-90B 4.3."""
        self._tested(START_UP_SAMPLES)
        self._started = True

    def read(self, n: int) -> bytes:
        """`n` tested bytes; raises HealthFailure instead of giving a byte that a test has seen fail."""
        if not self._started:
            self.start_up()
        return self._tested(n)

    def _tested(self, n: int) -> bytes:
        if self.monitor.failure is not None:
            raise HealthFailure(self.monitor.failure)
        samples = self._source.read(n)
        if len(samples) != n:
            raise EntropyUnavailable(f"{self._source.name} gave {len(samples)} of {n} bytes")
        self.monitor.feed(samples)
        return samples
