"""A device as plain data: what a dealer sees, what the sensors say, and what only the control plane knows."""

from enum import Enum
from typing import Any

from firmware_sim.control.actions import ACTIONS
from firmware_sim.control.control import Control
from firmware_sim.control.injections import INJECTIONS, Trigger
from firmware_sim.control.names import name_of
from firmware_sim.machine.mechanism import Mechanism, Motion
from firmware_sim.machine.places import PLACES
from firmware_sim.machine.profile import Profile
from firmware_sim.machine.signals import Lane
from firmware_sim.ports.serving import Served
from firmware_sim.program.faults import BY_CODE
from firmware_sim.program.orders import status
from firmware_sim.unit.emulator import Emulator
from protocol.cards import card_name
from protocol.render.as_json import plain
from protocol.vocabulary import CommitKind, Role

_PLACE_WORDS = {
    "infeed": "feeder", "stack": "on the stack", "rack": "shuffled, next", "play": "deck in play",
    "tray": "output tray", "table": "on the table", "aside": "beside the machine", "dropped": "lost",
}  # fmt: skip


def device_view(served: Served) -> dict[str, Any]:
    """Everything about a device that changes, in one document; the page draws it as it is."""
    emulator = served.emulator
    build, machine = served.place.build, emulator.machine
    return {
        "serial": build.serial,
        "profile": build.profile.name,
        "model": build.profile.identity.model,
        "kind": build.profile.build.kind.value,
        "kernel": build.profile.build.kernel,
        "compartments": build.profile.games[0].groups + 1,
        "reads_faces": build.profile.senses.reads_faces,
        "hands": build.hands,
        "seeded": build.seed is not None,
        "secure": build.key is not None,
        "urls": served.urls,
        "on": emulator.is_on,
        "plugged": not served.runner.unplugged,
        "connected": served.runner.attached,
        "panel": panel_view(emulator),
        "status": status_view(emulator),
        "clock": clock_view(emulator),
        "sensors": sensors_view(machine),
        "faults": faults_view(emulator),
        "rig": rig_view(emulator),
        "motions": [motion_view(motion, lane) for lane, motion in zip(Lane, machine.motions, strict=True) if motion],
        "places": {name: list(getattr(machine.places, name)) for name in PLACES},
        "faces": list(machine.faces),
        "face_up": [card for card, defect in machine.defects.items() if defect.face_up],
        "commitment": commitment_view(emulator),
    }


def panel_view(emulator: Emulator) -> dict[str, Any]:
    """Two lines, three lights, the buttons that do something now; dark while the device is off."""
    if not emulator.is_on:
        return {"top": "", "bottom": "", "green": False, "amber": False, "red": False, "buttons": []}
    panel = emulator.control.panel()
    return {
        "top": panel.top, "bottom": panel.bottom, "green": panel.green, "amber": panel.amber, "red": panel.red,
        "buttons": list(panel.buttons),
    }  # fmt: skip


def status_view(emulator: Emulator) -> dict[str, Any]:
    """The firmware's Status message, states as words."""
    if not emulator.is_on:
        return {"power": "off"}
    found = status(emulator.firmware, Role.DEALER)
    numbers = plain(found)
    return {
        name: name_of(getattr(found, name)) if isinstance(getattr(found, name), Enum) else number
        for name, number in numbers.items()
    } | {"epoch": f"{emulator.device.events.epoch:016x}", "boots": emulator.device.boots}


def clock_view(emulator: Emulator) -> dict[str, Any]:
    """The machine's time: what it shows, how fast it runs, how long until something is due."""
    due = emulator.control.next_due()
    return {"machine_us": emulator.machine_us, "rate": emulator.clock.speed, "due_us": due}


def sensors_view(machine: Mechanism) -> dict[str, Any]:
    """What the sensors read, and what hangs behind them."""
    return {
        "door_open": machine.door_open,
        "hot": machine.hot,
        "infeed": machine.infeed_occupied,
        "next_deck": machine.next_deck_inside,
        "play_deck": machine.play_deck_inside,
        "tray": machine.tray_occupied,
        "tray_stuck": machine.tray_sensor_stuck is not None,
        "blocked": sorted(name_of(place) for place in machine.blocked),
        "call": name_of(machine.people.asked.call),
    }


