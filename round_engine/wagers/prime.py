"""Prime: the player's three cards are of one colour; more where the dealer's three are too."""

from collections.abc import Sequence
from itertools import permutations
from math import comb
from typing import TYPE_CHECKING, Any

from round_engine.rules.ruleset import Paytable
from round_engine.wagers.aspects import NO_ROW, Aspect, Ways
from round_engine.wagers.shown import ShownHand
from round_engine.wagers.wager import Wager

if TYPE_CHECKING:
    from round_engine.batch.reading import Read

RED = {1, 2}  # diamonds and hearts
OF_A_COLOUR = 26
THREE, SIX = "three_of_one_colour", "six_of_one_colour"


class Colours(Aspect):
    """0: mixed, 1: the player's three are of one colour, 2: the dealer's too."""

    name, size = "colours", 3
    suits = frozenset(order for order in permutations(range(4)) if {order[1], order[2]} in (RED, {0, 3}))

    def of(self, shown: ShownHand) -> int:
        """Return the value of one deal."""
        if not 0 < sum(face // 13 in RED for face in shown.cards) < 3:
            return 1 if 0 < sum(face // 13 in RED for face in (*shown.cards, *shown.dealer)) < 6 else 2
        return 0

    def of_block(self, block: "Read") -> Any:
        """Return the same for arrays."""
        faces = block.faces
        red = (faces - faces.dtype.type(13) < OF_A_COLOUR).view("u1")  # clubs wrap round to high numbers
        counts = red[..., 0] + red[..., 1] + red[..., 2]
        own = counts[:, :-1]
        return (own % 3 == 0).view("u1") + ((own + counts[:, -1:]) % 6 == 0).view("u1")

    def taken(self, table: Paytable) -> tuple[int, ...]:
        """Return the row of each value; six of one colour take the row of three where they have none."""
        by_hand = {row.hand: at for at, row in enumerate(table.rows)}
        three = by_hand.get(THREE, NO_ROW)
        return NO_ROW, three, by_hand.get(SIX, three)

    def named(self, value: int) -> str:
        """Return the value in words."""
        return ("mixed colours", THREE, SIX)[value].replace("_", " ")

    def count(self, classes: Sequence[int], alive: Any = None) -> Ways:
        """Count hands by their number of red cards, the player's and the dealer's."""
        if alive is not None:
            return super().count(classes, alive)
        ways = [0] * (max(classes) + 1)
        for red in range(4):
            own = comb(OF_A_COLOUR, red) * comb(OF_A_COLOUR, 3 - red)
            for dealt in range(4):
                value = (red % 3 == 0) + ((red + dealt) % 6 == 0)
                dealer = comb(OF_A_COLOUR - red, dealt) * comb(OF_A_COLOUR - 3 + red, 3 - dealt)
                ways[classes[value]] += own * dealer
        return Ways(sum(ways), ways)


class Prime(Wager):
    """A bet on colours alone."""

    name, label, short = "prime", "Prime", "PRIME"
    aspect = Colours()
    ladder = ((SIX, False), (THREE, True))


PRIME = Prime()
