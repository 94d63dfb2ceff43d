"""The noise source: a part of the machine that can go bad, and the same under the health tests of SP 800-90B.

The generators of the device take their noise here. Whether it is bad nobody is told: the tests of `randomness.health`
find it out from the samples, or it is not found.
"""

from collections.abc import Callable
from functools import partial
from typing import ParamSpec, TypeVar

from randomness import RandomnessError, RandomSource
from randomness.entropy import EntropySource
from randomness.health import MonitoredEntropy

SAMPLES_A_DRAW = 64  # noise that is tested before each draw, whatever the generator takes of it

Asked = ParamSpec("Asked")
Drawn = TypeVar("Drawn")


class Noise:
    """Samples of an origin, of which a part may be stuck at one value."""

    def __init__(self, origin: EntropySource) -> None:
        self._origin = origin
        self.name = origin.name
        self.stuck_share = 0.0  # of the samples: 0 for a good source, 1 for a dead one
        self.stuck_at = 0

    def read(self, n: int) -> bytes:
        """`n` samples as the part gives them."""
        samples = self._origin.read(n)
        if not self.stuck_share:
            return samples
        threshold = self.stuck_share * 256
        lots = self._origin.read(n)
        return bytes(
            self.stuck_at if lot < threshold else sample for lot, sample in zip(lots, samples, strict=True)
        )


class TestedNoise:
    """Noise under the continuous tests; a failure stays until the source is tested anew and passes."""

    __test__ = False

    def __init__(self, noise: Noise) -> None:
        self._noise = noise
        self._monitored = MonitoredEntropy(noise)
        self.name = self._monitored.name

    def read(self, n: int) -> bytes:
        """`n` tested samples; raises HealthFailure where a test has failed."""
        return self._monitored.read(n)

    def before(self, draw: Callable[Asked, Drawn]) -> Callable[Asked, Drawn]:
        """The same draw, with samples tested before each; it raises HealthFailure where a test fails."""
        return partial(self._tested, draw)

    def _tested(self, draw: Callable[Asked, Drawn], *args: Asked.args, **more: Asked.kwargs) -> Drawn:
        self.read(SAMPLES_A_DRAW)
        return draw(*args, **more)

    def passes(self) -> bool:
        """The start-up test on demand; where it passes, earlier failures are forgotten."""
        fresh = MonitoredEntropy(self._noise)
        try:
            fresh.start_up()
        except RandomnessError:
            return False
        self._monitored = fresh
        return True


class RenewedSource:
    """A generator that is made when first asked, and made anew after it has stopped for good."""

    def __init__(self, make: Callable[[], RandomSource]) -> None:
        self._make = make
        self._source: RandomSource | None = None

    def generate(self, n: int) -> bytes:
        """`n` bytes; raises a RandomnessError where there is no randomness."""
        try:
            if self._source is None:
                self._source = self._make()
            return self._source.generate(n)
        except RandomnessError:
            self._source = None
            raise
