"""The whole deck battery with generation against numpy's shuffling alone."""

import numpy as np

from benchmarks import Section, best_rate
from randomness.decks import DECK_TESTS, DeckBattery
from randomness.decks.layout import SEGMENT, TALLIES
from randomness.kernels import make
from randomness.sources import make_source

# Long enough for every sub-sample to come round once.
CYCLE = SEGMENT * max(tally.every for tally in TALLIES.values())
CHUNK = 4 * SEGMENT
REPEATS = 5


def numpy_alone() -> int:
    rng, decks = np.random.default_rng(1), np.tile(np.arange(52, dtype=np.uint8), (CHUNK, 1))
    for _ in range(CYCLE // CHUNK // 4):
        rng.permuted(decks, axis=1)
    return CYCLE // 4


class Running:
    """A run that goes on: shuffles from a seeded generator, counted by a battery planned for a billion."""

    def __init__(self, tests: list[str], *, start: str) -> None:
        self.kernel, self.source = make("ideal"), make_source("ctr", seed=1)
        self.battery = DeckBattery(tests, planned=10**9) if tests else None
        self.start = start
        self.decks = np.empty((CHUNK, 52), np.uint8)
        self.last = np.arange(52, dtype=np.uint8)

    def cycle(self) -> int:
        for _ in range(CYCLE // CHUNK):
            self.kernel.permutations(52, CHUNK, self.source, out=self.decks)
            if self.battery is None:
                continue
            if self.start == "factory":
                self.battery.update(self.decks, self.last)
            elif self.start == "unknown":
                self.battery.update(self.decks)
        return CYCLE


def run() -> list[Section]:
    everything = list(DECK_TESTS)
    peer = best_rate(numpy_alone, REPEATS)
    rows = [("numpy Generator.permuted, uint8, PCG64: shuffles only", f"{peer:,.0f}", "1.00")]
    for title, tests, start in (
        ("shuffles only: AES-256 CTR_DRBG, unbiased", [], ""),
        (f"shuffles and all {len(everything)} tests, input order known (factory order)", everything, "factory"),
        ("shuffles and every test that needs no input order", everything, "unknown"),
    ):
        running = Running(tests, start=start)
        running.cycle()
        rate = best_rate(running.cycle, REPEATS)
        rows.append((title, f"{rate:,.0f}", f"{rate / peer:.2f}"))
    thinned = sorted({TALLIES[test.tally].every for test in DECK_TESTS.values()} - {1})
    return [
        Section(
            title="Deck battery",
            columns=("work", "decks a second, one core", "ratio"),
            rows=tuple(rows),
            note="Decks a second of one process. In the longest runs costly tests count one "
            f"segment of {SEGMENT:,} decks in {', '.join(map(str, thinned))}; each result says how many decks it "
            "counted. Best of five, product and peer in one run.",
        )
    ]
