"""The application: paths under /api/v1 for testers, the page under /, one guard before both."""

from collections.abc import Iterable
from http import HTTPStatus
from importlib import resources
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Header, Query, Response
from fastapi.responses import PlainTextResponse, StreamingResponse
from starlette.staticfiles import StaticFiles

from shuffler.api import problems
from shuffler.api.access import App, Guard, Limits, Message, Receive, Scope, Send
from shuffler.api.bench import Bench
from shuffler.api.certification_routes import certification_router
from shuffler.api.device_routes import device_router, reference_router
from shuffler.api.laboratory_routes import laboratory_router
from shuffler.api.metrics import metrics
from shuffler.api.problems import RESPONSES, ApiError
from shuffler.api.proficiency_routes import proficiency_router
from shuffler.api.streaming import KINDS, BenchStream
from shuffler.api.table_routes import table_router
from shuffler.monitoring.metrics import metric_lines

PREFIX = "/api/v1"
ABOUT = """
The control plane of the shuffler bench: all that a tester can do to emulated devices and to their world.

* **Token.** Every request under `/api` carries `Authorization: Bearer TOKEN`. The token is made when the bench starts;
  it is printed with the address and lies in a file that its owner alone may read.
* **Errors** are problem documents (RFC 9457) with a `detail` that says what to do.
* **What happens** comes as server-sent events from `/api/v1/events`, each numbered; `Last-Event-ID` resumes.
* **Nothing here exists on the device plane.** A table controller speaks to the device's port (`urls` of a device);
  whatever this API does to the order of cards is marked as rigged on the wire.
"""
TAGS = [
    {"name": "bench", "description": "The bench as a whole: events, metrics, audit."},
    {"name": "devices", "description": "Emulated devices: power, cable, hands, faults, rigged decks, clock."},
    {"name": "tables", "description": "Tables on these devices: seats, wagers, decisions, keypads, journal."},
    {"name": "laboratory", "description": "Randomness live, and certification runs."},
    {"name": "reference", "description": "What there is to choose from."},
]


def create_app(
    bench: Bench,
    *,
    token: str,
    hosts: Iterable[str],
    limits: Limits | None = None,
    routers: Iterable[APIRouter] = (),
) -> App:
    """The application with its guard; `hosts` as the Host header names them, `routers` for more than devices."""
    limits = limits if limits is not None else Limits()
    app = FastAPI(
        title="Shuffler bench", summary="Control API of emulated card shufflers.", description=ABOUT,
        version=_version(), openapi_tags=TAGS, docs_url=None, redoc_url=None, openapi_url=f"{PREFIX}/openapi.json",
        separate_input_output_schemas=False,
    )  # fmt: skip
    problems.install(app)
    own = (
        _bench_router(bench, limits),
        device_router(bench.devices, bench.host),
        table_router(bench.tables, bench.devices, bench.monitors),
        laboratory_router(bench.laboratory),
        certification_router(bench.certifications, bench.devices),
        proficiency_router(),
        reference_router(),
    )
    for router in (*own, *routers):
        app.include_router(router, prefix=PREFIX)
    _describe_token(app)
    page = resources.files("shuffler.page") / "static"
    app.mount("/", StaticFiles(directory=str(page), html=True), name="page")
    return Guard(_Audited(app, bench), token=token, hosts=hosts, limits=limits)


