"""Every scenario of the library is green, and each fails for a device or a host that does that one thing wrong."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from firmware_sim.machine.shuffling import Draw
from firmware_sim.machine.signals import Lane
from firmware_sim.program.deal import Deal
from firmware_sim.program.effects import Effects
from firmware_sim.program.firmware import Firmware
from protocol import messages as m
from protocol.cards import FACE_UP
from protocol.vocabulary import DealState, DeviceFlag, FaultCode, Interrupted, Mode, Role
from round_engine.round.operations import BackOut
from shuffler.host.session import HostSession
from shuffler.kit.scenarios.running import run
from shuffler.kit.scenarios.scenario import load, names
from shuffler.kit.scenarios.stage import Parts
from shuffler.table import TableCore
from shuffler.table.values import Actions, Taken, Unplug

# ------------------------------------------------------------------------------------------------------------- devices


class IgnoresItsOwnLight(Firmware):
    """Takes commands while a fault holds it."""

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        held, self.board.held = self.board.held, False
        reply = super().execute(command, role, now_us)
        self.board.held = held
        return reply


class BelievesTheButton(Firmware):
    """OK clears a fault whatever the sensors say."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.desk._passes = lambda _: True  # type: ignore[method-assign]


class _LooksAway(Firmware):
    """Looks at a deck with something left out."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        look = self.infeed._objection

        def look_away(count: int, codes: bytes, wrong_backs: int) -> Any:
            return look(*self.seen(count, codes, wrong_backs))

        self.infeed._objection = look_away  # type: ignore[method-assign]

    def seen(self, count: int, codes: bytes, wrong_backs: int) -> tuple[int, bytes, int]:
        raise NotImplementedError


class SeesNoBacks(_LooksAway):
    def seen(self, count: int, codes: bytes, wrong_backs: int) -> tuple[int, bytes, int]:
        return count, codes, 0


class TakesABoxedCardForTheMissingOne(_LooksAway):
    def seen(self, count: int, codes: bytes, wrong_backs: int) -> tuple[int, bytes, int]:
        missing = min(set(range(52)) - set(codes), default=0)
        return count, codes.replace(bytes((FACE_UP,)), bytes((missing,))), wrong_backs


class CountsAgainWithoutAWord(Firmware):
    """Puts a short count right by itself and tells nobody."""

    def raise_fault(self, code: FaultCode, detail: int = 0) -> None:
        if code is FaultCode.SHORT_DECK:
            self.apply(self.infeed.resume())
        else:
            super().raise_fault(code, detail)


class DoesNotLookInside(Firmware):
    """Takes a deck in whatever lies inside."""

    def raise_fault(self, code: FaultCode, detail: int = 0) -> None:
        if code is FaultCode.CARDS_LEFT_INSIDE:
            self.apply(self.infeed.resume())
        else:
            super().raise_fault(code, detail)


class DoesNotShuffle(Firmware):
    """Deals a deck as it lay."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.board.shuffler = lambda count, _: Draw(list(range(count)), DeviceFlag(0), "")  # type: ignore[assignment]


class DealsASortedDeck(Firmware):
    """Forgets that it is in sort mode when a controller asks for cards."""

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:
        if isinstance(command, m.BeginRound) and self.mode.state is Mode.SORT:
            return m.Done()
        return super().execute(command, role, now_us)


class MindsNoHands(Deal):
    """Goes on delivering while a hand is in the tray."""

    def touched(self, occupied: bool) -> Effects:
        return [] if self._board.machine.motions[Lane.OUT] is not None else super().touched(occupied)


class MindsNoHandsProgram(Firmware):
    deal_type = MindsNoHands


class GivesUpARound(Deal):
    """Voids a round whose group lies in the tray when the power comes back."""

    def fate(self) -> Interrupted:
        found = super().fate()
        in_tray = self.states.state is DealState.GROUP_IN_TRAY
        return Interrupted.VOIDED if found is Interrupted.RESUMED and in_tray else found


class GivesUpARoundProgram(Firmware):
    deal_type = GivesUpARound


# --------------------------------------------------------------------------------------------------------------- hosts


class FinishesFromTheSecondDeck(TableCore):
    """Goes on with a half-dealt round on another device."""

    def take(self, what: Taken, now: int) -> Actions:
        if isinstance(what, Unplug):
            self.device.forget()
            self.round.rejoin = lambda status: None  # type: ignore[method-assign]
            return ()
        return super().take(what, now)


class PaysFromTheOtherSide(TableCore):
    """Takes the meter's winners from the dealer's left."""

    def __init__(self, *parts: Any, **more: Any) -> None:
        super().__init__(*parts, **more)
        booked = self.round

        def key_awards() -> bool:
            while dues := booked.table.dues():
                for press in booked.table.keys_for(dues[-1], supervisor="supervisor"):
                    booked._do(press)
            return True

        booked._key_awards = key_awards  # type: ignore[method-assign]


