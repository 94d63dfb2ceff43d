"""A kernel: a mechanism with its imperfections, run in batches on a random source. What is certified is what deals."""

import struct
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from fractions import Fraction
from types import MappingProxyType

import numpy as np

from randomness.errors import BadParameter, SourceStuck
from randomness.kernels.dice import DicePlan, plan_dice
from randomness.kernels.engines import Backend, choose, empty_orders, one_plain, run
from randomness.kernels.imperfections import Imperfections
from randomness.kernels.mechanism import Order, ShuffleMechanism, order_type
from randomness.kernels.rack import Rack
from randomness.source import RandomSource, read_words

MAX_CARDS = 1000
"""Eight decks with jokers and a cut card are 433."""

MAX_REDRAWS = 64
"""Rounds of redrawing refused shuffles. A round refuses a few per cent, so a sound source never comes near."""

Parameter = int | float | str | None | tuple[int, ...]


class Kernel(ABC):
    """Something that shuffles: the door that the device and the laboratory use.

    Where randomness goes (the same in play and in certification): a call asks its source once, for `batch` slices of
    equal size, and shuffle i of the call uses slice i alone. Over many calls of the same batch size B, shuffle i uses
    slice i mod B of request i div B. Shuffles whose slice is refused by the rejection rule are drawn again from one
    further request, with one slice for each of them in the order of their indices, and so on until none is left. In
    play B is 1: no randomness of a later shuffle is in memory. Since a generator's output depends on its request
    sizes, two runs give the same orders when they have the same seed and the same B.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """As given to `make`."""

    @property
    @abstractmethod
    def parameters(self) -> Mapping[str, Parameter]:
        """What `make` takes to build this kernel again; only what differs from the defaults. Fit for JSON."""

    @property
    @abstractmethod
    def exact(self) -> bool:
        """Whether every order is equally likely, given ideal random bytes."""

    @abstractmethod
    def describe(self) -> str:
        """One line for a report."""

    @abstractmethod
    def permutations(
        self, cards: int, batch: int, source: RandomSource, *, engine: Backend = Backend.AUTO, out: Order | None = None
    ) -> Order:
        """Shuffle `batch` decks: entry [b, j] is the input index of the card that comes out at position j.

        uint8 up to 255 cards, uint16 above. `out` is filled and returned where given.
        """

    def groups(self, cards: int) -> tuple[int, ...]:
        """The groups in which the cards come out, in order; one for a mechanism that makes none."""
        return (cards,)

    def __repr__(self) -> str:
        settings = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"make({self.name!r}{settings})"


class MechanismKernel(Kernel):
    """A mechanism and its imperfections."""

    def __init__(self, mechanism: ShuffleMechanism, flaws: Imperfections) -> None:
        self.mechanism = mechanism
        self.flaws = flaws
        self._plans: dict[int, DicePlan] = {}

    @property
    def name(self) -> str:
        """The mechanism's."""
        return self.mechanism.name

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """The mechanism's and the imperfections', where they differ from the defaults."""
        return MappingProxyType({**changed(self.mechanism), **changed(self.flaws)})

    @property
    def exact(self) -> bool:
        """A mechanism that is exact, with nothing wrong."""
        return self.mechanism.exact() and self.flaws == Imperfections()

    def describe(self) -> str:
        """Mechanism, then what is wrong with it."""
        wrong = self.flaws.describe()
        return self.mechanism.describe() + (f"; {wrong}" if wrong else "")

    def groups(self, cards: int) -> tuple[int, ...]:
        """A rack's compartments."""
        return self.mechanism.groups(cards) if isinstance(self.mechanism, Rack) else (cards,)

    def plan(self, cards: int) -> DicePlan:
        """The dice of one shuffle and their words."""
        plan = self._plans.get(cards)
        if plan is None:
            check_size(cards, 0)
            plan = self._plans[cards] = plan_dice((*self.mechanism.bounds(cards), *self.flaws.bounds(cards)))
        return plan

    def bytes_per_shuffle(self, cards: int) -> int:
        """The size of a slice."""
        return 8 * self.plan(cards).words

    def permutations(
        self, cards: int, batch: int, source: RandomSource, *, engine: Backend = Backend.AUTO, out: Order | None = None
    ) -> Order:
        """See Kernel."""
        plan = self.plan(cards)
        source = self.flaws.source(source)
        if batch == 1 and out is None and engine in (Backend.AUTO, Backend.PLAIN):
            return self._single(cards, plan, source)
        out = checked_room(cards, batch, out)
        pending = np.arange(batch)
        orders = out
        for _ in range(MAX_REDRAWS):
            if not len(pending):
                return out
            words = read_words(source, len(pending) * plan.words).reshape(len(pending), plan.words)
            accepted = run(choose(engine, batch), self.mechanism, self.flaws, plan, words, orders)
            if orders is not out:
                out[pending[accepted]] = orders[accepted]
            pending = pending[~accepted]
            orders = empty_orders(len(pending), cards)
        raise stuck(len(pending), batch)

    def _single(self, cards: int, plan: DicePlan, source: RandomSource) -> Order:
        layout = struct.Struct(f"<{plan.words}Q")
        for _ in range(MAX_REDRAWS):
            words = layout.unpack(source.generate(layout.size))
            order = one_plain(self.mechanism, self.flaws, plan, cards, words)
            if order is not None:
                return np.array([order], order_type(cards))
        raise stuck(1, 1)


def stuck(pending: int, batch: int) -> SourceStuck:
    """The error for draws that are refused for ever."""
    return SourceStuck(
        f"{pending} of {batch} shuffles were refused {MAX_REDRAWS} times in a row: the random source is not random"
    )


def check_size(cards: int, batch: int) -> None:
    """A deck of a possible size and a batch that is a number of decks."""
    if not 1 <= cards <= MAX_CARDS:
        raise BadParameter(f"a deck has 1 to {MAX_CARDS} cards, not {cards}")
    if batch < 0:
        raise BadParameter(f"a batch is a number of shuffles, not {batch}")


def checked_room(cards: int, batch: int, out: Order | None) -> Order:
    """`out` if it fits, or new room."""
    check_size(cards, batch)
    if out is None:
        return empty_orders(batch, cards)
    if out.shape != (batch, cards) or out.dtype != order_type(cards) or not out.flags.c_contiguous:
        raise BadParameter(
            f"out must be a contiguous array of {order_type(cards)}, {batch} by {cards}, "
            f"not {out.dtype}, {' by '.join(map(str, out.shape))}"
        )
    return out


def changed(settings: object) -> dict[str, Parameter]:
    """The fields of a dataclass that differ from their defaults, fit for JSON."""
    values = {field.name: (getattr(settings, field.name), field.default) for field in fields(settings)}  # type: ignore[arg-type]
    return {
        name: str(value) if isinstance(value, Fraction) else value
        for name, (value, default) in values.items()
        if value != default
    }
