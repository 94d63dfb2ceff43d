"""The claim: a batch settles every round to the cent as the scalar engine does.

Random seven-seat rounds under every rule set: random stakes from a dozen patterns, random decisions (Q-6-4, always,
never, and tables drawn at random), players with two spots, tips, caps, both ways of dealing, meters that run through
all of it. The scalar side plays whole rounds at a table, every operation and every key; compared are, for each spot,
the result of each wager, the dealer's tips, who folded, and the meters after each part.
"""

import argparse
import hashlib
import json
import multiprocessing
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import round_engine
from proofs.evidence import record
from round_engine.batch import Stakes, settle_rounds
from round_engine.hands.strategy import Strategy, from_rule, parse
from round_engine.money import Cents
from round_engine.money.ledger import TIPS, EntryKind, player_account
from round_engine.round import operations as op
from round_engine.round.decisions import options
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from round_engine.wagers.registry import METERED, SETTLED

ROUNDS = 1_000_000
SEED = 20_261_116
RUN = 50_000
"""Rounds of one run: a table opened anew, with random numbers of its own."""
PART = 10_000
"""Rounds of a run that are compared at once; the meters go on to the next part."""
SEATS = 7
WAGERS = [*SETTLED, *METERED]
ENVY = EntryKind.ENVY

# Each rule set as some house would play it; together they take every branch of the settlement.
SMALLEST = {wager: {"minimum": "$0.01"} for wager in ("ante", "pair_plus")}
"""Odd cents show how pays are rounded."""
TABLES: dict[str, dict[str, Any]] = {
    "south-dakota": {"sides": ("bad-beat",), "changes": {"progressive": {"reserve": "1.25%"}}},
    "south-dakota-2015": {"changes": {"house": {"dealing": "rotation", "paytables": {"progressive": "2"}}}},
    "ten-dollar-house": {"changes": {"settings": {"cap": "$120"}}},
    "light-and-wonder": {
        "sides": ("bad-beat",),
        "changes": {
            "house": {"limit_ceiling": "$300", "designator": "TCP-08", "systems": {"progressive": "nexus"}},
            "progressive": {"denomination": "$5"},
        },
    },
}


@dataclass(frozen=True, kw_only=True)
class Compared:
    """How much was compared, and how much of what is rare."""

    rounds: int = 0
    spots_folded: int = 0
    rounds_with_tips: int = 0
    meter_wins: int = 0
    envy_bonuses: int = 0

    def __add__(self, other: "Compared") -> "Compared":
        return Compared(
            **{item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(Compared)}
        )


def table_rules(name: str) -> RuleSet:
    """The rule set as this proof plays it."""
    changes: dict[str, Any] = {**TABLES[name].get("changes", {})}
    changes["house"] = {"limits": SMALLEST, **changes.get("house", {})}
    return load(name, sides=TABLES[name].get("sides", ()), changes=changes)


def patterns(rules: RuleSet) -> list[Stakes]:
    """A dozen ways to bet that the rules allow; odd amounts, so that rounding shows."""
    ante, pair, six = Cents(735), Cents(999), Cents(505)
    progressive = rules.progressives["progressive"].denomination if "progressive" in rules.progressives else 0
    bad_beat = rules.progressives["bad_beat"].denomination if "bad_beat" in rules.progressives else 0
    tip = Cents(101) if rules.settings.tips else Cents(0)
    lit = {"progressive": Cents(progressive), "bad_beat": Cents(bad_beat)}
    return [
        Stakes.of(ante=ante),
        Stakes.of(pair_plus=pair),
        Stakes.of(ante=ante, pair_plus=pair),
        Stakes.of(ante=Cents(1000), pair_plus=Cents(1000), six_card_bonus=Cents(1000)),
        Stakes.of(pair_plus=pair, six_card_bonus=six),
        Stakes.of(ante=ante, **lit),
        Stakes.of(pair_plus=pair, **lit),
        Stakes.of(ante=ante, pair_plus=pair, six_card_bonus=six, **lit),
        Stakes.of(ante=Cents(1), pair_plus=Cents(3), bad_beat=Cents(bad_beat)),
        Stakes.of(ante=ante, tip_ante=tip, progressive=Cents(progressive)),
        Stakes.of(ante=ante, pair_plus=pair, tip_ante=tip, tip_pair_plus=tip, tip_play=bool(tip), **lit),
        Stakes.of(pair_plus=pair, tip_pair_plus=tip, six_card_bonus=six),
    ]


