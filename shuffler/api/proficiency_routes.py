"""The proficiency kit over HTTP: answers scored against a key that was committed to."""

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from randomness.proficiency import LabVerdict, SetAnswer, commitment, key_from_json, score
from shuffler.api.problems import RESPONSES, bad_input
from shuffler.api.requests import Body

MOST_SETS = 2_000
Name = Annotated[str, Field(min_length=1, max_length=64)]


class AnswerBody(Body):
    """One laboratory's answer to one set."""

    set: Name
    verdict: LabVerdict
    because: str = Field("", max_length=200)


class ScoreBody(Body):
    """What `shuffler proficiency make` wrote, and what a laboratory answered."""

    commitment: str = Field(pattern="^[0-9a-f]{64}$", description="key_commitment of the kit's manifest.")
    salt: str = Field(pattern="^([0-9a-f]{2}){1,64}$", description="salt of the key's file.")
    key: dict[str, Any] = Field(description="key of the key's file.")
    answers: list[AnswerBody] = Field(max_length=MOST_SETS)


def proficiency_router() -> APIRouter:
    """Paths under /proficiency."""
    router = APIRouter(tags=["laboratory"], responses=RESPONSES)

    @router.post("/proficiency/score", summary="Check a kit's key against its commitment, then score answers")
    async def scored(wanted: ScoreBody) -> dict[str, Any]:
        key = key_from_json(wanted.key)
        if len(key.sets) > MOST_SETS:
            raise bad_input(f"at most {MOST_SETS:,} sets are scored here: use `shuffler proficiency score`")
        if commitment(key, bytes.fromhex(wanted.salt)) != wanted.commitment:
            raise bad_input("this key is not the one that was committed to")
        answers = [SetAnswer(name=one.set, said=one.verdict, because=one.because) for one in wanted.answers]
        return (await run_in_threadpool(score, key, answers)).to_json()

    return router
