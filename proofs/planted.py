"""The planted defects of the sensitivity proof: what each is, the kernel or generator that has it, what theory says."""

import math
from dataclasses import dataclass

from randomness.bits.congruential import LEAST_BITS


@dataclass(frozen=True, kw_only=True)
class Defect:
    """A planted defect: what it is, the kernel that has it, and what theory says where a large sample shows nothing."""

    what: str
    kernel: str
    stated: float | None = None
    why: str = ""


def _repeats(decks: float) -> float:
    """Decks until a repeat is seen with 80 %: 1 - exp(-N²/2M) of M possible decks."""
    return math.sqrt(2 * decks * math.log(5))


BITS_ONLY = "deck tests do not see it; the bit battery's (second table)"

DEFECTS = (
    *(Defect(what=f"riffle, {k} pass{'es' if k > 1 else ''}", kernel=f"riffle:passes={k}") for k in range(1, 11)),
    *(Defect(what=f"shelf, {m} shelves", kernel=f"shelf:shelves={m}") for m in (4, 10, 20, 30, 50, 100, 200, 300)),
    Defect(what="one cell +100 % (1.92 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1"),
    Defect(what="one cell +50 % (0.96 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/2"),
    Defect(what="one cell +10 % (0.19 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/10"),
    Defect(what="one cell +0.1 % (0.0019 points)", kernel="defect:favoured-cell:card=20,position=30,relative=1/1000",
           stated=2.0e9, why="each-cell: 51 · (5.45 + 0.84)² / 0.001²"),
    Defect(what="one card +50 % in the first 3 (2.88 points)", kernel="defect:favoured-card:card=20,relative=1/2"),
    Defect(what="one card +10 % in the first 3 (0.58 points)", kernel="defect:favoured-card:card=20,relative=1/10"),
    Defect(what="one position +50 % of 4 cards (3.85 points)",
           kernel="defect:favoured-position:position=30,relative=1/2"),
    Defect(what="one position +10 % of 4 cards (0.77 points)",
           kernel="defect:favoured-position:position=30,relative=1/10"),
    Defect(what="rack, feed order kept", kernel="rack:order=feed"),
    Defect(what="court cards rise", kernel="defect:rising-class"),
    Defect(what="one suit rises, 1 shuffle in 2", kernel="defect:rising-class:modulus=52,low=26,high=38,rate=1/2"),
    Defect(what="cards keep one of 8 lanes", kernel="defect:kept-lane"),
    Defect(what="cards keep their parity", kernel="defect:kept-lane:lanes=2"),
    Defect(what="cards keep their group of 3", kernel="defect:kept-lane:group=3"),
    *(Defect(what=f"sticky pairs, 1 in {n:,} cards", kernel=f"ideal:sticky=1/{n}") for n in (10, 100, 1000)),
    Defect(what="sticky pairs, 1 in 10,000 cards", kernel="ideal:sticky=1/10000", stated=717_400,
           why="1/effect²: 100 times the decks of 1 in 1,000 (successions)"),
    Defect(what="rack, dead compartment", kernel="rack:dead=2"),
    Defect(what="rack, compartment dead 1 time in 10", kernel="rack:dead=2,dead_rate=1/10"),
    Defect(what="rack, compartment dead 1 time in 100", kernel="rack:dead=2,dead_rate=1/100"),
    Defect(what="Sattolo", kernel="defect:sattolo"),
    Defect(what="naive swap", kernel="defect:naive-swap"),
    Defect(what="modulo bias, 6 bits", kernel="defect:modulo:bits=6"),
    Defect(what="modulo bias, 8 bits", kernel="defect:modulo:bits=8"),
    Defect(what="modulo bias, 15 bits", kernel="defect:modulo:bits=15", stated=3.9e7,
           why="noncentrality 6.0e-6 a deck: for code review"),
    Defect(what="modulo bias, 16 bits", kernel="defect:modulo:bits=16", stated=1.4e8,
           why="noncentrality 1.7e-6 a deck: for code review"),
    Defect(what="LCG, all 32 bits of each state", kernel="defect:lcg"),
    Defect(what="MINSTD", kernel="defect:minstd", stated=math.inf, why=BITS_ONLY),
    Defect(what="RANDU", kernel="defect:randu"),
    Defect(what="lowest bit of 64 stuck", kernel="defect:stuck-bit", stated=math.inf, why=BITS_ONLY),
    Defect(what="highest bit of 64 stuck", kernel="defect:stuck-bit:bit=63"),
    Defect(what="32-bit seed", kernel="defect:small-seed:bits=32", stated=_repeats(2**32), why="whole decks repeat"),
    Defect(what="20-bit seed", kernel="defect:small-seed:bits=20", stated=_repeats(2**20), why="whole decks repeat"),
    Defect(what="clock seed, milliseconds of the day", kernel="defect:clock-seed:tick_ms=1",
           stated=_repeats(86_400_000), why="whole decks repeat"),
    Defect(what="clock seed, seconds of the day", kernel="defect:clock-seed:tick_ms=1000", stated=_repeats(86_400),
           why="whole decks repeat"),
    Defect(what="memory: a position keeps its card, 10 %", kernel="defect:memory:rate=1/10,position=5"),
    Defect(what="memory: a position keeps its card, 1 %", kernel="defect:memory:rate=1/100,position=5"),
    Defect(what="top card kept, 10 %", kernel="defect:top-card-kept:rate=1/10"),
    Defect(what="top card kept, 1 %", kernel="defect:top-card-kept:rate=1/100"),
    Defect(what="wrong card in 1 deck of 100", kernel="defect:wrong-card:rate=1/100",
           stated=math.log(5) * 100, why="one bad deck is enough"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class BitDefect:
    """A planted generator, for the bit battery: the bits that theory says it takes."""

    what: str
    source: str
    predicted: float
    why: str


WHOLE_STATE = "the congruential test, from its least size on: each state fixes the next"
TRUNCATED = "the states' lower bits are hidden: for outside testers, or for code review"

BIT_DEFECTS = (
    BitDefect(what="LCG, all 32 bits", source="defect:lcg", predicted=LEAST_BITS, why=WHOLE_STATE),
    BitDefect(what="MINSTD, all 31 bits", source="defect:minstd", predicted=LEAST_BITS, why=WHOLE_STATE),
    BitDefect(what="RANDU, all 31 bits", source="defect:randu", predicted=LEAST_BITS, why=WHOLE_STATE),
    BitDefect(what="one bit of 64 stuck", source="defect:stuck-bit", predicted=97_600,
              why="the frequency test: (4.04 + 0.84)² / (4 · 128⁻²), ones 1/128 too many"),
    BitDefect(what="LCG, upper 16 bits", source="defect:lcg:keep=16", predicted=16 * 2 * (2**16 + 1),
              why="the lowest bit kept turns over every 2^16 states: a linear complexity of 2^16 + 1, half the words"),
    BitDefect(what="MINSTD, upper 16 bits", source="defect:minstd:keep=16", predicted=math.inf, why=TRUNCATED),
)  # fmt: skip