def strategies(rng: np.random.Generator) -> Iterator[Strategy]:
    """The named ones in turn, and in between tables that no player would follow."""
    while True:
        for name in ("Q-6-4", "always", "never", "pair"):
            yield parse(name)
            yield from_rule("random", rng.random(741).__lt__(0.5).__getitem__)


def run(name: str, rounds: int, seed: int, number: int = 0, part: int = PART) -> Compared:
    """Play the rounds of one run both ways; an AssertionError names the first part that differs."""
    rules = table_rules(name)
    rng = np.random.default_rng([seed, sorted(TABLES).index(name), number])
    ways = patterns(rules)
    table = Table(rules)
    players = [f"p{spot}" for spot in range(1, SEATS + 1)]
    if rules.house.spots_per_player > 1:
        players[3] = players[2]
    decide = strategies(rng)
    compared = Compared()
    while (done := compared.rounds) < rounds:
        count = min(part, rounds - done)
        decks = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (count, 1)), axis=1)[:, : 3 * (SEATS + 1)]
        chosen = rng.integers(len(ways), size=(count, SEATS))
        strategy = next(decide)
        batch = settle_rounds(
            rules, decks, ways, strategy=strategy, chosen=chosen, players=players, meters=dict(table.meters),
            compiled=bool(done // part % 2),
        )  # fmt: skip
        scalar = _scalar(table, decks, ways, chosen, strategy, players, done)
        where = f"{name}, run {number}, rounds {done} to {done + count}, seed {seed}"
        for index, wager in enumerate(WAGERS):
            if wager in batch.metered or wager in batch.tables.net_by_wager:
                assert np.array_equal(batch.net_of(wager), scalar.net[:, :, index]), f"{wager} differs: {where}"
            else:
                assert not scalar.net[:, :, index].any(), f"{wager} moved: {where}"
        assert np.array_equal(batch.net, scalar.net.sum(axis=2)), f"totals differ: {where}"
        assert np.array_equal(batch.tips().sum(axis=1), scalar.tips), f"tips differ: {where}"
        assert np.array_equal(batch.folded, scalar.folded), f"folds differ: {where}"
        assert dict(batch.meters) == dict(table.meters), f"meters differ: {where}"
        compared += Compared(
            rounds=count,
            spots_folded=int(batch.folded.sum()),
            rounds_with_tips=int(np.count_nonzero(scalar.tips)),
            meter_wins=len(batch.meter_wins),
            envy_bonuses=scalar.envy,
        )
    return compared


@dataclass(kw_only=True)
class _Scalar:
    net: np.ndarray
    tips: np.ndarray
    folded: np.ndarray
    envy: int = 0


def _scalar(
    table: Table,
    decks: np.ndarray,
    ways: list[Stakes],
    chosen: np.ndarray,
    strategy: Strategy,
    players: list[str],
    first: int,
) -> _Scalar:
    """The same rounds, one operation after another."""
    out = _Scalar(
        net=np.zeros((len(decks), SEATS, len(WAGERS)), dtype=np.int64),
        tips=np.zeros(len(decks), dtype=np.int64),
        folded=np.zeros((len(decks), SEATS), dtype=np.bool_),
    )
    accounts = {player_account(name) for name in players}
    place = {
        (spot + 1, wager): spot * len(WAGERS) + index for spot in range(SEATS) for index, wager in enumerate(WAGERS)
    }
    on_spot = [[stakes.on(spot + 1, players[spot]) for stakes in ways] for spot in range(SEATS)]
    for row, (deck, picks) in enumerate(zip(decks.tolist(), chosen.tolist(), strict=True)):
        wagers = tuple(on_spot[spot][pick] for spot, pick in enumerate(picks))
        _play(table, f"r{first + row}", deck, wagers, [ways[pick] for pick in picks], strategy)
        assert table.round is not None
        net, tips = [0] * (SEATS * len(WAGERS)), 0
        for entry, spot, wager, amount, source, target, _, _, _ in table.round.postings:
            if source in accounts:
                net[place[spot, wager]] -= amount
            if target in accounts:
                net[place[spot, wager]] += amount
            elif target == TIPS:
                tips += amount
            out.envy += entry is ENVY
        out.net[row] = np.array(net).reshape(SEATS, len(WAGERS))
        out.tips[row] = tips
        for number in table.round.folds:
            out.folded[row, number - 1] = True
    return out


def _play(
    table: Table, name: str, deck: list[int], wagers: tuple[Any, ...], stakes: list[Stakes], strategy: Strategy
) -> None:
    do = table.do
    do(op.OpenRound(round_id=name, shuffle=name, dealer="dealer", wagers=wagers))
    do(op.LockWagers())
    order = [*range(1, SEATS + 1), op.DEALER]
    if table.rules.house.dealing == "groups":
        for at, spot in enumerate(order):
            do(op.DealGroup(spot=spot, cards=tuple(deck[3 * at : 3 * at + 3])))
    else:
        for at, face in enumerate(deck):
            do(op.DealCard(spot=order[at % len(order)], card=face))
    state = table.round
    assert state is not None
    while state.undecided:
        number = state.undecided[0]
        spot = state.spots[number]
        if "play" in options(state, number) and strategy.plays[spot.rank]:
            own = stakes[number - 1]
            tip = own.stakes.get("tip_ante", 0) if own.tip_play else 0
            do(op.Play(spot=number, amount=own.stakes["ante"], tip=tip))
        else:
            do(op.Fold(spot=number))
    if state.folds:
        do(op.CollectFolds(spots=tuple(state.folds), counted=(3,) * len(state.folds)))
    do(op.RevealDealer())
    while dues := table.dues():
        for key in table.keys_for(dues[0], supervisor="supervisor"):
            do(key)
    do(op.Settle())
    do(op.CloseRound())


class Job(NamedTuple):
    """One run, for a process of its own."""

    name: str
    rounds: int
    seed: int
    number: int


def one_run(job: Job) -> tuple[Job, Compared]:
    """The run and what was compared."""
    return job, run(job.name, job.rounds, job.seed, job.number)


def fingerprint() -> str:
    """What is proved and by what: the engine's files and this one."""
    engine = Path(round_engine.__file__).parent
    files = sorted(path for path in engine.rglob("*") if path.suffix in {".py", ".toml"})
    digest = hashlib.sha256()
    for path in (*files, Path(__file__)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


class Kept:
    """Finished runs in a file, a line each; those of other code are left alone."""

    def __init__(self, path: Path | None) -> None:
        self.done: dict[Job, Compared] = {}
        self._path, self._code = path, fingerprint()
        for line in path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else ():
            row = json.loads(line)
            if row["code"] == self._code:
                self.done[Job(**row["job"])] = Compared(**row["compared"])

    def add(self, job: Job, compared: Compared) -> None:
        """Write a finished run down."""
        if self._path is not None:
            row = {"code": self._code, "job": job._asdict(), "compared": asdict(compared)}
            with self._path.open("a", encoding="utf-8") as out:
                out.write(json.dumps(row) + "\n")


def report(found: dict[str, Compared]) -> str:
    """The record's table."""
    head = "| rule set | rounds | spots folded | rounds with tips won | meter awards | envy bonuses |"
    lines = [
        f"| {name} | {one.rounds:,} | {one.spots_folded:,} | {one.rounds_with_tips:,} | {one.meter_wins:,} "
        f"| {one.envy_bonuses:,} |"
        for name, one in found.items()
    ]
    return "\n".join(
        [
            f"Every spot of every round equal to the cent, wager by wager; meters equal after each {PART:,} rounds.",
            "",
            head,
            "|---|" + "---:|" * 5,
            *lines,
        ]
    )


def main() -> None:
    """Run every rule set in full and leave a record."""
    parser = argparse.ArgumentParser(description="A batch settles every round as the scalar engine does.")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"for each rule set ({ROUNDS:,})")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--workers", type=int, default=1, help="processes; they change nothing but the time (1)")
    parser.add_argument("--keep", type=Path, help="write finished runs here, and go on from those of the same code")
    asked = parser.parse_args()
    jobs = [
        Job(name=name, rounds=min(RUN, asked.rounds - number * RUN), seed=asked.seed, number=number)
        for number in range(-(-asked.rounds // RUN))
        for name in TABLES
    ]
    kept = Kept(asked.keep)
    found = dict.fromkeys(TABLES, Compared())
    for job, compared in kept.done.items():
        if job in jobs:
            found[job.name] += compared
    left = [job for job in jobs if job not in kept.done]
    with multiprocessing.get_context("spawn").Pool(asked.workers) as pool:
        for job, compared in pool.imap_unordered(one_run, left):
            kept.add(job, compared)
            found[job.name] += compared
            print(f"{job.name}: {found[job.name].rounds:,} of {asked.rounds:,} rounds equal", flush=True)
    print(report(found))
    whole, part = "make proof-batch-equals-scalar", f"python -m proofs.batch_equals_scalar --rounds {asked.rounds}"
    command = whole if asked.rounds == ROUNDS else part
    record("batch_equals_scalar", command=command, seed=asked.seed, body=report(found))


if __name__ == "__main__":
    main()
