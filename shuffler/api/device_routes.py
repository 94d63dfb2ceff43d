"""Devices over HTTP: all that a tester can do to them and to their world, and all there is to see."""

from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Query, Response

from firmware_sim.control import setup as setups
from firmware_sim.control.control import Control, card_code
from firmware_sim.control.injections import Trigger
from firmware_sim.machine import profile as profiles
from firmware_sim.unit.emulator import Build
from firmware_sim.unit.snapshot import Snapshot
from protocol.messages import DEALER_SEAT
from protocol.vocabulary import PowerUpCause
from shuffler.api import requests as body
from shuffler.api import views
from shuffler.api.devices import BenchDevice, Devices, place_for
from shuffler.api.problems import RESPONSES, bad_input, conflict

LOG_LINES = 200

SerialPath = Annotated[str, Path(max_length=64, description="The device's serial number.")]


def device_router(devices: Devices, host: str) -> APIRouter:
    """Paths under /devices, for the devices of one bench; new ones listen on `host`."""
    router = APIRouter(prefix="/devices", tags=["devices"], responses=RESPONSES)

    # -------------------------------------------------------------------------------------------------- the collection

    @router.get("", summary="All devices")
    async def list_devices() -> list[dict[str, Any]]:
        return [_line(device) for device in devices]

    @router.post("", status_code=201, summary="Put a device on the bench")
    async def create_device(new: body.NewDevice) -> dict[str, Any]:
        setup = _setup(new)
        profile = profiles.load(_known(new.profile, profiles.names(), "profile"))
        if setup is not None:
            profile = setup.adapt(profile)
        build = Build(
            profile=profile, serial=new.serial or devices.new_serial(), seed=new.seed, hands=new.hands,
            speed=new.speed, setup=setup,
        )  # fmt: skip
        try:
            device = await devices.create(place_for(build, host=host, tcp=new.tcp, pty=new.pty))
        except OSError as problem:
            raise conflict(f"the port can't be opened: {problem.strerror or problem}") from None
        return device.view()

    @router.get("/{serial}", summary="Everything about a device, in one document")
    async def show_device(serial: SerialPath) -> dict[str, Any]:
        return devices.get(serial).view()

    @router.delete("/{serial}", status_code=204, response_class=Response, summary="Take a device away")
    async def remove_device(serial: SerialPath) -> None:
        await devices.remove(serial)

    # ------------------------------------------------------------------------------------------------- what can be seen

    @router.get("/{serial}/panel", summary="What the dealer sees")
    async def panel(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["panel"])

    @router.get("/{serial}/status", summary="The state of each machine of the firmware")
    async def status(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["status"])

    @router.get("/{serial}/truth", summary="Where every card really is")
    async def truth(serial: SerialPath) -> dict[str, Any]:
        device = devices.get(serial)
        return device.do(lambda control: views.truth_view(control, device.served.emulator.machine))

    @router.get("/{serial}/log", summary="The device's own log, newest last")
    async def log(
        serial: SerialPath, after: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0
    ) -> list[dict[str, Any]]:
        emulator = devices.get(serial).served.emulator
        if not emulator.is_on:
            raise conflict("the device is off: switch it on to read its log")
        lines: list[dict[str, Any]] = []
        while len(lines) < LOG_LINES and (page := emulator.firmware.board.log.page(after, LOG_LINES)).lines:
            for line in page.lines:
                lines.append({"number": line.number, "time_ms": line.time_ms, "text": line.text})
            after = page.lines[-1].number
        return lines

    @router.get("/{serial}/transcript", summary="Decoded frames of the line, oldest first")
    async def transcript(
        serial: SerialPath,
        after: Annotated[int, Query(ge=0, le=2**63 - 1, description="Only frames with a higher number.")] = 0,
        limit: Annotated[int, Query(ge=1, le=2000)] = 500,
    ) -> list[dict[str, Any]]:
        return devices.get(serial).transcript.frames(after, limit)

    @router.get(
        "/{serial}/capture",
        summary="The line's bytes as a capture for Wireshark (pcapng)",
        response_class=Response,
        responses={200: {"content": {"application/octet-stream": {}}, "description": "A pcapng file."}},
    )
    async def capture(serial: SerialPath) -> Response:
        return Response(
            devices.get(serial).transcript.pcapng(), media_type="application/octet-stream",
            headers={"content-disposition": f'attachment; filename="{serial}.pcapng"'},
        )  # fmt: skip

    # ---------------------------------------------------------------------------------------------- power, cable, hands

    # ---------------------------------------------------------------------------------------------------- snapshots

    @router.get("/{serial}/snapshot", summary="Memory and cards as one file, to go on from elsewhere")
    async def snapshot(serial: SerialPath) -> dict[str, Any]:
        device = devices.get(serial)
        device.served.runner.wake()
        return device.served.emulator.snapshot().to_json()

    @router.post("/restore", status_code=201, summary="Put a device on the bench as a snapshot left it")
    async def restore(wanted: body.Restore) -> dict[str, Any]:
        found = Snapshot.from_json(wanted.snapshot)
        profile = profiles.load(_known(found.profile, profiles.names(), "profile"))
        if found.hands not in ("auto", "manual"):
            raise bad_input(f"hands are auto or manual, not {found.hands!r}")
        serial = wanted.serial or found.serial
        build = Build(profile=profile, serial=serial, hands=found.hands, speed=wanted.speed)
        place = replace(place_for(build, host=host, tcp=wanted.tcp, pty=wanted.pty), restore=found)
        try:
            return (await devices.create(place)).view()
        except OSError as problem:
            raise conflict(f"the port can't be opened: {problem.strerror or problem}") from None

    @router.put("/{serial}/power", summary="Switch on or off")
    async def power(serial: SerialPath, wanted: body.PowerBody) -> dict[str, Any]:
        device = devices.get(serial)
        if wanted.on:
            device.served.switch_on()
        else:
            device.served.switch_off()
        return device.view()

    @router.post("/{serial}/power/cycle", summary="Cut the power and give it back")
    async def power_cycle(serial: SerialPath) -> dict[str, Any]:
        device = devices.get(serial)
        device.served.power_cycle(PowerUpCause.POWER_RETURNED)
        return device.view()

    @router.put("/{serial}/cable", summary="Pull the data cable, or put it back")
    async def cable(serial: SerialPath, wanted: body.CableBody) -> dict[str, Any]:
        device = devices.get(serial)
        if wanted.plugged:
            device.served.plug()
        else:
            device.served.unplug()
        return device.view()

    @router.put("/{serial}/door", summary="Open or close the door")
    async def door(serial: SerialPath, wanted: body.Door) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(Control.open_door if wanted.open else Control.close_door)
        return device.view()

    @router.post("/{serial}/buttons", summary="Press a button of the front panel")
    async def press(serial: SerialPath, wanted: body.Button) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(lambda control: control.press(wanted.button))
        return device.view()

    @router.post("/{serial}/hands", summary="Move cards by hand")
    async def hands(serial: SerialPath, wanted: body.HandBody) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(lambda control: _move(control, wanted))
        return device.view()

    # ----------------------------------------------------------------------------------------------------------- faults

    @router.get("/{serial}/faults", summary="Faults reported, injections standing and armed")
    async def faults(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["faults"])

    @router.post("/{serial}/faults", status_code=201, summary="Inject a fault, now or when a trigger says")
    async def inject(serial: SerialPath, wanted: body.Injection) -> dict[str, Any]:
        device = devices.get(serial)
        trigger, options = _trigger(wanted), _options(wanted)
        device.do(lambda control: control.inject(wanted.name, trigger, **options))
        return cast(dict[str, Any], device.view()["faults"])

    @router.delete("/{serial}/faults", summary="Mend everything that stands and disarm everything that waits")
    async def mend_all(serial: SerialPath) -> dict[str, Any]:
        device = devices.get(serial)
        return {"mended": device.do(Control.mend), "faults": device.view()["faults"]}

    @router.delete("/{serial}/faults/{name}", summary="Mend one kind")
    async def mend(serial: SerialPath, name: Annotated[str, Path(max_length=64)]) -> dict[str, Any]:
        device = devices.get(serial)
        return {"mended": device.do(lambda control: control.mend(name)), "faults": device.view()["faults"]}

    # -------------------------------------------------------------------------------------------------------------- rig

    @router.get("/{serial}/rig", summary="Decks that wait to be dealt as told")
    async def rig(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["rig"])

    @router.post("/{serial}/rig/deck", status_code=201, summary="Fix the first cards of the next deck")
    async def rig_deck(serial: SerialPath, wanted: body.RigDeck) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(lambda control: control.next_deck(wanted.order))
        return cast(dict[str, Any], device.view()["rig"])

    @router.post("/{serial}/rig/hands", status_code=201, summary="Fix hands of the next deck, seat by seat")
    async def rig_hands(serial: SerialPath, wanted: body.RigHands) -> dict[str, Any]:
        device = devices.get(serial)
        hands = {_seat(seat): cards for seat, cards in wanted.hands.items()}
        device.do(lambda control: control.next_hands(hands, wanted.seats))
        return cast(dict[str, Any], device.view()["rig"])

    @router.put("/{serial}/rig/mechanism", summary="Wear the shuffling mechanism, or mend it")
    async def wear(serial: SerialPath, wanted: body.Wear) -> dict[str, Any]:
        device = devices.get(serial)
        try:
            device.do(lambda control: control.wear(**wanted.mechanism))
        except (TypeError, ValueError) as problem:
            raise bad_input(f"the mechanism does not take that: {problem}") from None
        return cast(dict[str, Any], device.view()["rig"])

    @router.delete("/{serial}/rig", summary="Forget all rigged decks and mend the mechanism")
    async def unrig(serial: SerialPath) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(Control.unrig)
        return cast(dict[str, Any], device.view()["rig"])

    # ------------------------------------------------------------------------------------------------------------ clock

    @router.get("/{serial}/clock", summary="The machine's clock")
    async def clock(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["clock"])

    @router.put("/{serial}/clock", summary="Run it slower or faster; 0 pauses it")
    async def set_clock(serial: SerialPath, wanted: body.Clock) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(lambda control: control.run_at(wanted.rate))
        return cast(dict[str, Any], device.view()["clock"])

    @router.post("/{serial}/clock/step", summary="Let the next things happen that are due in the machine")
    async def step(serial: SerialPath, wanted: body.Step) -> dict[str, Any]:
        device = devices.get(serial)
        passed = sum(device.do(Control.step) for _ in range(wanted.count))
        return {"seconds": passed, "clock": device.view()["clock"]}

    @router.post("/{serial}/clock/advance", summary="Let time pass at once, motors, people and timers included")
    async def advance(serial: SerialPath, wanted: body.Advance) -> dict[str, Any]:
        device = devices.get(serial)
        device.do(lambda control: control.advance(wanted.seconds))
        return cast(dict[str, Any], device.view()["clock"])

    return router