def _bench_router(bench: Bench, limits: Limits) -> APIRouter:
    router = APIRouter(tags=["bench"], responses=RESPONSES)

    @router.get("", summary="What this bench is")
    async def about() -> dict[str, Any]:
        serials, last = bench.devices.serials, bench.hub.last
        return {"name": "shuffler bench", "version": _version(), "devices": serials, "event": last}

    @router.get(
        "/events",
        summary="Everything as it is, then what happens (server-sent events)",
        response_class=StreamingResponse,
        responses={200: {"content": {"text/event-stream": {}}, "description": "A stream that does not end."}},
    )
    async def events(
        last_event_id: Annotated[str | None, Header(description="Resume after this number.", max_length=20)] = None,
        after: Annotated[int | None, Query(ge=0, le=2**63 - 1, description="The same, as a parameter.")] = None,
        kinds: Annotated[
            str | None, Query(max_length=200, description=f"Only these, by commas: {', '.join(KINDS)}.")
        ] = None,
    ) -> StreamingResponse:
        if bench.streams >= limits.streams:
            raise ApiError(HTTPStatus.TOO_MANY_REQUESTS, f"{limits.streams} streams are open: close one first")
        number = after if last_event_id is None else _number(last_event_id)
        return BenchStream(bench, number, _kinds(kinds))

    @router.get("/events/page", summary="The same as a page: events after a number, oldest first")
    async def events_page(
        after: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0,
        limit: Annotated[int, Query(ge=1, le=1000)] = 200,
        kinds: Annotated[str | None, Query(max_length=200)] = None,
    ) -> dict[str, Any]:
        for device in bench.devices:
            bench.devices.refresh(device)
        found = bench.hub.after(after, kinds=_kinds(kinds), limit=limit)
        return {
            "first": bench.hub.first, "last": bench.hub.last, "complete": bench.hub.has_all_after(after),
            "events": [event.to_json() for event in found],
        }  # fmt: skip

    @router.post("/reset", status_code=204, response_class=Response, summary="Put everything back as at the start")
    async def reset() -> None:
        if bench.reset is None:
            raise problems.conflict("this bench was not started by `shuffler live`: it knows no start to go back to")
        await bench.reset()
        bench.hub.publish("notice", "reset", {"text": "the bench was put back as it was at the start"})

    @router.get("/metrics", summary="The bench in numbers (Prometheus)", response_class=PlainTextResponse)
    async def show_metrics() -> Response:
        watched = await bench.monitors.watched()
        text = metrics(bench) + "\n".join(metric_lines(watched)) + "\n"
        return PlainTextResponse(text, media_type="text/plain; version=0.0.4")

    @router.get("/audit", summary="Every change that came through this API, oldest first")
    async def audit(
        after: Annotated[int, Query(ge=0, le=2**63 - 1)] = 0, limit: Annotated[int, Query(ge=1, le=2000)] = 500
    ) -> list[dict[str, Any]]:
        return bench.audit.after(after, limit)

    return router


def _kinds(text: str | None) -> frozenset[str] | None:
    if text is None:
        return None
    chosen = frozenset(text.split(","))
    if unknown := chosen - set(KINDS):
        raise problems.bad_input(f"{min(unknown)!r} is no kind of event; there are {', '.join(KINDS)}")
    return chosen


def _number(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise problems.bad_input(f"Last-Event-ID is a number, not {text!r}")
    return int(text)


def _describe_token(app: FastAPI) -> None:
    """The token in the OpenAPI description."""
    plain = app.openapi

    def described() -> dict[str, Any]:
        schema = plain()
        schema.setdefault("components", {})["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        schema["security"] = [{"token": []}]
        for path in schema["paths"].values():
            for operation in path.values():
                for status, found in operation["responses"].items():
                    if int(status) >= 400:  # said by FastAPI as JSON, sent by us as a problem document
                        problem = {"schema": {"$ref": "#/components/schemas/Problem"}}
                        found["content"] = {problems.MEDIA_TYPE: problem}
        return schema

    app.openapi = described  # type: ignore[method-assign]


class _Audited:
    """Notes every request that may change something, with the start of its body and its status."""

    def __init__(self, app: App, bench: Bench) -> None:
        self._app = app
        self._bench = bench

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        self._bench.requests += 1
        if scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        body, status = bytearray(), 500

        async def heard() -> Message:
            message = await receive()
            if len(body) < 4096:
                body.extend(message.get("body", b""))
            return message

        async def said(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, heard, said)
        finally:
            line = self._bench.audit.note(scope["method"], scope["path"], bytes(body), status)
            self._bench.hub.publish("audit", "", line)


def _version() -> str:
    try:
        return version("shuffler-bench")
    except PackageNotFoundError:
        return "unknown"