class LetsTheDealerDoIt(TableCore):
    """Backs an award out in the supervisor's name, whoever asks."""

    def take(self, what: Taken, now: int) -> Actions:
        return super().take(replace(what, by="supervisor") if isinstance(what, BackOut) else what, now)


class PaysBackAndForgets(TableCore):
    """Takes an award back and does not have it keyed again."""

    def take(self, what: Taken, now: int) -> Actions:
        return super().take(replace(what, void=True) if isinstance(what, BackOut) else what, now)


class StartsWithAnEmptyHead(HostSession):
    """Does not ask what became of the commands of its earlier life."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._open.clear()
        self._recovered.clear()


class SendsItAgain(HostSession):
    """Sends what was under way once more, as a new command."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        pending = list(self._open.values())
        self._open.clear()
        self._recovered.clear()
        self._open |= {self._next + at: command for at, command in enumerate(pending)}
        self._next += len(pending)


# -------------------------------------------------------------------------------------------------------------- a table


@dataclass(frozen=True)
class Mutant:
    """One thing wrong, and the verb of the step that finds it."""

    scenario: str
    parts: Parts
    found_by: str
    expected: str  # a part of what the failure says was expected


def device(scenario: str, program: type[Firmware], found_by: str, expected: str) -> Mutant:
    return Mutant(scenario, Parts(program=program), found_by, expected)


def core(scenario: str, kind: type[TableCore], found_by: str, expected: str) -> Mutant:
    return Mutant(scenario, Parts(core=kind), found_by, expected)


def host(scenario: str, kind: type[HostSession], found_by: str, expected: str) -> Mutant:
    return Mutant(scenario, Parts(session=kind), found_by, expected)


# fmt: off
MUTANTS: tuple[Mutant, ...] = (
    device("error-light-ignored", IgnoresItsOwnLight, "send", "refused as faulted"),
    device("error-light-ignored", BelievesTheButton, "never", "no FaultCleared"),
    device("card-from-another-deck", SeesNoBacks, "wait", "wrong_back"),
    device("sixteen-cards-left-inside", DoesNotLookInside, "wait", "cards_left_inside"),
    device("sorted-deck-dealt-as-shuffled", DoesNotShuffle, "expect", "in_order false"),
    device("sorted-deck-dealt-as-shuffled", DealsASortedDeck, "send", "refused as not_now"),
    device("boxed-card", TakesABoxedCardForTheMissingOne, "wait", "face_up_card"),
    device("miscount-that-comes-and-goes", CountsAgainWithoutAWord, "wait", "short_deck"),
    device("early-grab", MindsNoHandsProgram, "wait", "early_grab"),
    core("backup-swap-in-mid-round", FinishesFromTheSecondDeck, "expect", "void 1"),
    core("jackpot-on-two-seats", PaysFromTheOtherSide, "expect", "settled 1"),
    device("power-cut-with-a-group-in-the-tray", GivesUpARoundProgram, "wait", "resumed"),
    core("back-out-after-settlement", LetsTheDealerDoIt, "expect", "refused"),
    core("back-out-after-settlement", PaysBackAndForgets, "expect", "recorded"),
    host("host-dies-between-command-and-answer", StartsWithAnEmptyHead, "fate", "done"),
    host("host-dies-between-command-and-answer", SendsItAgain, "fate", "done"),
)
# fmt: on


def named(mutant: Mutant) -> str:
    usual, kinds = Parts(), mutant.parts
    found = [kinds.program, kinds.core, kinds.session]
    return f"{mutant.scenario}-{next(k.__name__ for k in found if k not in (usual.program, usual.core, usual.session))}"


@pytest.mark.parametrize("name", names())
def test_every_scenario_of_the_library_is_green(name: str) -> None:
    outcome = run(load(name))
    assert outcome.passed, outcome.text()


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_no_scenario_hangs_on_its_seed(name: str) -> None:
    outcome = run(load(name), seed=7)
    assert outcome.passed, outcome.text()


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_scenario_fails_for_a_device_or_a_host_that_does_that_thing_wrong(mutant: Mutant) -> None:
    failure = run(load(mutant.scenario), parts=mutant.parts).failure
    assert failure is not None
    assert failure.verb == mutant.found_by, list(failure.lines())
    assert mutant.expected in failure.expected, list(failure.lines())


def test_every_scenario_has_a_mutant() -> None:
    assert {mutant.scenario for mutant in MUTANTS} == set(names())


def test_the_library_is_what_the_page_promises() -> None:
    assert len(names()) == 12
    assert all(load(name).about.endswith(".") for name in names())
