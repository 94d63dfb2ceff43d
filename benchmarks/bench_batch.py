"""Settling a million seven-seat rounds against making the decks for them."""

from collections.abc import Callable

from benchmarks import Section, best_rate
from randomness.kernels import Backend, make
from randomness.sources import seeded_source
from round_engine.batch import Stakes, settle_rounds
from round_engine.hands.strategy import parse
from round_engine.money import Cents
from round_engine.rules.rulebook import SIDE_WAGERS, load

ROUNDS = 1_000_000
SEATS = 7
REPEATS = 3

ANTE = Stakes.of(ante=Cents(1000))
THREE = Stakes.of(ante=Cents(1000), pair_plus=Cents(500), six_card_bonus=Cents(500))
ALL = Stakes.of(
    ante=Cents(1000), pair_plus=Cents(500), six_card_bonus=Cents(500), progressive=Cents(100), bad_beat=Cents(100)
)


def decks(engine: Backend) -> Callable[[], int]:
    """Whole decks of 52, as the device shuffles them."""
    kernel, source = make("ideal"), seeded_source(1)

    def work() -> int:
        kernel.permutations(52, ROUNDS, source, engine=engine)
        return ROUNDS

    return work


def rounds(stakes: Stakes, *, compiled: bool) -> Callable[[], int]:
    """The whole call: tables filled by the scalar engine, cards read, decisions, money, meters."""
    rules = load("light-and-wonder", sides=SIDE_WAGERS, changes={"house": {"limit_ceiling": "$300"}})
    if "progressive" not in stakes.stakes:
        rules = load("ten-dollar-house")
    shuffled = make("ideal").permutations(52, ROUNDS, seeded_source(2))
    strategy = parse("Q-6-4")

    def work() -> int:
        settle_rounds(rules, shuffled, [stakes] * SEATS, strategy=strategy, compiled=compiled)
        return ROUNDS

    return work


def run() -> list[Section]:
    made = {engine: best_rate(decks(engine), REPEATS) for engine in (Backend.NUMPY, Backend.NUMBA)}
    rows = [(f"decks of 52, AES-CTR generator, {engine.value}", rate, "") for engine, rate in made.items()]
    for name, stakes in (
        ("ante", ANTE),
        ("ante, pair plus, six card bonus", THREE),
        ("the same, progressive and bad beat", ALL),
    ):
        for compiled, engine in ((False, Backend.NUMPY), (True, Backend.NUMBA)):
            rate = best_rate(rounds(stakes, compiled=compiled), REPEATS)
            ratio = made[engine] / rate
            rows.append((f"rounds of seven seats: {name}, {engine.value}", rate, f"{ratio:.1f}"))
    return [
        Section(
            title="Rounds settled as arrays",
            columns=("what", "million a second", "times the decks' time, same engine"),
            rows=tuple((name, f"{rate / 1e6:.2f}", ratio) for name, rate, ratio in rows),
            note=f"Reach: at most 5 times. {ROUNDS:,} rounds, Q-6-4, one thread, best of {REPEATS}.",
        )
    ]
