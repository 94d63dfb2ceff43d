"""The monitor's promises, measured: how often a fair shuffler raises the alarm, and how late a defect does.

Fair streams: each is an ideal shuffler, watched round by round; its largest evidence says at which levels it would
have raised the alarm. The share at each level must not exceed the level. Planted defects: rounds until the alarm, next
to the rounds that the best fixed-sample test needs at the same level, which knows what to look for and looks once.

`python -m proofs.monitor` writes docs/evidence/monitor.md. `--keep FILE` keeps finished parts and continues from them.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from proofs import evidence
from randomness.kernels import parse
from randomness.monitoring import CARDS, DEALT, Monitor, SeenDeal, evidence_of
from randomness.sources import make_source

SEED = 20_261_118
LEVEL = 0.001
LEVELS = (0.05, 0.01, 0.001)
BLOCK = 1000
POWER = 0.8
POSITIONS = tuple(range(DEALT))
Decks = NDArray[np.int64]

# ----- fair streams ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Size:
    """So many fair streams of so many rounds."""

    streams: int
    rounds: int


SIZES = (Size(streams=10_000, rounds=1_000), Size(streams=200, rounds=10_000), Size(streams=4, rounds=1_000_000))
SMALL = (Size(streams=40, rounds=100),)


def deals_of(decks: Decks) -> list[SeenDeal]:
    """What a table with seven players shows of each deck."""
    return [SeenDeal(POSITIONS, tuple(row)) for row in decks[:, :DEALT].tolist()]


def fair_decks(seed: int) -> Iterator[Decks]:
    """Blocks of ideal shuffles."""
    kernel, source = parse("ideal"), make_source("ctr", seed=seed)
    while True:
        yield kernel.permutations(CARDS, BLOCK, source).astype(np.int64)


def largest_evidence(seed: int, rounds: int) -> float:
    """Of one fair stream."""
    monitor, decks = Monitor(), fair_decks(seed)
    while monitor.rounds < rounds:
        monitor.take_all(deals_of(next(decks)[: rounds - monitor.rounds]), counted=False)
    return monitor.peak


def fair_streams(size: Size, keep: "Keep", say: Callable[[str], None]) -> list[float]:
    """The largest evidence of each stream."""
    name = f"fair {size.rounds}"
    done: list[float] = keep.values(name)[: size.streams]
    started = time.monotonic()
    for number in range(len(done), size.streams):
        done.append(largest_evidence(SEED + 1_000_003 * size.rounds + number, size.rounds))
        keep.add(name, done[-1])
        if time.monotonic() > started + 60:
            started = time.monotonic()
            say(f"  {size.rounds:,} rounds: {number + 1:,} of {size.streams:,} streams, largest {max(done):.3g}")
    return done


# ----- planted defects ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Planted:
    """A defect, how the decks of a table with it come about, and what the best fixed-sample test looks at."""

    what: str
    mechanism: str
    alternating: bool = False
    """Two decks take turns, each shuffled from the order in which it was dealt; else every deck from factory order."""
    question: str
    cell: tuple[int, int] | None = None
    """Which cell the fixed-sample test counts; None for all of them together."""
    repeats: float = 0.0
    """Possible decks, where only a repeated deal shows it."""
    fair_first: int = 0
    most: int = 200_000


DEFECTS = (
    Planted(what="cards stick together, 1 in 50", mechanism="ejection:sticky=1/50", alternating=True,
            question="follower-2", cell=(0, 0)),
    Planted(what="the same, after 10,000 fair rounds", mechanism="ejection:sticky=1/50", alternating=True,
            question="follower-2", cell=(0, 0), fair_first=10_000),
    Planted(what="one card at one position twice as often", question="card-at-position", cell=(4, 20),
            mechanism="defect:favoured-cell:card=20,position=4,relative=1"),
    Planted(what="one card 50 % more often in the first group", question="card-in-group", cell=(0, 20),
            mechanism="defect:favoured-card:card=20,relative=1/2"),
    Planted(what="a position keeps its card from the round before, 10 %", question="kept-position-1", cell=(5, 5),
            mechanism="defect:memory:rate=1/10,position=5"),
    Planted(what="naive swap: every card with any other", question="card-overall", mechanism="defect:naive-swap"),
    Planted(what="each shuffle from a 16-bit seed", question="deal-again", mechanism="defect:small-seed:bits=16",
            repeats=2.0**16),
)  # fmt: skip
STREAMS = 60


def planted_decks(defect: Planted, seed: int) -> Iterator[Decks]:
    """Blocks of decks as a table with this defect deals them."""
    kernel, fair, source = parse(defect.mechanism), parse("ideal"), make_source("ctr", seed=seed)
    left, turn = defect.fair_first, 0
    hands = [np.arange(CARDS), np.arange(CARDS)]
    while True:
        block = BLOCK if not left else min(BLOCK, left)
        moves = (fair if left else kernel).permutations(CARDS, block, source).astype(np.int64)
        left = max(0, left - block)
        if defect.alternating:
            for row in range(block):
                hands[turn] = moves[row] = hands[turn][moves[row]]
                turn = 1 - turn
        yield moves


@dataclass(frozen=True, kw_only=True)
class Delay:
    """Rounds from the defect's start to the alarm, and what was named."""

    rounds: int | None
    early: bool
    named: str