def reference_router() -> APIRouter:
    """What there is to choose from."""
    router = APIRouter(tags=["reference"], responses=RESPONSES)

    @router.get("/profiles", summary="Kinds of device")
    async def list_profiles() -> list[dict[str, Any]]:
        return [views.profile_view(profiles.load(name)) for name in profiles.names()]

    @router.get("/setups", summary="Set-ups that come with the product")
    async def list_setups() -> list[dict[str, Any]]:
        return [{"name": name, "about": setups.load(name).about} for name in setups.names()]

    @router.get("/injections", summary="Everything that can go wrong")
    async def list_injections() -> list[dict[str, Any]]:
        return views.injection_views()

    return router


def _line(device: BenchDevice) -> dict[str, Any]:
    """A device in a list."""
    view = device.view()
    return {name: view[name] for name in ("serial", "profile", "model", "on", "plugged", "connected", "urls", "panel")}


def _known(name: str, names: list[str], what: str) -> str:
    if name not in names:
        raise bad_input(f"no {what} is called {name!r}; there are {', '.join(names)}")
    return name


def _setup(new: body.NewDevice) -> setups.Setup | None:
    if new.setup is not None and new.setup_text is not None:
        raise bad_input("give a set-up by name or by text, not both")
    if new.setup_text is not None:
        return setups.parse("the set-up in this request", new.setup_text)
    return None if new.setup is None else setups.load(_known(new.setup, setups.names(), "set-up"))


