"""Planted defects by name, as kernels and as sources. Nothing of the product uses them; negative controls do."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar

from randomness.errors import UnknownKernel, UnknownSource
from randomness.kernels.catalogue import DEFECT, parse_settings, split
from randomness.kernels.engines import Backend
from randomness.kernels.ideal import Ideal
from randomness.kernels.imperfections import Imperfections
from randomness.kernels.kernel import Kernel, MechanismKernel, Parameter, changed
from randomness.kernels.mechanism import Order
from randomness.source import RandomSource
from randomness.weak.algorithms import Modulo, NaiveSwap, Sattolo
from randomness.weak.classes import KeptLane, RisingClass
from randomness.weak.favours import FavouredCard, FavouredCell, FavouredPosition, TopCardKept, WrongCard
from randomness.weak.memory import KeptCard
from randomness.weak.seeds import ClockSeed, SmallSeed
from randomness.weak.streams import (
    BiasedBits,
    JavaRandom,
    Lcg,
    Minstd,
    Mt19937,
    Randu,
    ShortPeriod,
    StreamDefect,
    StuckBit,
)


@dataclass(frozen=True, kw_only=True)
class Sticky:
    """Two neighbouring cards of the input stick together, each pair with chance `rate`.

    Predicted: successions rise from 51/52 a deck by about 50 · rate. At level 0.01 and power 0.8 (one-sided) that takes
    10.04 · 0.98 / (50 rate)^2 decks: 1 at 1 in 10, 40 at 1 in 100, 3,900 at 1 in 1,000, 390,000 at 1 in 10,000.
    """

    name: ClassVar[str] = "sticky"
    rate: Fraction = Fraction(1, 1000)


SHUFFLES: tuple[type[Any], ...] = (
    Sattolo, NaiveSwap, Modulo, SmallSeed, ClockSeed,
    TopCardKept, FavouredCell, FavouredCard, FavouredPosition, WrongCard, Sticky, KeptCard, RisingClass, KeptLane,
)  # fmt: skip
STREAMS: tuple[type[Any], ...] = (Lcg, Minstd, Randu, JavaRandom, Mt19937, ShortPeriod, StuckBit, BiasedBits)

DEFECTS: dict[str, type[Any]] = {kind.name: kind for kind in (*SHUFFLES, *STREAMS)}
"""Every planted defect by its name without the prefix."""

SOURCES: dict[str, type[StreamDefect]] = {kind.name: kind for kind in STREAMS}
"""Those that are random sources too."""


class ShuffleDefect(MechanismKernel):
    """A defect that is a mechanism of its own."""

    @property
    def name(self) -> str:
        """With the prefix."""
        return DEFECT + self.mechanism.name

    def describe(self) -> str:
        """Marked as planted."""
        return f"PLANTED DEFECT: {self.mechanism.describe()}"


class StickyDefect(MechanismKernel):
    """The ideal shuffle with sticky cards, under a defect's name."""

    def __init__(self, settings: Sticky) -> None:
        super().__init__(Ideal(), Imperfections(sticky=settings.rate))
        self._settings = settings

    @property
    def name(self) -> str:
        """With the prefix."""
        return DEFECT + Sticky.name

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The rate."""
        return MappingProxyType(changed(self._settings))

    def describe(self) -> str:
        """Marked as planted."""
        return f"PLANTED DEFECT: cards stick together at {self._settings.rate}"


class PlantedKernel(Kernel):
    """A defect that no mechanism has: it lies in the source, or between one shuffle and the next."""

    settings: StreamDefect | KeptCard

    @property
    def name(self) -> str:
        """With the prefix."""
        return DEFECT + self.settings.name

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The defect's."""
        return MappingProxyType(changed(self.settings))

    @property
    def exact(self) -> bool:
        """Never, though each shuffle alone may be."""
        return False


class StreamKernel(PlantedKernel):
    """The ideal shuffle on a bad random source, which is seeded from the good one when first used and then kept."""

    def __init__(self, settings: StreamDefect) -> None:
        self.settings: StreamDefect = settings
        self._ideal = MechanismKernel(Ideal(), Imperfections())
        self._bad: RandomSource | None = None

    def describe(self) -> str:
        """Marked as planted."""
        return f"PLANTED DEFECT: ideal shuffles from a bad random source: {shown(self.settings)}"

    def permutations(
        self, cards: int, batch: int, source: RandomSource, *, engine: Backend = Backend.AUTO, out: Order | None = None
    ) -> Order:
        """See Kernel; `source` only seeds the bad one."""
        if self._bad is None:
            self._bad = self.settings.open(source)
        return self._ideal.permutations(cards, batch, self._bad, engine=engine, out=out)


class MemoryKernel(PlantedKernel):
    """Ideal shuffles with memory."""

    def __init__(self, settings: KeptCard) -> None:
        self.settings: KeptCard = settings
        self._run = settings.start()

    def describe(self) -> str:
        """Marked as planted."""
        return f"PLANTED DEFECT: {self.settings.describe()}"

    def permutations(
        self, cards: int, batch: int, source: RandomSource, *, engine: Backend = Backend.AUTO, out: Order | None = None
    ) -> Order:
        """See Kernel; state carries over from call to call."""
        return self._run.permutations(cards, batch, source, engine, out)


def make_kernel(name: str, parameters: Mapping[str, object]) -> Kernel:
    """A planted defect ("defect:sattolo") as a kernel."""
    kind = DEFECTS.get(name.removeprefix(DEFECT))
    if kind is None:
        raise UnknownKernel(f"no planted defect '{name}': there are {', '.join(DEFECTS)}")
    (settings,) = split(name, parameters, kind)
    if isinstance(settings, KeptCard):
        return MemoryKernel(settings)
    if isinstance(settings, Sticky):
        return StickyDefect(settings)
    if kind in STREAMS:
        return StreamKernel(settings)
    return ShuffleDefect(settings, Imperfections())


def parse_source(text: str, inner: RandomSource) -> RandomSource:
    """A planted defect as a source, from "defect:NAME" or "defect:NAME:KEY=VALUE,…"; `inner` seeds it."""
    name, _, rest = text.removeprefix(DEFECT).partition(":")
    kind = SOURCES.get(name)
    if kind is None:
        why = "is a shuffle, not a source" if name in DEFECTS else "is not known"
        raise UnknownSource(f"planted defect '{name}' {why}: sources are {', '.join(SOURCES)}")
    (settings,) = split(DEFECT + name, parse_settings(rest), kind)
    defect: StreamDefect = settings
    return defect.open(inner)


def shown(settings: Any) -> str:
    """Name and all parameters."""
    values = ", ".join(f"{field.name} {getattr(settings, field.name)}" for field in fields(settings))
    return f"{settings.name} ({values})"
