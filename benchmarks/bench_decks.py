"""The whole deck battery, generation included, against numpy's shuffling alone; and how it scales to two processes."""

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from itertools import islice

import numpy as np

from benchmarks import Section
from benchmarks.bench_shuffles import numpy_permuted
from randomness.certification import load_plan
from randomness.certification.plan import Plan
from randomness.certification.shards import DRAWS_EVERY, KernelShard, count, kernel_shards
from randomness.certification.totals import Totals
from randomness.decks import DECK_TESTS, IN_FULL, SEGMENT
from randomness.kernels import make
from randomness.sources import make_source

PLAN = "standard"
LONG_RUN = 1_000_000_000
STARTS = ("factory", "reversed", "previous")
PEER = "numpy Generator.permuted, uint8, PCG64: shuffles only (not secure)"
TURNS = 6
PEER_CALLS = 30


# ----- rates ----------------------------------------------------------------------------------------------------------


def shards_of(plan: Plan, start: str) -> Iterator[KernelShard]:
    """The shards of one start order of a run of a billion decks, from where long runs are thinned on."""
    shards = (shard for shard in kernel_shards(plan, LONG_RUN, "ideal", 1) if shard.start == start)
    return (shard for shard in shards if shard.first_segment * SEGMENT >= IN_FULL)


def counting(plan: Plan, start: str) -> Callable[[], int]:
    """Two shards of a long run at a time, as `shuffler certify` does it: shuffled, counted, judged, merged."""
    shards, totals = shards_of(plan, start), Totals(plan)

    def work() -> int:
        before = totals.decks
        for shard in islice(shards, 2):
            totals.add(count(shard))
        return totals.decks - before

    return work


def generating() -> Callable[[], int]:
    """Shuffles only."""
    kernel, source = make("ideal"), make_source("ctr", seed=1)
    decks = np.empty((16_384, 52), np.uint8)

    def work() -> int:
        for _ in range(PEER_CALLS):
            kernel.permutations(52, len(decks), source, out=decks)
        return PEER_CALLS * len(decks)

    return work


def peer() -> Callable[[], int]:
    """numpy's batch shuffle, into reused memory."""
    once = numpy_permuted(np.random.PCG64(1))

    def work() -> int:
        return sum(once() for _ in range(PEER_CALLS))

    return work


def in_turns(works: dict[str, Callable[[], int]]) -> dict[str, list[float]]:
    """Decks a second of processor time, a figure for each turn: a busy machine slows all of a turn alike."""
    rates: dict[str, list[float]] = {name: [] for name in works}
    for work in works.values():
        work()
    for _ in range(TURNS):
        for name, work in works.items():
            start = time.process_time()
            decks = work()
            rates[name].append(decks / (time.process_time() - start))
    return rates


def rates() -> Section:
    plan = load_plan(PLAN)
    works = {PEER: peer(), "shuffles only: AES-256 CTR_DRBG, unbiased": generating()}
    works |= {start: counting(plan, start) for start in STARTS}
    found = in_turns(works)
    whole = [3 / sum(1 / found[start][turn] for start in STARTS) for turn in range(TURNS)]
    base = max(found[PEER])
    titles = {start: f"plan `{PLAN}`, {start} order" for start in STARTS}
    rows = [(titles.get(name, name), f"{max(each):,.0f}", f"{max(each) / base:.2f}") for name, each in found.items()]
    rows.append((f"**plan `{PLAN}`, its three start orders**", f"{max(whole):,.0f}", f"{max(whole) / base:.2f}"))
    everies = sorted({test.every for test in DECK_TESTS.values()} - {1})
    return Section(
        title="Deck battery",
        columns=("work", "decks a second, one core", "x numpy"),
        rows=tuple(rows),
        note=f"A run of {LONG_RUN:,} ideal shuffles: the generator, all {len(plan.deck_tests)} deck tests and "
        f"{len(plan.draw_tests)} tests of first cards, each shard judged and merged. Processor time of one process, "
        f"best of {TURNS} turns, product and peer in turn. Measured beyond the first {IN_FULL:,} decks of each start "
        f"order, which are counted in full: there costly tests count one segment of {SEGMENT:,} decks in "
        f"{', '.join(map(str, everies))} (docs/deck-battery.md says which), tests of first cards one in {DRAWS_EVERY}; "
        "each result says how many decks it counted. Wanted: at least as many decks as numpy shuffles.",
    )


# ----- two processes --------------------------------------------------------------------------------------------------

PIECES = 8
PIECE_DECKS = 204_800
ROUNDS = 12


def spin(steps: int) -> int:
    """A bare loop that touches no memory to speak of."""
    total = 0
    for step in range(steps):
        total ^= step
    return total


def bare_slice(pool: ProcessPoolExecutor) -> float:
    """Seconds that pieces of a bare loop take."""
    start = time.perf_counter()
    for _ in pool.map(spin, [3_000_000] * PIECES):
        pass
    return time.perf_counter() - start


def product_slice(pool: ProcessPoolExecutor, shards: Iterator[KernelShard], totals: Totals) -> float:
    """Seconds that shards take: counted and judged by workers, merged here, as a run's engine does it."""
    start = time.perf_counter()
    for counted in pool.map(count, [replace(shard, decks=PIECE_DECKS) for shard in islice(shards, PIECES)]):
        totals.add(counted)
    return time.perf_counter() - start


def scaling() -> Section:
    """Slices of all four in turn, many times: whatever else the machine does falls on all of them alike."""
    plan, spawn = load_plan(PLAN), multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawn) as one, ProcessPoolExecutor(2, mp_context=spawn) as two:
        slices: dict[str, Callable[[], float]] = {}
        for name, pool in (("one", one), ("two", two)):
            shards, totals = shards_of(plan, "factory"), Totals(plan)
            slices[f"bare {name}"] = lambda pool=pool: bare_slice(pool)  # type: ignore[misc]
            slices[f"product {name}"] = lambda pool=pool, shards=shards, totals=totals: product_slice(  # type: ignore[misc]
                pool, shards, totals
            )
        for work in slices.values():
            work()
        seconds = dict.fromkeys(slices, 0.0)
        for _ in range(ROUNDS):
            for name, work in slices.items():
                seconds[name] += work()
    bare = seconds["bare one"] / seconds["bare two"]
    product = seconds["product one"] / seconds["product two"]
    return Section(
        title="From one process to two",
        columns=("work", "times as fast", "of the bare loop"),
        rows=(
            ("a bare loop in Python", f"{bare:.2f}", "1.00"),
            (f"plan `{PLAN}`: shards counted, judged and merged", f"{product:.2f}", f"{product / bare:.2f}"),
        ),
        note=f"{PIECES} pieces of work on one process and on two, by the clock, all four in turn, {ROUNDS} times. "
        "Wanted: at least 0.90 of what the bare loop gains.",
    )


def run() -> list[Section]:
    """Rates, then scaling."""
    return [rates(), scaling()]
