"""Proof: there is a way out of every state that commands, hands and faults can bring a device to.

A seeded walk does anything that a host, a hand or an accident can do, in any order, on every profile and every game of
its menu. Each state it reaches for the first time (the states of all machines, the faults that stand, what moves, where
cards lie) is reached once more on a fresh device, by the same steps; then a crew does only what panel, fault catalogue
and reference tell it to. The device must come to idle (on, in play mode, no fault, no deck, no round, nothing moving)
and then deal a whole round. The power is never cut to get there.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random

from firmware_sim.control.injections import INJECTIONS, Nature, Trigger
from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.mechanism import composition
from firmware_sim.machine.profile import Profile
from firmware_sim.program.faults import CATALOGUE, After
from firmware_sim.program.firmware import Firmware
from firmware_sim.program.panel import BUTTONS
from proofs.bare import Bare
from proofs.controller import Controller
from proofs.evidence import record
from protocol import messages as m
from protocol.cards import CUT_CARD
from protocol.vocabulary import (
    DealState,
    FaultCode,
    FaultState,
    InfeedState,
    Mode,
    PowerState,
    RoundState,
)

Act = Callable[["Stage"], object]
Key = tuple[object, ...]

DECK_FAULTS = tuple(row.code for row in CATALOGUE if row.after is After.RECOUNTS)
LENGTH = 60  # steps of a walk before it begins anew
WAY_OUT_TURNS = 60
TURN_US = 5_000_000
ROUND_STEPS = 4000


class Stage:
    """A device, a host that plays on it, and everything that can be done to both."""

    def __init__(self, profile: Profile, game: int, program: type[Firmware]) -> None:
        self.device = Bare(profile, seed=1, program=program)
        self.device.run_until(m.PoweredUp)
        self.device.do(m.SelectGame(game=game))
        self.controller = Controller(self.do, seats=0b11, prestage=profile.build.prestages, shoe=profile.is_shoe)

    def do(self, command: m.Message) -> m.Message:
        """A command; the host has stored every event there is."""
        reply = self.device.do(command)
        self.device.events.acknowledge(self.device.events.last)
        self.device.store.commit()
        return reply

    @property
    def status(self) -> m.Status:
        status = self.device.do(m.GetStatus())
        assert isinstance(status, m.Status)
        return status

    def key(self) -> Key:
        """What tells one state from another: all machines, all faults, all motion, where cards lie."""
        firmware, machine, now = self.device.firmware, self.device.machine, self.status
        wanted, laid = machine.people.asked.wanted_cards, len(machine.places.infeed)
        return (
            now.power, now.mode, now.infeed, now.deal, now.round_state, now.fault, now.game,
            frozenset(firmware.desk.active), tuple(motion and motion.work for motion in machine.motions),
            machine.door_open, machine.hot, machine.clock_lost, machine.tray_sensor_stuck,
            frozenset(machine.blocked), frozenset(machine.dead_parts), machine.noise.stuck_share > 0,
            machine.tray_occupied, machine.next_deck_inside, machine.play_deck_inside,
            (laid > 0) + (laid >= wanted) + (laid > wanted), now.group > 0, bool(machine.places.table),
            firmware.infeed.staged is not None, firmware.infeed.verify_at is not None,
        )  # fmt: skip

    def is_idle(self) -> bool:
        """Ready for a new deck, and nothing else going on."""
        now, machine = self.status, self.device.machine
        states = now.power, now.mode, now.fault, now.infeed, now.deal, now.round_state
        idle = (
            PowerState.ON, Mode.PLAY, FaultState.CLEAR, InfeedState.EMPTY, DealState.NO_DECK, RoundState.NO_ROUND,
        )  # fmt: skip
        return states == idle and not any(machine.motions) and not machine.tray_occupied


# ------------------------------------------------------------------------------------------------------ what can happen


def _command(make: Callable[[m.Status], m.Message]) -> Act:
    return lambda stage: stage.do(make(stage.status))


def _hand(act: Callable[[Bare], object]) -> Act:
    def tried(stage: Stage) -> None:
        with suppress(BadControl):
            act(stage.device)

    return tried


def _games(profile: Profile) -> Iterator[tuple[str, Act]]:
    for entry in profile.games:
        yield f"SelectGame {entry.game}", _command(lambda _, game=entry.game: m.SelectGame(game=game))  # type: ignore[misc]


def actions(profile: Profile) -> dict[str, Act]:
    """Everything, by name."""
    told: dict[str, Act] = {
        "Load": _command(lambda _: m.Load()),
        "Shuffle": _command(lambda _: m.Shuffle(nonce=bytes(16))),
        "Sort": _command(lambda _: m.Sort()),
        "VerifyDeck": _command(lambda _: m.VerifyDeck()),
        "EjectStub": _command(lambda _: m.EjectStub()),
        "BeginRound": _command(lambda now: m.BeginRound(round=now.round + 1, seats=0b11)),
        "DealGroup 1": _command(lambda now: m.DealGroup(round=now.round, groups=1)),
        "DealGroup all": _command(lambda now: m.DealGroup(round=now.round, groups=0)),
        "CloseDecisions": _command(lambda now: m.CloseDecisions(round=now.round)),
        "VoidRound": _command(lambda now: m.VoidRound(round=now.round)),
        "ServiceMode on": _command(lambda _: m.ServiceMode(on=True)),
        "ServiceMode off": _command(lambda _: m.ServiceMode(on=False)),
        "SelfTest": _command(lambda _: m.SelfTest()),
        "ClearFault": _command(lambda now: m.ClearFault(code=now.fault_code)),
        "SetTime": _command(lambda _: m.SetTime(unix_ms=1)),
        "the host's next": lambda stage: stage.controller.act(),
        "time": lambda stage: stage.device.step(),
        "more time": lambda stage: stage.device.run_for(TURN_US),
        "power cut": lambda stage: stage.device.cut_power(),
        "lift": _hand(lambda device: device.control.lift()),
        "lift one": _hand(lambda device: device.control.lift(1)),
        "put back": _hand(lambda device: device.control.put_back()),
        "draw": _hand(lambda device: device.control.draw()),
        "gather": _hand(lambda device: device.control.gather()),
        "lay in": _hand(lambda device: device.control.lay_in()),
        "take from infeed": _hand(lambda device: device.control.take_from_infeed()),
        "open door": _hand(lambda device: device.control.open_door()),
        "close door": _hand(lambda device: device.control.close_door()),
        "empty inside": _hand(lambda device: device.control.empty_inside()),
        "clear": _hand(lambda device: device.control.clear()),
    }
    told |= dict(_games(profile))
    told |= {f"press {button}": _hand(partial(_press, button)) for button in BUTTONS}
    for kind in INJECTIONS:
        if kind.name != "cable_pulled":
            at_card = 2 if kind.nature is Nature.PASS else None
            told[kind.name] = _hand(partial(_inject, kind.name, at_card))
    return told


def _press(button: str, device: Bare) -> None:
    device.control.press(button)


def _inject(name: str, at_card: int | None, device: Bare) -> None:
    device.control.inject(name, Trigger(at_card=at_card))


USUAL = ("the host's next", "time", "more time")  # what a walk does half the time, so that it gets anywhere


# ---------------------------------------------------------------------------------------------------------- the way out


def lead_out(stage: Stage) -> str | None:
    """A crew that does what it is told by panel, catalogue and reference; None where the device came to idle."""
    device = stage.device
    control = device.control
    for _ in range(WAY_OUT_TURNS):
        control.clear()
        control.close_door()
        device.run_for(TURN_US)
        if stage.is_idle():
            return _deal(stage)
        now = stage.status
        if now.fault_code is FaultCode.CARDS_LEFT_INSIDE:
            control.open_door()
            device.run_for(TURN_US)
            control.empty_inside()
            control.close_door()
        control.lift()
        if now.fault_code is FaultCode.CLOCK_LOST:
            stage.do(m.SetTime(unix_ms=1))
        elif now.fault is FaultState.FAULTED:
            control.press("OK")
            device.run_for(TURN_US)
            for code in tuple(device.firmware.desk.active):
                stage.do(m.ClearFault(code=code))
            if now.fault_code in DECK_FAULTS:
                _lay_in_a_whole_deck(device)
                control.press("OK")
        elif now.infeed is InfeedState.LOADING and not any(device.machine.motions):
            _lay_in_a_whole_deck(device)
        elif now.mode is Mode.SERVICE:
            stage.do(m.ServiceMode(on=False))
        elif now.mode is Mode.SORT and now.infeed is InfeedState.EMPTY:
            control.take_from_infeed()
        elif now.round_state is not RoundState.NO_ROUND:
            stage.do(m.VoidRound(round=now.round))
        elif now.deal in (DealState.READY, DealState.STUB_INSIDE, DealState.MISDEALT):
            stage.do(m.EjectStub())
        elif now.infeed is InfeedState.LOADED and not device.profile.is_shoe:
            stage.do(m.Shuffle(nonce=bytes(16)))
        device.run_for(TURN_US)
    return f"not idle after {WAY_OUT_TURNS} turns: {stage.status}"


def _lay_in_a_whole_deck(device: Bare) -> None:
    """Look through what lies beside the machine, complete it from the box, and lay one deck in."""
    machine = device.machine
    machine.gather()
    machine.take_from_infeed()
    pack = composition(device.firmware.board.game.deck_cards, device.profile.build.decks)
    if device.profile.build.cut_card_from_end:
        pack.append(CUT_CARD)
    by_face: dict[int, list[int]] = {}
    for card in machine.places.aside:
        if card not in machine.defects:
            by_face.setdefault(machine.faces[card], []).append(card)
    machine.put_in_infeed([by_face[face].pop() if by_face.get(face) else _new(device, face) for face in pack])


def _new(device: Bare, face: int) -> int:
    return device.machine.introduce([face])[0]


def _deal(stage: Stage) -> str | None:
    """A whole round, from loading to the decisions closed."""
    goal = len(stage.controller.closed) + 1
    for _ in range(ROUND_STEPS):
        if len(stage.controller.closed) >= goal:
            return None
        if stage.controller.act():
            continue
        if not stage.device.step():
            stage.device.run_for(TURN_US)
    return f"idle, and no round came of it: {stage.status}"


@dataclass(slots=True)
class Found:
    """What a walk came to."""

    profile: str
    game: int
    steps: int = 0
    states: int = 0
    faults: set[FaultCode] = field(default_factory=set)
    traps: list[str] = field(default_factory=list)


def walk(profile: str, game: int, steps: int, seed: int = 1, program: type[Firmware] = Firmware) -> Found:
    """So many steps; every state met for the first time is left again."""
    made = profiles.load(profile)
    choices, luck, seen = actions(made), Random(f"{seed} {profile} {game}"), set[Key]()
    names = list(choices)
    found = Found(profile, game)
    while found.steps < steps:
        stage, path = Stage(made, game, program), list[str]()
        for _ in range(min(LENGTH, steps - found.steps)):
            name = luck.choice(USUAL if luck.random() < 0.6 else names)
            path.append(name)
            choices[name](stage)
            found.steps += 1
            key = stage.key()
            if key not in seen:
                seen.add(key)
                found.faults |= set(stage.device.firmware.desk.active)
                if (trap := _left_again(made, game, program, choices, path)) is not None:
                    found.traps.append(f"{profile}, game {game}: {trap}; by {', '.join(path)}")
    found.states = len(seen)
    return found


def _left_again(
    profile: Profile, game: int, program: type[Firmware], choices: dict[str, Act], path: list[str]
) -> str | None:
    stage = Stage(profile, game, program)
    for name in path:
        choices[name](stage)
    return lead_out(stage)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=5_000, help="for each game of each profile")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--profile", choices=profiles.names(), help="this one alone, without a record")
    chosen = parser.parse_args()
    started = time.perf_counter()
    lines = ["| profile | game | steps | states | faults met | states without a way out |", "|---" * 6 + "|"]
    all_found: list[Found] = []
    for name in [chosen.profile] if chosen.profile else profiles.names():
        for entry in profiles.load(name).games:
            found = walk(name, entry.game, chosen.steps, chosen.seed)
            all_found.append(found)
            lines.append(
                f"| {name} | {entry.game} {entry.name} | {found.steps:,} | {found.states:,} | {len(found.faults)} "
                f"| {len(found.traps)} |"
            )
            print(lines[-1], *found.traps[:3], sep="\n", flush=True)
    traps = [trap for found in all_found for trap in found.traps]
    met = set[FaultCode]().union(*(found.faults for found in all_found))
    states, steps = sum(found.states for found in all_found), sum(found.steps for found in all_found)
    lines += [
        "",
        f"{states:,} states in {steps:,} steps, {len(met)} kinds of fault among them; {len(traps)} without a way out; "
        f"{time.perf_counter() - started:.0f} s.",
        *(f"- {trap}" for trap in traps),
    ]
    print(lines[len(lines) - len(traps) - 1])
    if not chosen.profile:
        command = f"make proof-way-out (--steps {chosen.steps})"
        note = (__doc__ or "").split("\n\n", 1)[1].strip() + "\n\n"
        record("way-out", command=command, seed=chosen.seed, body=note + "\n".join(lines))
    if traps:
        raise SystemExit(f"{len(traps)} states without a way out")


if __name__ == "__main__":
    main()
