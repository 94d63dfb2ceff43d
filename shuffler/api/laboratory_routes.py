"""The laboratory over HTTP: randomness live."""

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from shuffler.api.laboratory import Laboratory
from shuffler.api.problems import RESPONSES
from shuffler.api.requests import Body


class LabBody(Body):
    """What the laboratory does; what is left out stays as it is."""

    subject: str | None = Field(None, max_length=32, description="What shuffles; another one starts from no deck.")
    running: bool | None = Field(None, description="false stands still.")


def laboratory_router(laboratory: Laboratory) -> APIRouter:
    """Paths under /laboratory."""
    router = APIRouter(tags=["laboratory"], responses=RESPONSES)

    @router.get("/laboratory", summary="Card × position counts, categories, p-values as they stand")
    async def show() -> dict[str, Any]:
        return laboratory.view()

    @router.put("/laboratory", summary="Choose what shuffles, start and stop")
    async def change(wanted: LabBody) -> dict[str, Any]:
        if wanted.subject is not None:
            laboratory.choose(wanted.subject)
        if wanted.running is not None:
            laboratory.run(wanted.running)
        return laboratory.view()

    return router
