"""Steps from their tables: one row a verb, with what reads it and where it may stand."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from firmware_sim.control.actions import ACTIONS, DAY_S, Action, read_call
from firmware_sim.control.names import member, names_of
from protocol import messages as m
from protocol.vocabulary import ErrorCode, Fate
from round_engine.round.operations import BackOut
from round_engine.wagers import METERED
from shuffler.kit.scenarios import steps as s
from shuffler.kit.scenarios.checks import CHECKS
from shuffler.kit.scenarios.values import COMMANDS, EVENTS, MESSAGES, fields_of, read_fields, read_hex, read_seats
from strict_toml import Section

WITHIN_S = 120.0
ROUND_S = 3600.0
ROUNDS_MOST = 10_000
FILLED_IN = ("nonce", "round")  # by the controller, where they are not given
DEFAULTS = {"groups": 0}


@dataclass(frozen=True, slots=True)
class Verb:
    """How a step is read: its class and the values beside line and verb."""

    step: type[s.ScenarioStep]
    read: Callable[[Section], dict[str, Any]]
    where: str = ""  # "table" or "controller"; empty: both


def read_step(row: Section, line: int, *, at_table: bool) -> s.ScenarioStep:
    """A step; refuses one without a verb, with two, or with one that has no place here."""
    given = [verb for verb in VERBS if verb in row.left]
    if len(given) != 1:
        said = f"this one has {' and '.join(given)}" if given else "this one has none"
        row.refuse(f"a step has one verb of {', '.join(VERBS)}; {said}", given[1] if given else None)
    verb = VERBS[given[0]]
    if verb.where == "table" and not at_table:
        row.refuse(f"{given[0]} is a table's, and this scenario has no [table]", given[0])
    if verb.where == "controller" and at_table:
        row.refuse(f"{given[0]} is a controller's: at a [table] the table is the controller", given[0])
    values = verb.read(row)
    if verb.step is s.Expect and not at_table and (alone := [n for n in values["wanted"] if CHECKS[n].at_table]):
        row.refuse(f"{alone[0]} can be expected of a table alone, and this scenario has no [table]", "expect")
    row.finish()
    return verb.step(line=line, verb=given[0], **values)


# --- the controller --------------------------------------------------------------------------------------------------


def _send(row: Section) -> dict[str, Any]:
    kind = COMMANDS[row.choice("send", COMMANDS)]
    values = DEFAULTS | _fields(row, "fields", kind) if kind is m.DealGroup else _fields(row, "fields", kind)
    wanted = [name for name in fields_of(kind) if name not in (*values, *FILLED_IN)]
    if wanted:
        row.refuse(f"{kind.__name__} needs {', '.join(wanted)}: write fields = {{ {wanted[0]} = … }}", "send")
    refused = member(ErrorCode, row.choice("refused", names_of(ErrorCode))) if row.has("refused") else None
    answer = MESSAGES[row.choice("answer", MESSAGES)] if row.has("answer") else None
    answer_values = _fields(row, "with", answer) if answer is not None else {}
    dies = row.flag("host_dies", False)
    if dies and (refused is not None or answer is not None):
        row.refuse("a host that dies sees no answer: leave refused and answer out", "host_dies")
    if refused is not None and answer is not None:
        row.refuse("a command is answered or refused, not both", "refused")
    return {
        "kind": kind, "values": values, "refused": refused, "answer": answer, "answer_values": answer_values,
        "host_dies": dies,
    }  # fmt: skip


def _fields(row: Section, key: str, kind: type[m.Message]) -> dict[str, Any]:
    return read_fields(row.section(key), kind) if row.has(key) else {}


def _learn(row: Section) -> dict[str, Any]:
    return {"fate": member(Fate, row.choice("fate", names_of(Fate))), "within_s": _within(row)}


def _deal(row: Section) -> dict[str, Any]:
    return {"seats": read_seats(row, "deal"), "within_s": _within(row, ROUND_S)}


# --- the table -------------------------------------------------------------------------------------------------------


def _play(row: Section) -> dict[str, Any]:
    return {"rounds": row.whole("play", 1, ROUNDS_MOST), "within_s": _within(row, ROUND_S)}


def _swap(row: Section) -> dict[str, Any]:
    row.choice("swap", ("backup",))
    return {}


def _back_out(row: Section) -> dict[str, Any]:
    move = row.section("back_out")
    read = BackOut(
        wager=move.choice("wager", METERED) if move.has("wager") else METERED[0],
        record=move.whole("record", 1, ROUNDS_MOST), by=move.text("by"), reason=move.text("reason", "review"),
        void=move.flag("void", False),
    )  # fmt: skip
    move.finish()
    return {"move": read}


# --- the world -------------------------------------------------------------------------------------------------------


def _act(action: Action, row: Section) -> dict[str, Any]:
    return {"call": read_call(action, row, action.name)}


# --- expectations ----------------------------------------------------------------------------------------------------


def _event(row: Section, key: str) -> dict[str, Any]:
    kind = EVENTS[row.choice(key, EVENTS)]
    return {"kind": kind, "values": _fields(row, "fields", kind)}


def _within(row: Section, default: float = WITHIN_S) -> float:
    return row.number("within_s", 0, DAY_S, default)


def _expect(row: Section) -> dict[str, Any]:
    section = row.section("expect")
    if not section.left:
        row.refuse(f"expect what? There are {', '.join(CHECKS)}", "expect")
    wanted: dict[str, Any] = {}
    for name in list(section.left):
        if name not in CHECKS:
            section.refuse(f"nothing called {name!r} can be expected; there are {', '.join(CHECKS)}", name)
        wanted[name] = CHECKS[name].read(section, name)
    section.finish()
    return {"wanted": wanted}


# fmt: off
VERBS: dict[str, Verb] = {
    "send":      Verb(s.Send, _send, "controller"),
    "raw":       Verb(s.Raw, lambda row: {"data": read_hex(row, "raw")}, "controller"),
    "fate":      Verb(s.Learn, _learn, "controller"),
    "deal":      Verb(s.Deal, _deal, "controller"),
    "play":      Verb(s.Play, _play, "table"),
    "swap":      Verb(s.Swap, _swap, "table"),
    "back_out":  Verb(s.Undo, _back_out, "table"),
    "wait":      Verb(s.Await, lambda row: _event(row, "wait") | {"within_s": _within(row)}),
    "never":     Verb(s.Never, lambda row: _event(row, "never") | {"for_s": row.number("for_s", 0, DAY_S)}),
    "expect":    Verb(s.Expect, _expect),
}
# fmt: on
VERBS |= {action.name: Verb(s.Act, partial(_act, action)) for action in ACTIONS}