def _trigger(wanted: body.Injection) -> Trigger:
    said = [name for name in setups.AT_ONCE if getattr(wanted, name) is not None]
    if len(said) > 1:
        raise bad_input(f"give one of {', '.join(setups.AT_ONCE)}, not {' and '.join(said)}")
    return Trigger(
        at_card=wanted.at_card, at_us=None if wanted.at_s is None else int(wanted.at_s * 1e6), when=wanted.when,
        rate=wanted.rate or 0.0, times=wanted.times, by_hand=wanted.by_hand, retries=wanted.retries,
        clear_after_us=None if wanted.clear_after_s is None else int(wanted.clear_after_s * 1e6),
    )  # fmt: skip


def _options(wanted: body.Injection) -> dict[str, Any]:
    face = wanted.face
    if isinstance(face, str):
        face = card_code(face)
    if face is not None and not 0 <= face <= 255:
        raise bad_input(f"{face} is no face: they are numbered 0 to 255")
    said = {"value": wanted.value, "level": wanted.level, "position": wanted.position, "face": face}
    return {name: value for name, value in said.items() if value is not None}


def _seat(name: str) -> int:
    if name == "dealer":
        return DEALER_SEAT
    if not name.isdecimal() or not 1 <= int(name) <= setups.MAX_SEAT:
        raise bad_input(f"a seat is a number from 1 to {setups.MAX_SEAT} or dealer, not {name!r}")
    return int(name)


def _move(control: Control, wanted: body.HandBody) -> None:
    match wanted.action:
        case "lay_in":
            control.lay_in(wanted.cards)
        case "take_from_infeed":
            control.take_from_infeed()
        case "lift":
            control.lift(wanted.count)
        case "put_back":
            control.put_back(wanted.count or 1)
        case "draw":
            control.draw(wanted.count or 1)
        case "gather":
            control.gather()
        case "empty_inside":
            control.empty_inside()
