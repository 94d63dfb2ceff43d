"""Devices over HTTP: all that a tester can do to them and to their world, and all there is to see."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, Path, Query, Request, Response

from firmware_sim.control import setup as setups
from firmware_sim.control.actions import ACTIONS, Action, call_from
from firmware_sim.machine import profile as profiles
from firmware_sim.unit.emulator import Build
from firmware_sim.unit.snapshot import Snapshot
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

    # ---------------------------------------------------------------------------------------------- a tester's actions

    @router.get("/{serial}/faults", summary="Faults reported, injections active and armed")
    async def faults(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["faults"])

    @router.get("/{serial}/rig", summary="Rigged decks that are to be dealt, and wear of the mechanism")
    async def rig(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["rig"])

    @router.get("/{serial}/clock", summary="The machine's clock")
    async def clock(serial: SerialPath) -> dict[str, Any]:
        return cast(dict[str, Any], devices.get(serial).view()["clock"])

    for action in ACTIONS:
        router.post(
            f"/{{serial}}/actions/{action.name}",
            summary=action.label,
            description=action.about,
            operation_id=action.name,
            openapi_extra={"requestBody": {"content": {"application/json": {"schema": action.schema}}}},
        )(_doing(devices, action))

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

    @router.get("/actions", summary="Everything that a tester can do to a device")
    async def list_actions() -> list[dict[str, Any]]:
        return views.action_views()

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


def _doing(devices: Devices, action: Action) -> Callable[[str, Request], Awaitable[dict[str, Any]]]:
    async def do(serial: SerialPath, request: Request) -> dict[str, Any]:
        device = devices.get(serial)
        call = call_from(action.name, await _body(request))
        return {"result": device.do(call.on), "device": device.view()}

    return do


async def _body(request: Request) -> dict[str, Any]:
    """The request's JSON object; no body is an empty one."""
    data = await request.body()
    try:
        given = json.loads(data) if data else {}
    except (ValueError, RecursionError) as problem:
        raise bad_input(f"the body is not valid JSON: {problem}") from None
    if not isinstance(given, dict):
        raise bad_input("the body is a JSON object with the action's parameters")
    return given
