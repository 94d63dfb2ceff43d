"""docs/states.md, docs/faults.md and docs/profiles.md, from the device's own tables."""

from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from typing import Any, NamedTuple

from firmware_sim.control import setup as setups
from firmware_sim.control.actions import ACTIONS
from firmware_sim.control.injections import INJECTIONS, VALUES
from firmware_sim.control.names import name_of
from firmware_sim.control.parameters import Parameter
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import Profile
from firmware_sim.program import panel, states
from firmware_sim.program.faults import CATALOGUE, Fault
from firmware_sim.program.states import NO, Row
from proofs.fault_scenarios import ELSEWHERE, SCENARIOS, Instead
from proofs.misdeals import KINDS, SLIPS, WHY_NOT, say
from proofs.pages.markdown import MADE, table
from protocol.vocabulary import (
    Cleared,
    DealState,
    FaultCode,
    FaultState,
    InfeedState,
    MisdealReason,
    Mode,
    PowerState,
    RoundState,
)


class Sheet(NamedTuple):
    """One machine: its table, its states, which of its events are a host's or dealer's commands."""

    name: str
    about: str
    table: Mapping[Any, Row]
    states: type[IntEnum]
    commands: tuple[str, ...]
    texts: Mapping[Any, tuple[str, str]]


# fmt: off
_LOADED, _ANYTIME = ("LOAD", "SHUFFLE", "SORT", "READ"), ("SORT", "READ", "SERVICE", "PLAY")
SHEETS: tuple[Sheet, ...] = (
    Sheet("Power",  "whether anything runs", states.POWER, PowerState, (), panel.POWER_TEXT),
    Sheet("Infeed", "the deck that comes next", states.INFEED, InfeedState, _LOADED, panel.INFEED_TEXT),
    Sheet("Deal",   "the deck in play", states.DEAL, DealState, ("DEAL", "EJECT"), panel.DEAL_TEXT),
    Sheet("Round",  "the round that is dealt", states.ROUND, RoundState, ("BEGIN", "CLOSE", "VOID"), {}),
    Sheet("Fault",  "what holds the machine", states.FAULT, FaultState, (), {}),
    Sheet("Mode",   "what the machine is turned to", states.MODE, Mode, _ANYTIME, panel.MODE_TEXT),
)
# fmt: on


# ------------------------------------------------------------------------------------------------------------- states


def diagram(sheet: Sheet) -> str:
    """A Mermaid state diagram: one arrow from a state to another, labelled with all events that lead there."""
    arrows: dict[tuple[str, str], list[str]] = {}
    for event, row in sheet.table.items():
        for state, cell in zip(sheet.states, row, strict=True):
            if isinstance(cell, sheet.states):
                arrows.setdefault((name_of(state), name_of(cell)), []).append(event.name)
    lines = ["```mermaid", "stateDiagram-v2", f"    [*] --> {name_of(next(iter(sheet.states)))}"]
    lines += [f"    {a} --> {b} : {', '.join(events)}" for (a, b), events in arrows.items()]
    return "\n".join([*lines, "```"])


def cells(sheet: Sheet) -> str:
    """The whole table: what each event does in each state."""
    rows = []
    for event, row in sheet.table.items():
        name = f"**{event.name}**" if event.name in sheet.commands else event.name
        told = [name_of(cell) if isinstance(cell, sheet.states) else "refused" if cell == NO else "·" for cell in row]
        rows.append([name, *told])
    return table(["event", *(name_of(state) for state in sheet.states)], rows)


def seen(sheet: Sheet) -> str:
    """Each state, what it means, and what a dealer reads."""
    rows = []
    for state in sheet.states:
        lines = [line for line in sheet.texts.get(state, ()) if line]
        rows.append([name_of(state), state.meaning, " / ".join(f"`{line}`" for line in lines)])
    if not any(row[2] for row in rows):
        return table(["state", "means"], [row[:2] for row in rows])
    return table(["state", "means", "the panel shows"], rows)


