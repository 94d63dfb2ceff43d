"""What mechanisms with places (compartments, shelves, ejectors) share: a dead place, bounded passes."""

from fractions import Fraction

from randomness.errors import BadParameter

MAX_PASSES = 100

ALWAYS = Fraction(1)


def failure_bounds(dead: int | None, rate: Fraction, draws: int) -> list[int]:
    """Dice that say whether a sometimes dead place fails; none where it always or never does."""
    return [] if dead is None or rate == 1 else [rate.denominator] * draws


def check_dead(name: str, dead: int | None, places: int | None) -> None:
    """A dead place is one that exists."""
    if dead is not None and (dead < 0 or (places is not None and dead >= places)):
        upper = "" if places is None else f" to {places - 1}"
        raise BadParameter(f"the dead place of '{name}' is numbered from 0{upper}, not {dead}")
    if places == 1 and dead is not None:
        raise BadParameter(f"'{name}' has a single place: if it is dead nothing comes out")


def check_passes(passes: int) -> None:
    """Bounded work."""
    if not 1 <= passes <= MAX_PASSES:
        raise BadParameter(f"1 to {MAX_PASSES} passes, not {passes}")


def dead_text(what: str, dead: int | None, rate: Fraction) -> str:
    """How a dead place reads."""
    if dead is None:
        return ""
    return f"; {what} {dead} dead" + ("" if rate == 1 else f" at {rate}")