def delay(defect: Planted, seed: int) -> Delay:
    """Of one stream."""
    monitor = Monitor(level=LEVEL)
    for decks in planted_decks(defect, seed):
        monitor.take_all(deals_of(decks), counted=False)
        if monitor.alarm_round is not None:
            early = monitor.alarm_round <= defect.fair_first
            named = evidence_of(monitor, most=1).questions[0].name
            return Delay(rounds=monitor.alarm_round - defect.fair_first, early=early, named=named)
        if monitor.rounds > defect.fair_first + defect.most:
            return Delay(rounds=None, early=False, named="")
    raise AssertionError


def fixed_sample(defect: Planted, seed: int, rounds: int = 20_000) -> float:
    """Rounds that the best fixed-sample test needs for the level and a power of 0.8.

    It counts the one cell that the defect moves, chosen beforehand (one-sided, normal). For a defect in all cells it is
    the chi-square of cards by position over the dealt positions; for repeats it waits for one.
    """
    if defect.repeats:
        return math.sqrt(2 * defect.repeats * -math.log(1 - POWER))
    rng = planted_decks(Planted(**{**vars(defect), "fair_first": 0}), seed)
    if defect.cell is None:
        counts = np.zeros((DEALT, CARDS))
        seen = 0
        while seen < 20 * rounds:
            block = next(rng)
            for place in POSITIONS:
                counts[place] += np.bincount(block[:, place], minlength=CARDS)
            seen += len(block)
        share = counts / seen
        apart = float((CARDS * (share - 1 / CARDS) ** 2).sum() - DEALT * (CARDS - 1) / seen)  # less its own noise
        free = DEALT * (CARDS - 1)
        limit = stats.chi2.ppf(1 - LEVEL, free)
        low, high = 1.0, 1e7
        while high / low > 1.001:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if stats.ncx2.sf(limit, free, middle * apart) >= POWER else (middle, high)
        return high
    monitor = Monitor(level=LEVEL)
    while monitor.rounds < rounds:
        monitor.take_all(deals_of(next(rng)))
    tally = next(one for one in monitor.tallies if one.question.name == defect.question)
    excess = float(tally.hits[defect.cell] - tally.expected[defect.cell]) / rounds
    spread = math.sqrt(float(tally.spread[defect.cell]) / rounds)
    expected = float(tally.expected[defect.cell]) / rounds
    fair = math.sqrt(expected * (1 - expected / (float(tally.trials[defect.cell]) / rounds)))
    normal = NormalDist()
    return ((normal.inv_cdf(1 - LEVEL) * fair + normal.inv_cdf(POWER) * spread) / excess) ** 2


# ----- record ---------------------------------------------------------------------------------------------------------


