"""A table run for a long time with every fault in the catalogue at a low rate, and its reconciliation."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from firmware_sim.control.injections import INJECTIONS, Nature, Trigger
from firmware_sim.machine.mechanism import composition
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.roles import role_key
from protocol.vocabulary import FaultCode, PowerUpCause, Role
from round_engine.money.ledger import LAYOUT, Posting
from round_engine.round.operations import CloseRound, DeclareMisdeal, ExposeCard, OpenRound
from round_engine.rules.ruleset import RuleSet
from round_engine.table import Table
from shuffler.host.commands import answer
from shuffler.host.session import Answered
from shuffler.journal.entries import DeviceSaid, Entry, LineLost, Operated
from shuffler.table import Want
from shuffler.table.driver import Books
from shuffler.table.players import Bot
from shuffler.virtual.soak.report import InjectionRow, SoakReport
from shuffler.virtual.table import USB_FRAME_US, VirtualTable, quick

POWER_CYCLE_EVERY = 3  # visits without a settled round: then it is switched off and on, as the panel says
SUPERVISORS_FAULTS = frozenset({FaultCode.MEMORY_CORRUPT})  # cleared by a command under that role only
WORDS = "a soak's supervisor"
WRONG_DECKS = ("SHORT_DECK", "LONG_DECK")  # not cleared on the spot: a proper deck is brought
DECK_CARDS = 52
GROUPS, GROUP_CARDS, ROUND_CARDS = 7, 3, 28  # a group, and about what moves between two injections
FOUND_AT_POWER_UP = ("clock_lost", "self_test_failed")


class Soak:
    """Runs a table and keeps count."""

    def __init__(
        self, rules: RuleSet, books: Books, bots: Sequence[Bot], build: Build, *, seed: int, rate: float
    ) -> None:
        """`rate` is the chance of one injection before each round."""
        self.report = SoakReport()
        build = replace(quick(build), role_keys={Role.SUPERVISOR: role_key(WORDS)})
        self.table = VirtualTable(
            Table(rules), books, bots, build, seed=seed, poll_us=USB_FRAME_US, come=self._attend
        )
        self._luck = Random(seed + 1)
        self._rate = rate
        self._visits = 0  # since a round was settled
        self._last_fault = ""
        self._injection = InjectionRow()  # the last one injected
        self._open_ends = [False, False]  # whether it is still to be noticed, and to be recovered from
        self._round_postings: list[Posting] = []
        books.listeners.append(self._watch)

    def run(self, rounds: int, progress: Callable[[int], None] | None = None) -> SoakReport:
        """Play so many rounds and reconcile."""
        goal = self.table.done + rounds
        while self.table.done < goal:
            if self._rate and self._luck.random() < self._rate:
                self._inject()
            self.table.play(1)
            if progress is not None:
                progress(self.table.done)
        return self.reconcile()

    def _inject(self) -> None:
        """One injection of the catalogue, at a random card or at once."""
        kind = self._luck.choice(INJECTIONS)
        self._injection = self.report.injections.setdefault(kind.name, InjectionRow())
        self._injection.injected += 1
        self._open_ends = [True, True]
        trigger = Trigger()
        if kind.nature is Nature.CARD:
            trigger = Trigger(when=f"group={self._luck.randint(1, GROUPS)}")
        elif kind.passes:
            trigger = Trigger(at_card=self._luck.randint(1, self._luck.choice((GROUP_CARDS, ROUND_CARDS))))
        options: dict[str, Any] = {"level": 0.02} if kind.name == "worn_reader" else {}
        self.table.emulator.control.inject(kind.name, trigger, **options)
        if kind.name in FOUND_AT_POWER_UP:
            self.table.emulator.power_cycle(PowerUpCause.SWITCHED_ON, self.table.bench.now)
        self.table.desk.take([], self.table.bench.now)

    def _attend(self, want: Want) -> None:
        """A technician comes: clears everything and says so at the panel."""
        if want in (Want.ATTENTION, Want.BACKUP):
            self.report.attended += 1
            self._visits += 1
            emulator = self.table.emulator
            emulator.control.clear()
            machine = emulator.machine
            no_deck = want is Want.BACKUP and not machine.infeed_occupied
            if no_deck or (self._last_fault in WRONG_DECKS and self._visits > 1):
                machine.take_from_infeed()
                machine.put_in_infeed(machine.introduce(composition(DECK_CARDS)))
            emulator.control.press("OK")
            for code in SUPERVISORS_FAULTS & emulator.firmware.desk.active.keys():
                self._supervise(code)
            if self._visits % POWER_CYCLE_EVERY == 0:
                self.report.power_cycles += 1
                emulator.power_cycle(PowerUpCause.SWITCHED_ON, self.table.bench.now)

    def _supervise(self, code: FaultCode) -> None:
        """A supervisor proves the role over the wire and clears a fault that no button clears."""
        challenge = self._call(m.AskChallenge(role=Role.SUPERVISOR))
        session = self.table.desk.host.link.session
        if isinstance(challenge, m.Challenge) and session is not None:
            serial = self.table.emulator.build.serial
            self._call(answer(challenge, WORDS, serial=serial, session=session.number, role=Role.SUPERVISOR))
            self._call(m.ClearFault(code=code))

    def _call(self, command: m.Message) -> m.Message | None:
        """One command and its reply; whatever else has happened goes to the table as ever."""
        desk, bench = self.table.desk, self.table.bench
        if not desk.host.is_up or not desk.host.can_submit:
            return None
        request, reply = desk.host.submit(command), None
        for happening in bench.exchange():
            if isinstance(happening, Answered) and happening.request == request:
                reply = happening.reply
            else:
                desk.take([happening], bench.now)
        return reply

    def _watch(self, entries: Sequence[Entry]) -> None:
        report = self.report
        for entry in entries:
            if isinstance(entry, Operated):
                self._operated(entry)
            elif isinstance(entry, LineLost):
                self._sign("line lost")
            elif isinstance(entry, DeviceSaid):
                match entry.event:
                    case m.FaultRaised(code=code):
                        self._last_fault = code.name
                        report.raised[self._last_fault] += 1
                        self._sign(self._last_fault)
                    case m.PoweredUp():
                        self._sign("power-up")
                    case m.FaultCleared():
                        report.cleared += 1

    def _operated(self, entry: Operated) -> None:
        report, operation = self.report, entry.operation
        if isinstance(operation, OpenRound):
            self._round_postings = []
            report.rounds += 1
        self._round_postings += entry.postings
        if isinstance(operation, CloseRound):
            report.hold_book.settle(self._round_postings)
            report.settled += 1
            self._visits = 0
            self._injection.recovered += self._open_ends[1]
            self._open_ends[1] = False
        elif isinstance(operation, DeclareMisdeal):
            report.void += 1
            report.void_reasons[operation.reason.split(":")[0][:60]] += 1
            self._injection.void += 1
            self._sign("round void")
        elif isinstance(operation, ExposeCard):
            self._sign("card exposed")

    def _sign(self, name: str) -> None:
        """The table has noticed something; it is put down to the last injection."""
        self._injection.signs[name] += 1
        self._injection.noticed += self._open_ends[0]
        self._open_ends[0] = False

    def reconcile(self) -> SoakReport:
        """The report so far, its holds not judged yet."""
        report, ledger = self.report, self.table.core.table.ledger
        report.out_of_balance = ledger.total()
        if ledger.total():
            report.problems.append(f"the books are out of balance by {ledger.total()} cents")
        if not self.table.core.round.is_open and ledger.balance(LAYOUT):
            report.problems.append(f"{ledger.balance(LAYOUT)} cents lie on the layout between rounds")
        for metered, meter in self.table.core.table.meters.items():
            if ledger.balance(f"meter:{metered}") != meter.amount:
                report.problems.append(f"the {metered} meter shows {meter.amount}, the books say otherwise")
        if report.settled + report.void + self.table.core.round.is_open != report.rounds:
            report.problems.append("a round is neither settled nor void")
        return report