def motion_view(motion: Motion, lane: Lane) -> dict[str, Any]:
    """A pass under way: the law by which its cards move, in machine time."""
    return {
        "lane": name_of(lane), "work": name_of(motion.work), "start_us": motion.start_us, "card_us": motion.card_us,
        "cards": motion.stop_at, "done": motion.done, "end_us": motion.end_us,
    }  # fmt: skip


def faults_view(emulator: Emulator) -> dict[str, Any]:
    """What the device reports, what stands in the world, what waits to strike."""
    injector = emulator.control.injector
    active = emulator.firmware.desk.active if emulator.is_on else {}
    return {
        "reported": [
            {
                "code": name_of(code), "detail": detail, "panel": BY_CODE[code].panel, "cause": BY_CODE[code].cause,
                "sensed": BY_CODE[code].sensed, "cure": BY_CODE[code].cure, "after": BY_CODE[code].after.value,
                "clears": [name_of(how) for how in BY_CODE[code].clears], "place": name_of(BY_CODE[code].place),
            }
            for code, detail in active.items()
        ],
        "active": [{"name": one.kind.name, "meaning": one.kind.meaning} for one in injector.active],
        "armed": [
            {"name": one.kind.name, "meaning": one.kind.meaning, "trigger": trigger_view(one.trigger), "left": one.left}
            for one in injector.armed
        ],
    }  # fmt: skip


def trigger_view(trigger: Trigger) -> dict[str, Any]:
    """A trigger, what it does not say left out."""
    said = {
        "at_card": trigger.at_card,
        "at_s": None if trigger.at_us is None else trigger.at_us / 1e6,
        "when": trigger.when,
        "rate": trigger.rate or None,
        "clear_after_s": None if trigger.clear_after_us is None else trigger.clear_after_us / 1e6,
        "by_hand": trigger.by_hand or None,
        "retries": trigger.retries,
    }
    return {"times": trigger.times} | {name: value for name, value in said.items() if value is not None}


def rig_view(emulator: Emulator) -> dict[str, Any]:
    """Decks that wait to be dealt as told, and what is worn in the mechanism."""
    engine = emulator.engine
    return {
        "decks": [[card_name(face) if face >= 0 else "" for face in order] for order in engine.rigged],
        "mechanism": dict(engine.defects),
    }


def truth_view(control: Control, machine: Mechanism) -> dict[str, Any]:
    """Where every card really is: each place in order, the next card to move first."""
    truth = control.truth()
    places = machine.places
    return {
        "places": {name: [card_name(face) for face in getattr(truth, name)] for name in PLACES},
        "cards": [
            {
                "id": card, "face": machine.faces[card], "name": card_name(machine.faces[card]), "place": name,
                "where": _PLACE_WORDS[name], "position": at,
            }
            for name in PLACES
            for at, card in enumerate(getattr(places, name))
        ],
    }  # fmt: skip


def commitment_view(emulator: Emulator) -> dict[str, Any] | None:
    """The root that the deck in play was committed to."""
    if not emulator.is_on:
        return None
    deck = emulator.firmware.deal.deck
    if deck is None or deck.kind is CommitKind.NOTHING:
        return None
    root = deck.commitment(emulator.build.serial).root
    return {"shuffle": deck.shuffle, "root": root.hex()}


def action_views() -> list[dict[str, Any]]:
    """The tester actions, with labels for buttons."""
    return [
        {"name": one.name, "label": one.label, "about": one.about, "parameters": one.schema} for one in ACTIONS
    ]


def injection_views() -> list[dict[str, Any]]:
    """The catalogue of injections."""
    return [
        {
            "name": kind.name, "nature": kind.nature.value, "meaning": kind.meaning,
            "fault": None if kind.fault is None else name_of(kind.fault),
            "cure": None if kind.fault is None else BY_CODE[kind.fault].cure,
            "dealer_clears": kind.dealer_clears,
        }
        for kind in INJECTIONS
    ]  # fmt: skip


def profile_view(profile: Profile) -> dict[str, Any]:
    """A profile in short."""
    return {
        "name": profile.name, "describes": profile.describes, "kind": profile.build.kind.value,
        "model": profile.identity.model, "kernel": profile.build.kernel, "reads_faces": profile.senses.reads_faces,
        "commits": name_of(profile.senses.commits),
        "games": [{"game": game.game, "name": game.name, "seats": game.groups} for game in profile.games],
    }  # fmt: skip