def states_page() -> str:
    """docs/states.md."""
    parts = [
        "# States of the device",
        MADE,
        "Six small machines, each with a cell for every event in every state, joined by the events they send one "
        "another. A next deck can be shuffled while another is dealt, so these are not one machine. Commands are in "
        "**bold**; `refused` means an error that says what to do, `·` that the event changes nothing there. What the "
        "panel shows is decided in this order: power, fault, mode, the deck in play, the coming deck.",
    ]
    for sheet in SHEETS:
        parts += [f"## {sheet.name}: {sheet.about}", diagram(sheet), seen(sheet), cells(sheet)]
    return "\n\n".join(parts) + "\n"


# ------------------------------------------------------------------------------------------------------------- faults


def _number(fault: Fault) -> str:
    return f"{int(fault.code)} {fault.code.name}"


def _how(clears: tuple[Cleared, ...]) -> str:
    words = {
        Cleared.BY_ITSELF: "by itself",
        Cleared.BY_DEALER: "the dealer's OK",
        Cleared.BY_HOST: "ClearFault",
        Cleared.BY_POWER_CYCLE: "power off and on",
    }
    return ", ".join(words[how] for how in clears)


def catalogue() -> str:
    """What each fault is."""
    columns = ["code", "place", "cause", "the sensors see", "panel", "on the wire"]
    rows = [[_number(f), f.place.name.lower(), f.cause, f.sensed, f"`{f.panel}`", f.wire] for f in CATALOGUE]
    return table(columns, rows)


def cures() -> str:
    """How each fault ends."""
    columns = ["code", "cleared by", "when it is seen that", "afterwards", "what to do", "set-ups that bring it about"]
    rows = []
    for fault in CATALOGUE:
        clears = "SetTime" if fault.code is FaultCode.CLOCK_LOST else _how(fault.clears)
        names = ", ".join(f"`{name}`" for name in setups.starting_in(fault.code)) or "none: it comes from outside"
        rows.append([_number(fault), clears, fault.test.value, fault.after.value, fault.cure, names])
    return table(columns, rows)


def _instead(found: Instead) -> str:
    if found is None:
        return "not seen"
    if isinstance(found, MisdealReason):
        return f"misdeal {found.name}"
    return found.name if isinstance(found, FaultCode) else found


def by_profile() -> str:
    """Which profile raises which fault, and what the others make of its cause."""
    raised = {(scenario.code, name) for scenario in SCENARIOS for name in scenario.profiles}
    elsewhere = {(row.code, row.profile): f"{_instead(row.instead)}: {row.why}" for row in ELSEWHERE}
    rows = [
        [fault.code.name, *("yes" if (fault.code, p) in raised else elsewhere[fault.code, p] for p in profiles.names())]
        for fault in CATALOGUE
    ]
    return table(["fault", *profiles.names()], rows)


def injections() -> str:
    """What the control plane can bring about."""
    rows = [
        [f"`{kind.name}`", kind.nature.value, kind.meaning, kind.fault.name if kind.fault is not None else "a misdeal"]
        for kind in INJECTIONS
    ]
    rows = [[*row[:3], "recorded, no misdeal"] if row[0] == "`exposed_card`" else row for row in rows]
    return table(["name", "strikes", "what happens", "should become"], rows)


def actions_page() -> str:
    """docs/actions.md."""
    rows = [
        [f"`{one.name}`", one.label, one.about, "<br>".join(_parameter(each) for each in one.parameters)]
        for one in ACTIONS
    ]
    return (
        "\n\n".join(
            [
                "# Tester actions",
                MADE,
                "Everything a tester can do to an emulated device and its world. Each action has one name and the same "
                "parameters everywhere:",
                "| where | write |\n|---|---|\n"
                '| Python, in process | `emulator.control.press("LOAD")` |\n'
                '| tests with the [kit](kit.md) | `device.press("LOAD")` |\n'
                '| a [scenario](kit.md#scenarios) step | `press = "LOAD"`, or `press = { button = "LOAD" }` |\n'
                "| a [set-up](device.md) | the same under `[[action]]` |\n"
                '| the [control API](control.md) | `POST /api/v1/devices/SB-1/actions/press` with '
                '`{"button": "LOAD"}`; `GET /api/v1/actions` lists them |',
                "The API answers with `result` and the whole `device`. An action that is not possible now is refused "
                "with 409, invalid parameters with 422; both say why.",
                table(["action", "label", "what it does", "parameters"], rows),
                "## Conditions",
                "`when` takes one field of the device's status and its value, or an event: `deal=group_in_tray`, "
                "`group=2`, `event=ShuffleCompleted`. States are spelled as `GET …/status` shows them.",
                table(["field", "values"], [[f"`{name}`", ", ".join(of) or "a number"] for name, of in VALUES.items()]),
            ]
        )
        + "\n"
    )