class Keep:
    """Finished parts, a line of JSON each."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._parts: dict[str, list[Any]] = {}
        if path is not None and path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                self._parts.setdefault(row["part"], []).append(row["value"])

    def values(self, part: str) -> list[Any]:
        """Those of a part."""
        return list(self._parts.get(part, ()))

    def add(self, part: str, value: Any) -> None:
        """One more."""
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"part": part, "value": value}) + "\n")


def most_alarms(streams: int, level: float) -> int:
    """The count that a true level exceeds once in a thousand proofs."""
    return int(stats.binom.ppf(0.999, streams, level))


@dataclass(frozen=True, kw_only=True)
class FairShare:
    """How many fair streams would have raised the alarm at each level."""

    size: Size
    largest: float
    alarms: dict[float, int]

    @property
    def held(self) -> bool:
        """No level exceeded beyond chance: each count is at most what a level exceeds once in a thousand proofs."""
        return all(count <= most_alarms(self.size.streams, level) for level, count in self.alarms.items())


def fair_share(size: Size, peaks: list[float]) -> FairShare:
    """From the largest evidences."""
    return FairShare(
        size=size, largest=max(peaks), alarms={level: sum(peak >= 1 / level for peak in peaks) for level in LEVELS}
    )


def report(shares: list[FairShare], delays: dict[str, list[Delay]], fixed: dict[str, float]) -> str:
    """The body of the record."""
    lines = [
        "## Fair shufflers",
        "",
        "Each stream is an ideal shuffler at a table of seven players, watched for all its rounds. A stream counts "
        "at a level if its evidence ever reached 1/level. In brackets: the count that a true level exceeds once in a "
        "thousand such proofs.",
        "",
        "| streams | rounds each | " + " | ".join(f"level {level:g}" for level in LEVELS) + " | largest evidence |",
        "|---:|---:|" + "---:|" * (len(LEVELS) + 1),
    ]
    for share in shares:
        counts = " | ".join(
            f"{count:,} = {count / share.size.streams:.2%} ({most_alarms(share.size.streams, level):,})"
            for level, count in share.alarms.items()
        )
        lines.append(f"| {share.size.streams:,} | {share.size.rounds:,} | {counts} | {share.largest:,.1f} |")
    lines += [
        "",
        f"Held: **{'yes' if all(share.held for share in shares) else 'NO'}**. One round costs about 50 µs of one "
        "processor, which set these sizes: 10,000 streams of 1,000,000 rounds would take six days of it.",
        "",
        f"## Planted defects: rounds until the alarm at level {LEVEL:g}",
        "",
        "`fixed`: rounds that the best fixed-sample test needs at the same level for a power of 0.8. It knows the "
        "defect, counts only what the defect moves, looks once, and its level holds for that one look.",
        "",
        "| defect | streams | fixed | median | 80 % within | 80 % ÷ fixed | named most often | early alarms |",
        "|---|---:|---:|---:|---:|---:|---|---:|",
    ]
    for defect in DEFECTS:
        found = delays.get(defect.what)
        if not found:
            continue
        rounds = sorted(math.inf if one.rounds is None else one.rounds for one in found if not one.early)
        median, most = rounds[len(rounds) // 2], rounds[math.ceil(POWER * len(rounds)) - 1]
        names = [one.named for one in found]
        top = max(set(names), key=names.count)
        lines.append(
            f"| {defect.what} (`{defect.mechanism}`) | {len(found)} | {fixed[defect.what]:,.0f} | {median:,.0f} "
            f"| {most:,.0f} | {most / fixed[defect.what]:.1f} | `{top}` {names.count(top)}/{len(names)} "
            f"| {sum(one.early for one in found)} |"
        )
    return "\n".join(lines)


def measure_delays(
    defects: tuple[Planted, ...], streams: int, keep: Keep, say: Callable[[str], None]
) -> dict[str, list[Delay]]:
    """So many streams of each defect."""
    found = {}
    for number, defect in enumerate(defects):
        done = [Delay(**one) for one in keep.values(defect.what)][:streams]
        for stream in range(len(done), streams):
            done.append(delay(defect, SEED + 7919 * number + stream))
            keep.add(defect.what, asdict(done[-1]))
        found[defect.what] = done
        known = [one.rounds for one in found[defect.what] if one.rounds is not None]
        say(
            f"  {defect.what}: {len(known)} of {streams} found, median {sorted(known)[len(known) // 2] if known else 0}"
        )
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="keep finished streams in this file")
    parser.add_argument("--streams", type=int, default=STREAMS, help="streams of each planted defect")
    parser.add_argument("--longest-first", action="store_true", help="begin with the longest fair streams")
    options = parser.parse_args()

    def say(text: str) -> None:
        print(text, flush=True)

    keep = Keep(options.keep)
    delays = measure_delays(DEFECTS, options.streams, keep, say)
    fixed = {defect.what: fixed_sample(defect, SEED + number) for number, defect in enumerate(DEFECTS)}
    sizes = SIZES[::-1] if options.longest_first else SIZES
    shares = [fair_share(size, fair_streams(size, keep, say)) for size in sizes]
    body = report(shares, delays, fixed)
    if options.keep is not None:
        body += "\n\nFinished streams were kept in a file (`--keep`) and taken from there; the bets were the same."
    evidence.record("monitor", command="python -m proofs.monitor", seed=SEED, body=body)
    return 0 if all(share.held for share in shares) else 1


if __name__ == "__main__":
    raise SystemExit(main())
