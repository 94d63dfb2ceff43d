"""A table without a device, for proofs and benchmarks of shared meters: engine, journal, sender, chosen cards."""

import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from round_engine.hands.cards import parse_hand
from round_engine.round.operations import BackOut
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet
from round_engine.wagers import SpotWagers
from shuffler.journal import SqliteJournal
from shuffler.journal.restart import reopen
from shuffler.journal.signing import HeadSigner
from shuffler.meters.errors import ServerAway
from shuffler.meters.linked import LinkedTable, link
from shuffler.meters.sender import Sender, SenderLimits
from shuffler.meters.server import MeterServer
from shuffler.meters.values import MeterRules
from shuffler.table.booked_round import BookedRound

PATIENCE_S = 120.0
MOST_RECORDS = 3  # of a round, before nothing is backed out any more
METER = "floor-1"
CLOCK = "2026-01-01T00:00:00.000+00:00"

# The dealer's straight flush beats these: an award of all of the meter, of a quarter, of $2,000 from the tray, nothing.
DEALER = parse_hand("K♠ Q♠ J♠")
HANDS = {
    100: tuple(map(parse_hand, ("9♥ 8♥ 7♥", "10♦ 9♦ 8♦", "9♣ 8♣ 7♣"))),
    25: tuple(map(parse_hand, ("5♥ 4♥ 3♥", "6♦ 5♦ 4♦", "4♣ 3♣ 2♣"))),
    0: tuple(map(parse_hand, ("A♥ K♦ 9♣", "Q♥ 7♦ 2♣", "J♥ 6♦ 3♣"))),
}


def rules() -> RuleSet:
    """A layout with the bad-beat progressive: awards of all of the meter and of a quarter of it."""
    return load("south-dakota", sides=["bad-beat"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What happens at the table, as chances."""

    spots: int = 2
    alone: float = 0.0  # of a round with one spot
    hit: float = 0.01  # of each spot
    misdeal: float = 0.02
    back_out: float = 0.1  # of each recorded award
    idle_s: float = 0.0  # after each round


class Standing(NamedTuple):
    """What a table has come to."""

    rounds: int
    settled: int
    void: int


class BenchRound(BookedRound):
    """A round whose awards are sometimes backed out by a supervisor and keyed again."""

    again: Callable[[], bool] = staticmethod(lambda: False)

    def _key_awards(self) -> bool:
        jackpot = self.table.jackpot("bad_beat")
        while super()._key_awards():
            if not (standing := jackpot.active()) or len(jackpot.records) > MOST_RECORDS or not self.again():
                return True
            record = standing[-1].number
            self._do(BackOut(wager="bad_beat", record=record, reason="keyed too early", by="supervisor"))
        return False


class LinkedBench:
    """One table on one meter, from its journal on."""

    def __init__(
        self, url: str, path: Path, name: str, *, seed: int, habits: Habits, limits: SenderLimits | None = None
    ) -> None:
        self.chance, self.habits, self.name = Random(seed), habits, name
        self.rules = rules()
        signer = HeadSigner.of(Ed25519PrivateKey.from_private_bytes(name.encode().ljust(32, b"#")))
        self.books = SqliteJournal(path, clock=lambda: CLOCK, signer=signer)
        opened = reopen(self.books, self.rules, resume=True)
        moves = self.books.position.meters
        if not moves.links:
            self.books.write(link(opened.table, moves, [_meter(url, name)], name))
        if not self.books.is_signed and not opened.last_round:
            self.books.checkpoint(opened.table.state())  # a signature before the first round
        self.books.flush()
        self.sender = Sender(url, path, table=name, journal=self.books.instance(), limits=limits)
        self.linked = LinkedTable(moves, self.sender, clock=time.monotonic)
        self.books.listeners.append(self.linked.lasting)
        self.round = BenchRound(
            opened.table, dealer="dealer", supervisor="supervisor", prefix="R", last_round=opened.last_round,
            meters=self.linked,
        )  # fmt: skip
        self.round.again = lambda: self.chance.random() < habits.back_out
        self.awards_s: list[float] = []  # from the wish to the fixed prize
        self.sender.start()
        if self.round.awaits_meter:
            self._finish()

    def close(self, *, drain_s: float = 0.0) -> bool:
        """Leave; whether all of the outbox has been sent."""
        done = self.sender.stop(drain_s=drain_s)
        self.books.close()
        return done

    def play(self) -> None:
        """One round, whatever comes of it."""
        chance, habits, round_ = self.chance, self.habits, self.round
        if self.books.wants_checkpoint:
            self.books.checkpoint(round_.table.state())
        spots = range(1, 2 if chance.random() < habits.alone else habits.spots + 1)
        wagers = tuple(SpotWagers.of(spot=spot, player=f"p{spot}", ante=500, bad_beat=100) for spot in spots)
        shuffle = f"{self.name}-{round_.last_round + 1}"
        round_.open(self.linked.allowed(wagers), shuffle, rotation=False)
        for spot in spots:
            kind = chance.choice((100, 25)) if chance.random() < habits.hit else 0
            round_.deal(spot, HANDS[kind][spot - 1], shuffle, rotation=False)
        round_.deal(0, None, shuffle, rotation=False)
        if chance.random() < habits.misdeal:
            round_.misdeal("a card fell")
            self._write()
        else:
            for spot in spots:
                round_.decide(spot, True)
            round_.dealer_cards = tuple(DEALER)
            self._finish()
        if habits.idle_s:
            time.sleep(habits.idle_s)

    def _finish(self) -> None:
        """Settle; where an award waits for the meter, wait with it."""
        started = time.monotonic()
        waited = False
        while not self.round.settle():
            self._write()
            waited = True
            if self.sender.news.stopped:
                raise RuntimeError(self.sender.news.stopped)
            if time.monotonic() - started > PATIENCE_S:
                raise RuntimeError(f"{self.name}: an award is pending for too long: {self.sender.news}")
            before = self.sender.news
            self.sender.wait(lambda news, before=before: news is not before, 0.5)  # type: ignore[misc]
        if waited:
            self.awards_s.append(time.monotonic() - started)
        self._write()

    def _write(self) -> None:
        self.books.write(self.round.entries)
        self.round.entries.clear()
        self.books.flush()


def _meter(url: str, name: str) -> MeterRules:
    """The rules of the meter that the table is enrolled at, as soon as the server answers."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            with closing(MeterServer(url)) as server:
                (snapshot,) = server.snapshots(name)
                return snapshot.shown.rules
        except ServerAway:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
