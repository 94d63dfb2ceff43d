"""The re-test of a file: due only where a record asks for it, on fresh decks, on the doubtful tests alone, once."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from randomness.certification import (
    Recorded,
    RecordedSubject,
    RetestError,
    Run,
    certify,
    earlier_of,
    load_plan,
    local_engine,
    retest,
)

pytestmark = pytest.mark.slow
DECKS = 1_500
PLAN = replace(
    load_plan("quick"), name="eager", decks_per_shard=300, bit_sequences=0, controls=(), least_decks=1_000,
    retest_below=0.999999,
)  # fmt: skip


def decks(seed: int, many: int = DECKS) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def run_of(tmp_path: Path, name: str, rows: np.ndarray, many: int | None = None) -> Run:
    np.save(tmp_path / name, rows)
    return Run(plan=PLAN, subject=RecordedSubject(recorded=Recorded(str(tmp_path / name))), decks=many)


@pytest.fixture
def first(tmp_path: Path) -> dict[str, Any]:
    record = certify(run_of(tmp_path, "first.npy", decks(18)), local_engine(1))
    return json.loads(json.dumps(record)) | {"seal": {"sha256": "ab" * 32}}


def test_a_file_with_tests_in_doubt_is_open_until_it_is_tested_again(first: dict[str, Any]) -> None:
    verdict = first["verdict"]
    assert verdict["outcome"] == "inconclusive"
    assert verdict["doubtful"], "the seed gives no doubtful test: choose another"
    assert verdict["missing"] == [verdict["retest"]["why"]]


def test_the_doubtful_tests_alone_are_judged_on_the_second_file(first: dict[str, Any], tmp_path: Path) -> None:
    earlier, claimed = earlier_of(first), []
    run = run_of(tmp_path, "second.npy", decks(2, DECKS + 700), earlier.decks)
    record = retest(earlier, run, local_engine(1), claim=claimed.append)
    assert record["verdict"]["outcome"] == "passed"
    assert {row["label"] for row in record["results"]} == {*earlier.doubtful, "recorded: deck-integrity"}
    assert record["sample"]["decks"] == DECKS  # as many as the first, not more
    assert record["retest_of"]["record_sha256"] == "ab" * 32
    assert record["retest_of"]["file_sha256"] == first["subject"]["sha256"]
    assert record["subject"]["sha256"] == claimed[0] != first["subject"]["sha256"]
    first_rows, rows = ({(r["clause"], r["asks"]): r["verdict"] for r in one["clauses"]} for one in (first, record))
    assert set(first_rows) == set(rows)
    assert {first_rows[key] for key in rows if rows[key] == "met"} == {"inconclusive"}
    assert rows["3.4.2", "mechanical shufflers: at least 10,000 game outcomes"] == "inconclusive"
    with pytest.raises(RetestError, match="a re-test itself"):
        earlier_of(record | {"seal": {"sha256": "cd" * 32}})


def test_a_second_file_that_rejects_a_doubtful_test_fails(first: dict[str, Any], tmp_path: Path) -> None:
    bad = decks(3)
    for deck in bad[::2]:
        at = int(np.flatnonzero(deck == 36)[0])
        deck[[at, 6]] = deck[[6, at]]
    record = retest(earlier_of(first), run_of(tmp_path, "b.npy", bad, DECKS), local_engine(1), claim=lambda _: None)
    assert record["verdict"]["outcome"] == "failed"
    verdicts = {(row["clause"], row["asks"]): row["verdict"] for row in record["clauses"]}
    assert verdicts["48:02:08:02", "each card position, chi-square"] == "not met"
    assert verdicts["48:02:08:02", "runs"] == "met"


@pytest.mark.parametrize(("rows", "why"), [
    (decks(18), "holds the decks of the first"),
    (decks(18)[::-1], "holds the decks of the first"),  # the same decks in another file
    (decks(2, DECKS - 1), "has 1,499 decks: the plan asks for as many as the first, 1,500"),
])  # fmt: skip
def test_what_is_no_second_file_is_refused_before_it_counts_as_the_one(
    rows: np.ndarray, why: str, first: dict[str, Any], tmp_path: Path
) -> None:
    claimed: list[str] = []
    with pytest.raises(RetestError, match=why):
        retest(earlier_of(first), run_of(tmp_path, "x.npy", rows, DECKS), local_engine(1), claim=claimed.append)
    assert claimed == []


def test_a_record_that_asks_for_no_re_test_gets_none(first: dict[str, Any]) -> None:
    verdict = first["verdict"]
    for change, why in (
        ({"verdict": verdict | {"outcome": "failed"}}, "this record failed"),
        ({"verdict": verdict | {"doubtful": []}}, "no test in doubt"),
        ({"verdict": verdict | {"missing": ["too few", *verdict["missing"]]}}, "inconclusive whatever a re-test says"),
        ({"subject": {"kind": "kernel"}}, "of a mechanism"),
        ({"plan": first["plan"] | {"level": 0.5}}, "not one of this version"),
        ({"verdict": {}}, "no record that a re-test can answer"),
    ):
        with pytest.raises(RetestError, match=why):
            earlier_of(first | change)
