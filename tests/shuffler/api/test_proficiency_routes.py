"""The proficiency kit over HTTP: a score, and what is refused."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from api_support import running_bench

from randomness.proficiency import commitment, compose, key_to_json

KEY = compose(6, 4_000, 4, fair=0.5)
SALT = bytes(32)
PATH = "/proficiency/score"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running, running.client() as client:
        yield client


def body(**more: Any) -> dict[str, Any]:
    answers = [{"set": one.name, "verdict": "defective"} for one in KEY.sets]
    return {
        "commitment": commitment(KEY, SALT), "salt": SALT.hex(), "key": key_to_json(KEY), "answers": answers, **more,
    }  # fmt: skip


def test_answers_are_scored(api: httpx.Client) -> None:
    found = api.post(PATH, json=body()).json()
    planted = sum(bool(one.plant) for one in KEY.sets)
    assert found["found"]["hits"] == found["found"]["of"] == planted
    assert found["false_alarms"]["hits"] == 6 - planted


@pytest.mark.parametrize(
    "more",
    [
        {"commitment": "0" * 64},
        {"key": {}},
        {"key": {**key_to_json(KEY), "sets": [{"name": 1}]}},
        {"key": {**key_to_json(KEY), "sets": [{**key_to_json(KEY)["sets"][0], "power": "many"}]}},
        {"answers": [{"set": "set-9", "verdict": "fair"}]},
        {"answers": [{"set": "set-1", "verdict": "good"}]},
        {"salt": "xyz"},
    ],
)
def test_what_does_not_fit_is_refused(api: httpx.Client, more: dict[str, Any]) -> None:
    answer = api.post(PATH, json=body(**more))
    assert answer.status_code == 422
    assert answer.json()["detail"]
