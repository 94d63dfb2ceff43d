"""Certification runs over HTTP: start one, follow it, read its report."""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Response
from fastapi import Path as InPath
from fastapi.responses import FileResponse
from pydantic import Field

from firmware_sim.machine import profile as profiles
from randomness.certification import PLANS
from shuffler.api.certifications import Certification, Certifications
from shuffler.api.devices import Devices
from shuffler.api.problems import RESPONSES, bad_input, conflict
from shuffler.api.requests import Body, Whole64
from shuffler.lab.certifying import Request
from shuffler.lab.mechanisms import mechanism_of

MAX_DECKS = 20_000_000
RunPath = Annotated[str, InPath(max_length=16, description="A run, such as C1.")]


class NewCertification(Body):
    """What to certify: one of mechanism, profile and device."""

    mechanism: str | None = Field(None, max_length=200, description="NAME or NAME:KEY=VALUE,… (riffle:passes=7).")
    profile: str | None = Field(None, max_length=64, description="A profile by name: GET /api/v1/profiles.")
    device: str | None = Field(None, max_length=64, description="A device of the bench: its kernel, worn as it is.")
    plan: str = Field("quick", max_length=32, description=f"One of {', '.join(PLANS)}.")
    decks: int | None = Field(None, ge=1, le=MAX_DECKS, description="How many; without it as many as the plan says.")
    seed: Whole64 | None = Field(None, description="Repeatable; without one from the operating system.")


def certification_router(certifications: Certifications, devices: Devices) -> APIRouter:
    """Paths under /certifications."""
    router = APIRouter(prefix="/certifications", tags=["laboratory"], responses=RESPONSES)

    @router.get("", summary="All certification runs of this bench, oldest first")
    async def list_runs() -> list[dict[str, Any]]:
        return certifications.views()

    @router.post("", status_code=201, summary="Start a certification run, in a process of its own")
    async def start(new: NewCertification) -> dict[str, Any]:
        request = _request(new, devices)
        return certifications.start(request, device=new.device or "").view()

    @router.get("/{run}", summary="How far a run is, or its verdict")
    async def show(run: RunPath) -> dict[str, Any]:
        return certifications.get(run).view()

    @router.delete("/{run}", status_code=204, response_class=Response, summary="Stop a run and forget it")
    async def remove(run: RunPath) -> None:
        await certifications.remove(run)

    @router.get(
        "/{run}/report",
        summary="The report, as a page for people",
        response_class=FileResponse,
        responses={200: {"content": {"text/html": {}}, "description": "A page that needs nothing else."}},
    )
    async def report(run: RunPath) -> FileResponse:
        made = _reported(certifications.get(run))
        name = f"certificate-{made.id}.html"
        return FileResponse(Path(made.request.html_file), media_type="text/html", filename=name)

    @router.get(
        "/{run}/record",
        summary="The full record, as JSON; `shuffler certify verify` checks it",
        response_class=FileResponse,
        responses={200: {"content": {"application/json": {}}, "description": "The record, sealed."}},
    )
    async def record(run: RunPath) -> FileResponse:
        made = _reported(certifications.get(run))
        return FileResponse(Path(made.request.json_file), media_type="application/json")

    return router


def _request(new: NewCertification, devices: Devices) -> Request:
    """The request with its mechanism spelled out."""
    if sum(one is not None for one in (new.mechanism, new.profile, new.device)) != 1:
        raise bad_input("say what to certify: one of mechanism, profile, device")
    if new.plan not in PLANS:
        raise bad_input(f"no plan is called {new.plan!r}; there are {', '.join(PLANS)}")
    mechanism, profile = new.mechanism or "", new.profile or ""
    if new.profile is not None:
        if new.profile not in profiles.names():
            raise bad_input(f"no profile is called {new.profile!r}; there are {', '.join(profiles.names())}")
        mechanism = mechanism_of(profiles.load(new.profile))
    elif new.device is not None:
        served = devices.get(new.device).served
        worn = served.emulator.engine.defects
        mechanism = mechanism_of(served.place.build.profile, worn)
        profile = "" if worn else served.place.build.profile.name
    return Request(
        mechanism=mechanism, profile=profile, plan=new.plan, decks=new.decks, seed=new.seed, json_file="", html_file=""
    )


def _reported(made: Certification) -> Certification:
    if not made.has_report:
        raise conflict(f"{made.id} has no report: it is {made.state}" + (f" ({made.problem})" if made.problem else ""))
    return made
