"""A scenario played to its end, or to the first expectation that is not met."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from firmware_sim.control.names import name_of
from firmware_sim.errors import DeviceError
from protocol import messages as m
from shuffler.errors import ShufflerError
from shuffler.host.session import fate_of
from shuffler.kit.errors import KitError
from shuffler.kit.report import last_frames, panel_line
from shuffler.kit.scenarios import steps as s
from shuffler.kit.scenarios.checks import CHECKS, broken_promises
from shuffler.kit.scenarios.scenario import Scenario
from shuffler.kit.scenarios.stage import Parts, Stage
from shuffler.kit.scenarios.values import in_words, matches, told
from shuffler.kit.settings import DeviceSettings
from shuffler.virtual.table import Stalled

FRAMES_BEFORE, FRAMES_AFTER = 12, 4
AFTERMATH_S = 2.0  # how long the ends go on after a failure, to show what came next
EVENTS_NAMED = 12


class Unmet(Exception):
    """An expectation that is not met."""

    def __init__(self, expected: str, came: str) -> None:
        super().__init__(f"expected {expected}; {came}")
        self.expected, self.came = expected, came


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioFailure:
    """Where a scenario failed, what was expected, what came, and the frames around it."""

    step: int  # from 1; one past the last: what holds at the end of every scenario
    line: int
    verb: str
    expected: str
    came: str
    panel: str
    before: tuple[str, ...]
    after: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """For people."""
        yield f"step {self.step} ({self.verb}, line {self.line})" if self.line else "at the end"
        yield f"  expected: {self.expected}"
        yield f"  came:     {self.came}"
        yield f"  panel:    {self.panel}"
        yield "  frames up to it:" if self.before else "  nothing was said on the line"
        yield from (f"    {frame}" for frame in self.before)
        if self.after:
            yield f"  and in the {AFTERMATH_S:g} s after it:"
            yield from (f"    {frame}" for frame in self.after)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioOutcome:
    """What came of one run."""

    scenario: Scenario
    virtual_s: float
    failure: ScenarioFailure | None = None

    @property
    def passed(self) -> bool:
        return self.failure is None

    @property
    def repeat(self) -> str:
        """The command that repeats it."""
        return f"shuffler scenario run {self.scenario.name} --seed {self.scenario.seed}"

    def text(self) -> str:
        """The failure for people, and how to repeat it; empty where there is none."""
        if self.failure is None:
            return ""
        head = f"{self.scenario.name}: {self.scenario.about}"
        return "\n".join([head, *self.failure.lines(), f"seed {self.scenario.seed}; repeat it: {self.repeat}"])


def run(scenario: Scenario, *, seed: int | None = None, parts: Parts | None = None) -> ScenarioOutcome:
    """Play a scenario to its end or its first failure; raises only where one of the ends itself breaks down."""
    made_of = parts or Parts()
    if seed is not None:
        scenario = replace(scenario, seed=seed)
    device = DeviceSettings(
        profile=scenario.profile, hands=scenario.hands, port="memory", seed=scenario.seed, program=made_of.program,
        serial="PRIMARY",
    )  # fmt: skip
    table = scenario.table
    if table is not None:
        table = replace(table, core=made_of.core, session=made_of.session)
    stage = Stage(device, table, made_of)
    player = _Player(stage, Random(scenario.seed))
    for number, step in enumerate((*scenario.steps, s.End(line=0, verb="end")), start=1):
        try:
            player.perform(step)
        except Unmet as unmet:
            now_s = stage.now_s
            return ScenarioOutcome(scenario=scenario, virtual_s=now_s, failure=_failure(stage, number, step, unmet))
    return ScenarioOutcome(scenario=scenario, virtual_s=stage.now_s)


def _failure(stage: Stage, number: int, step: s.ScenarioStep, unmet: Unmet) -> ScenarioFailure:
    device = stage.device
    panel = panel_line(device.panel())
    device.transcript.decode()
    until = device.transcript.count
    before = last_frames(device, FRAMES_BEFORE)
    with suppress(ShufflerError, DeviceError, Stalled):
        device.advance(AFTERMATH_S)
    after = last_frames(device, FRAMES_AFTER, after=until)
    return ScenarioFailure(
        step=number, line=step.line, verb=step.verb, expected=unmet.expected, came=unmet.came, panel=panel,
        before=tuple(before), after=tuple(after),
    )  # fmt: skip


class _Player:
    """Performs steps on a stage; what does not go as expected is Unmet."""

    def __init__(self, stage: Stage, chance: Random) -> None:
        self._stage = stage
        self._chance = chance
        self._cursor = 0  # events before it were waited for or passed over
        self._round = 0
        self._dead_request = 0

    def perform(self, step: s.ScenarioStep) -> None:
        """One step."""
        try:
            _DO[type(step)](self, step)
        except (DeviceError, KitError, ShufflerError, Stalled) as problem:
            raise Unmet(f"{step.verb} to be possible", str(problem)) from None

    # --------------------------------------------------------------------------------------------------- the controller

    def _send(self, step: s.Send) -> None:
        controller = self._stage.controller
        assert controller is not None
        command = self._filled_in(step)
        if step.host_dies:
            self._dead_request = controller.deliver_and_kill(command)
            return
        client = controller.client
        reply = client.wait(client.submit(command))
        expected = self._expected(step)
        if not expected(reply):
            raise Unmet(_told_answer(step), in_words(reply, {"code", "text", *step.answer_values}))

    def _filled_in(self, step: s.Send) -> m.Message:
        names = step.kind.__dataclass_fields__
        values = dict(step.values)
        if "nonce" in names:
            values.setdefault("nonce", self._chance.randbytes(16))
        if step.kind is m.BeginRound:
            values.setdefault("round", self._round + 1)
            self._round = values["round"]
        elif "round" in names:
            values.setdefault("round", self._round)
        return step.kind(**values)

    def _expected(self, step: s.Send) -> Callable[[m.Message], bool]:
        if step.refused is not None:
            return lambda reply: isinstance(reply, m.Error) and reply.code is step.refused
        if step.answer is not None:
            return lambda reply: matches(reply, step.answer or m.Done, dict(step.answer_values))
        return lambda reply: not isinstance(reply, m.Error)

    def _raw(self, step: s.Raw) -> None:
        controller = self._stage.controller
        assert controller is not None
        controller.bench.device.receive(step.data, controller.now_us)
        controller.happened(controller.bench.exchange())

    def _learn(self, step: s.Learn) -> None:
        controller = self._stage.controller
        assert controller is not None
        answers = controller.client.answers
        if not self._stage.run(lambda: self._dead_request in answers, step.within_s):
            raise Unmet(f"the fate {name_of(step.fate)}", f"no word of it in {step.within_s:g} s")
        fate = fate_of(answers.pop(self._dead_request))
        if fate is not step.fate:
            raise Unmet(f"the fate {name_of(step.fate)}", name_of(fate))

    def _deal(self, step: s.Deal) -> None:
        controller = self._stage.controller
        assert controller is not None
        controller.deal(step.seats, limit_s=step.within_s)
        self._round = self._stage.dealt.round

    # -------------------------------------------------------------------------------------------------------- the table

    def _play(self, step: s.Play) -> None:
        assert self._stage.table is not None
        self._stage.table.play(step.rounds, limit_s=step.within_s)

    def _swap(self, _: s.Swap) -> None:
        assert self._stage.table is not None
        self._stage.table.swap()

    def _undo(self, step: s.Undo) -> None:
        assert self._stage.table is not None
        self._stage.table.back_out(step.move)

    # -------------------------------------------------------------------------------------------------------- the world

    def _act(self, step: s.Act) -> None:
        step.call.on(self._stage.device)

    # ----------------------------------------------------------------------------------------------------- expectations

    def _await(self, step: s.Await) -> None:
        start = self._cursor
        if not self._stage.run(lambda: self._passes(step.kind, dict(step.values)), step.within_s):
            expected = f"{told(step.kind, dict(step.values))} within {step.within_s:g} s"
            raise Unmet(expected, self._since(start, set(step.values)))

    def _never(self, step: s.Never) -> None:
        start = self._cursor
        if self._stage.run(lambda: self._passes(step.kind, dict(step.values)), step.for_s):
            raise Unmet(f"no {told(step.kind, dict(step.values))} for {step.for_s:g} s", self._since(start, set()))

    def _passes(self, kind: type[m.Event], values: dict[str, Any]) -> bool:
        """Whether an event that was not passed over yet is the one."""
        events = self._stage.events
        while self._cursor < len(events):
            self._cursor += 1
            if matches(events[self._cursor - 1], kind, values):
                return True
        return False

    def _since(self, start: int, names: set[str]) -> str:
        passed = [in_words(event, names) for event in list(self._stage.events)[start : self._cursor] if event.number]
        return ", ".join(passed[-EVENTS_NAMED:]) or "no event at all"

    def _expect(self, step: s.Expect) -> None:
        for name, wanted in step.wanted.items():
            check = CHECKS[name]
            if (came := check.look(self._stage, wanted)) is not None:
                raise Unmet(f"{name} {check.say(wanted)}", came)

    def _end(self, _: s.End) -> None:
        if broken := broken_promises(self._stage):
            raise Unmet("nothing dealt twice and balanced books", "; ".join(broken))


def _told_answer(step: s.Send) -> str:
    if step.refused is not None:
        return f"{step.kind.__name__} to be refused as {name_of(step.refused)}"
    if step.answer is not None:
        return f"{step.kind.__name__} to be answered by {told(step.answer, dict(step.answer_values))}"
    return f"{step.kind.__name__} to be carried out"


_DO: dict[type[s.ScenarioStep], Callable[[_Player, Any], None]] = {
    s.Send: _Player._send,
    s.Raw: _Player._raw,
    s.Learn: _Player._learn,
    s.Deal: _Player._deal,
    s.Play: _Player._play,
    s.Swap: _Player._swap,
    s.Undo: _Player._undo,
    s.Act: _Player._act,
    s.Await: _Player._await,
    s.Never: _Player._never,
    s.Expect: _Player._expect,
    s.End: _Player._end,
}
