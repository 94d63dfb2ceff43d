"""The shuffling engine: draws an order from the profile's kernel, the same code that certification runs in batches.

In play a request is for one shuffle (batch 1): no later randomness lies in memory. A laboratory may draw several at a
time; shuffle i is then slice i mod B of request i div B. Rigging and defects come from the control plane and mark what
they touch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firmware_sim.errors import BadControl
from firmware_sim.machine.mechanism import Mechanism
from firmware_sim.machine.profile import Profile
from protocol.cards import CUT_CARD, card_name
from protocol.messages import GameEntry
from protocol.vocabulary import DeviceFlag
from randomness import RandomSource
from randomness.kernels import Kernel, make

NO_FLAGS = DeviceFlag(0)


def kernel_settings(profile: Profile, game: GameEntry, defects: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The settings of the profile's kernel for a game: a rack has a compartment for each group."""
    parameters = {**profile.build.kernel_parameters, **(defects or {})}
    if profile.build.kernel == "rack":
        parameters = {"compartments": game.groups + 1, "group": game.cards_per_group, **parameters}
    return parameters


def kernel_for(profile: Profile, game: GameEntry, defects: Mapping[str, Any] | None = None) -> Kernel:
    """The profile's mechanism, set for a game."""
    return make(profile.build.kernel, **kernel_settings(profile, game, defects))


@dataclass(frozen=True, slots=True)
class Draw:
    """An order for a deck: position i gets the card that came in at order[i]."""

    order: list[int]
    flags: DeviceFlag = NO_FLAGS  # RIGGED where the control plane had its say
    note: str = ""  # for the log


@dataclass(frozen=True, slots=True)
class HandShuffled:
    """What the control plane did to a deck that was shuffled by hand, before it was laid in."""

    flags: DeviceFlag = NO_FLAGS
    note: str = ""  # for the log


Shuffler = Callable[[int, GameEntry], Draw]

AS_DRAWN = -1  # in a rigged order: whatever was drawn


class OrderSource:
    """Draws orders; the control plane may fix the next ones or wear the mechanism out."""

    def __init__(self, profile: Profile, machine: Mechanism, source: RandomSource, *, batch: int = 1) -> None:
        self._profile = profile
        self._machine = machine
        self._source = source
        self._batch = batch
        self._drawn: list[list[int]] = []
        self._kernel: Kernel | None = None
        self._made_for: tuple[int, int] = (0, 0)
        self.prepared = HandShuffled()
        self.defects: dict[str, Any] = {}
        self.rigged: list[Sequence[int]] = []  # first faces of the next decks, in deal order

    def __call__(self, cards: int, game: GameEntry) -> Draw:
        """An order for a deck that lies on the stack; raises a RandomnessError where there is no randomness."""
        return self._rigged(self._next(cards, game), [self._machine.faces[card] for card in self._machine.places.stack])

    def _rigged(self, order: list[int], faces: list[int]) -> Draw:
        """What was drawn, or as the control plane wants it."""
        if not self.rigged:
            return Draw(order, DeviceFlag.RIGGED if self.defects else NO_FLAGS)
        try:
            return Draw(arrange(order, faces, self.rigged.pop(0)), DeviceFlag.RIGGED)
        except BadControl as problem:  # it may be noticed long after the tester's call, under a host's command
            return Draw(order, DeviceFlag.RIGGED, f"rigged order left out: {problem}")

    def raw(self, count: int) -> bytes:
        """Output of the generator that orders are drawn from; no shuffle ever sees it."""
        return self._source.generate(count)

    def restart(self, source: RandomSource) -> None:
        """A power-up: another source, and nothing of the old one left."""
        self._source = source
        self._drawn = []

    def prepare(self, deck: list[int]) -> list[int]:
        """Shuffle a deck for a shoe, elsewhere and by hand; the cut card goes in from the end."""
        faces, from_end = self._machine.faces, self._profile.build.cut_card_from_end
        plain = [card for card in deck if faces[card] != CUT_CARD]
        order = self._next(len(plain), self._profile.games[0])
        drawn = self._rigged(order, [faces[card] for card in plain])
        self.prepared, order = HandShuffled(drawn.flags, drawn.note), drawn.order
        shuffled = [plain[at] for at in order]
        cut = [card for card in deck if faces[card] == CUT_CARD]
        at = max(0, len(shuffled) - from_end)
        return shuffled[:at] + cut + shuffled[at:]

    def wear(self, **defects: Any) -> None:
        """Give the mechanism imperfections (those of its kernel); none makes it good again."""
        kernel_for(self._profile, self._profile.games[0], defects)
        self.defects = defects
        self._kernel = None

    def _next(self, cards: int, game: GameEntry) -> list[int]:
        """The next order drawn: slice i mod B of request i div B."""
        if self._kernel is None or self._made_for != (cards, game.game):
            self._kernel = kernel_for(self._profile, game, self.defects)
            self._made_for = (cards, game.game)
            self._drawn = []
        if not self._drawn:
            self._drawn = self._kernel.permutations(cards, self._batch, self._source).tolist()[::-1]
        return self._drawn.pop()


def arrange(order: Sequence[int], faces: Sequence[int], wanted: Sequence[int]) -> list[int]:
    """An order that deals the wanted faces first and leaves the others as they were drawn."""
    free = list(order)
    chosen: list[int | None] = []
    for position, face in enumerate(wanted):
        at = next((at for at in free if at < len(faces) and faces[at] == face), None) if face != AS_DRAWN else None
        if at is None and face != AS_DRAWN:
            raise BadControl(f"the deck has no {card_name(face)} left to put at position {position + 1}")
        if at is not None:
            free.remove(at)
        chosen.append(at)
    rest = iter(free)
    return [at if at is not None else next(rest) for at in chosen] + list(rest)


def any_shuffle(chance: Callable[[int], bytes]) -> Shuffler:
    """A correct shuffle of no particular mechanism: random keys, sorted; equal keys are drawn again."""

    def draw(cards: int, _: GameEntry) -> Draw:
        while True:
            material = chance(8 * cards)
            keys = [material[at : at + 8] for at in range(0, 8 * cards, 8)]
            if len(set(keys)) == cards:
                return Draw(sorted(range(cards), key=keys.__getitem__))

    return draw
