"""Errors as problem documents (RFC 9457): every answer that is no success says what is wrong and what would do."""

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from firmware_sim.errors import BadCall, BadProfile, BadSetup, DeviceError
from randomness import RandomnessError
from round_engine.errors import RoundEngineError
from shuffler.errors import ShufflerError
from shuffler.journal import JournalError

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 20


class Problem(BaseModel):
    """A problem document (RFC 9457)."""

    type: str = Field(default="about:blank", description="What kind of problem; about:blank: as the status says.")
    title: str = Field(description="The status in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What is wrong, and what to do.")
    instance: str = Field(default="", description="The path that was asked for.")
    errors: list[dict[str, str]] = Field(default_factory=list, description="For bad input: each place and its fault.")


class ApiError(Exception):
    """A refusal of this room's own."""

    def __init__(self, status: HTTPStatus, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def not_found(what: str) -> ApiError:
    """There is no such thing here."""
    return ApiError(HTTPStatus.NOT_FOUND, what)


def conflict(what: str) -> ApiError:
    """It can't be done now."""
    return ApiError(HTTPStatus.CONFLICT, what)


def bad_input(what: str) -> ApiError:
    """It can never be done like this."""
    return ApiError(HTTPStatus.UNPROCESSABLE_ENTITY, what)


def problem(status: int, detail: str, path: str = "", errors: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """The document as plain data."""
    title = HTTPStatus(status).phrase
    return Problem(title=title, status=status, detail=detail, instance=path, errors=errors or []).model_dump()


def response(status: int, detail: str, path: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """The document as an answer."""
    return JSONResponse(problem(status, detail, path, **more), status, headers, media_type=MEDIA_TYPE)


# What other rooms raise, and the status that fits; the first that matches.
STATUS_OF: tuple[tuple[type[Exception], HTTPStatus], ...] = (
    (BadProfile, HTTPStatus.UNPROCESSABLE_ENTITY),
    (BadSetup, HTTPStatus.UNPROCESSABLE_ENTITY),
    (BadCall, HTTPStatus.UNPROCESSABLE_ENTITY),
    (DeviceError, HTTPStatus.CONFLICT),
    (RoundEngineError, HTTPStatus.CONFLICT),
    (RandomnessError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (JournalError, HTTPStatus.CONFLICT),
    (ShufflerError, HTTPStatus.CONFLICT),
)


def install(app: FastAPI) -> None:
    """Every error that leaves this application is a problem document."""

    async def own(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, ApiError)
        return response(error.status, error.detail, request.url.path, error.headers)

    async def http(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        return response(error.status_code, str(error.detail), request.url.path, dict(error.headers or {}))

    async def invalid(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        errors = [
            {"at": "/".join(str(part) for part in one["loc"]), "fault": str(one["msg"])}
            for one in error.errors()[:MAX_ERRORS]
        ]
        first = errors[0] if errors else {"at": "", "fault": "not valid"}
        detail = f"{first['at']}: {first['fault']}"
        return response(HTTPStatus.UNPROCESSABLE_ENTITY, detail, request.url.path, errors=errors)

    async def from_a_room(request: Request, error: Exception) -> JSONResponse:
        status = next(status for kind, status in STATUS_OF if isinstance(error, kind))
        return response(status, str(error), request.url.path)

    async def unforeseen(request: Request, error: Exception) -> JSONResponse:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        detail = f"a defect of the bench ({type(error).__name__}): its log has the details"
        return response(HTTPStatus.INTERNAL_SERVER_ERROR, detail, request.url.path)

    app.add_exception_handler(ApiError, own)
    app.add_exception_handler(HTTPException, http)
    app.add_exception_handler(RequestValidationError, invalid)
    for kind, _ in STATUS_OF:
        app.add_exception_handler(kind, from_a_room)
    app.add_exception_handler(Exception, unforeseen)


RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"model": Problem, "description": text, "content": {MEDIA_TYPE: {}}}
    for status, text in {
        400: "The request can't be read.",
        401: "No token, or a wrong one.",
        403: "The request comes from another web page, or for another host name.",
        404: "There is no such thing on this bench.",
        405: "The method does not fit the path.",
        409: "It can't be done now; the detail says why.",
        413: "The body is too large.",
        422: "The input is not valid; the detail says where.",
        429: "Too many requests, or too many streams.",
    }.items()
}