def _parameter(one: Parameter) -> str:
    return f"`{one.name}`{'' if one.required else ' (optional)'}: {one.about}"


def misdeals() -> str:
    """What each profile must find of what is done to the cards in a round."""
    rows = []
    for injection in SLIPS:
        found = []
        for name in KINDS:
            why = WHY_NOT.get((injection.name, KINDS[name]))
            found.append(say(injection.found[KINDS[name]]) + (f": {why}" if why else ""))
        rows.append([injection.name, *found])
    return table(["done to the cards", *KINDS], rows)


def scheduled() -> str:
    """The set-ups of the product."""
    return table(["set-up", "what happens"], [[f"`{name}`", setups.load(name).about] for name in setups.names()])


def faults_page() -> str:
    """docs/faults.md."""
    return (
        "\n\n".join(
            [
                "# Faults, injections and misdeals",
                MADE,
                "An *injection* is a cause in the world, brought about by a tester; a *fault* is what the firmware "
                "makes of what its sensors see of it. Texts and codes are this project's own, not a maker's.",
                "## The catalogue",
                catalogue(),
                "## How a fault ends",
                cures(),
                "## Which profile sees what",
                "Each `yes` is shown by a test over the wire: raised, seen, cleared, dealing goes on, no card lost, no "
                "hand dealt twice. Each other cell is shown too: what is seen there instead.",
                by_profile(),
                "## Misdeals",
                "What is done to the cards while a round is dealt, and what each profile must find. "
                "`make proof-misdeals` tries each cell hundreds of times "
                "([record](evidence/misdeals.md)); `make proof-clean-rounds` shows that nothing is found where nothing "
                "is wrong ([record](evidence/clean-rounds.md)).",
                misdeals(),
                "## Injections",
                "For `shuffler emulate --setup` and for `Control.inject`. Each strikes at once, at the n-th card of a "
                "pass (`at_card`), at a time (`at_s`), on a condition (`when`) or by chance (`rate`), once or more "
                "often (`times`), and stands until a dealer, the tester or time (`clear_after_s`) clears it.",
                injections(),
                "## Set-ups that come with the product",
                scheduled(),
            ]
        )
        + "\n"
    )


# ----------------------------------------------------------------------------------------------------------- profiles


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "name"):
        return str(value.name).lower()
    if isinstance(value, Mapping):
        return ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value)


def profile_part(profile: Profile) -> str:
    """One profile: every value beside its source."""
    rows = []
    for section in ("identity", "build", "senses", "timings", "messages"):
        part = getattr(profile, section)
        for entry in fields(part):
            where = f"{section}.{entry.name}"
            rows.append([f"`{where}`", _value(getattr(part, entry.name)), profile.sources[where]])
    games = [
        [
            f"{game.game} {game.name}",
            str(game.cards_per_group),
            str(game.dealer_cards),
            str(game.groups),
            "first" if game.dealer_first else "last",
            str(game.deck_cards),
            profile.sources[f"games.{game.game}"],
        ]
        for game in profile.games
    ]
    return "\n\n".join(
        [
            f"## {profile.name}",
            f"{profile.describes}.",
            table(["setting", "value", "where from"], rows),
            table(["game", "cards a group", "dealer's cards", "groups", "dealer", "deck", "where from"], games),
        ]
    )


def profiles_page() -> str:
    """docs/profiles.md."""
    parts = [
        "# Profiles",
        MADE,
        "Every value of the files in `firmware_sim/machine/profiles/` with where it comes from: a public source, or "
        "our own "
        "assumption. No maker's manual or protocol is public; these are models after what patents, rules of play and "
        "reports say. A file of your own has the same form: `shuffler emulate --profile FILE`.",
        *(profile_part(profiles.load(name)) for name in profiles.names()),
    ]
    return "\n\n".join(parts) + "\n"
