"""The steps of a scenario as frozen values: what is done, and what must come of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from firmware_sim.control.actions import ActionCall
from protocol import messages as m
from protocol.vocabulary import ErrorCode, Fate
from round_engine.round.operations import BackOut


@dataclass(frozen=True, slots=True, kw_only=True)
class ScenarioStep:
    """Root of all steps."""

    line: int  # in its file
    verb: str


# --- the controller --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Send(ScenarioStep):
    """The controller sends a command; its answer is checked where something is said of it."""

    kind: type[m.Message]
    values: Mapping[str, Any]  # nonce and round are filled in where they are not given
    refused: ErrorCode | None = None
    answer: type[m.Message] | None = None
    answer_values: Mapping[str, Any]
    host_dies: bool = False  # before the answer is here


@dataclass(frozen=True, slots=True, kw_only=True)
class Raw(ScenarioStep):
    """Bytes on the line as they are, as a broken controller would send them."""

    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Learn(ScenarioStep):
    """The controller that was started again learns what became of the command that was under way."""

    fate: Fate
    within_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal(ScenarioStep):
    """A whole round as a plain controller deals it."""

    seats: tuple[int, ...]
    within_s: float


# --- the table -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Play(ScenarioStep):
    """The table plays until so many rounds have come to an end."""

    rounds: int
    within_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Swap(ScenarioStep):
    """The backup takes the place of the device in use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo(ScenarioStep):
    """Somebody backs an award of the next round out, once that is settled."""

    move: BackOut


# --- the world -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Act(ScenarioStep):
    """A tester action."""

    call: ActionCall


# --- expectations ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Await(ScenarioStep):
    """An event must come in time; those before it are passed over."""

    kind: type[m.Event]
    values: Mapping[str, Any]
    within_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Never(ScenarioStep):
    """So much time passes, and no such event may come in it."""

    kind: type[m.Event]
    values: Mapping[str, Any]
    for_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect(ScenarioStep):
    """What must be the case now: a check's name and what it wants."""

    wanted: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class End(ScenarioStep):
    """After the last step: what holds at the end of every scenario."""
