"""Runs: the same record however it was counted, and files that pass or fail for the right reason."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randomness.certification import (
    CertificationError,
    CheckpointError,
    KernelSubject,
    Recorded,
    RecordedSubject,
    Run,
    RunInterrupted,
    RunRecord,
    UnreadableError,
    certify,
    load_plan,
    local_engine,
)
from randomness.certification.model import RowNote, canonical
from randomness.certification.recorded import Block, Piece
from randomness.certification.shards import (
    DRAWS_EVERY,
    Counter,
    RecordedShard,
    ShardPlan,
    kernel_shards,
    shard_size,
    started,
)
from randomness.decks import IN_FULL, SEGMENT

pytestmark = pytest.mark.slow

QUICK = replace(load_plan("quick"), name="small", bit_sequences=0, controls=(), least_decks=1)
SMALL = replace(QUICK, decks=3_600, decks_per_shard=400)
IDEAL = Run(plan=SMALL, subject=KernelSubject(mechanism="ideal", seed=11))
DECKS = 5_000
HERE = local_engine(1)


@pytest.fixture(scope="module")
def clean() -> np.ndarray:
    rng = np.random.default_rng(2024)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (DECKS, 1)), axis=1)


def save(tmp_path: Path, decks: np.ndarray) -> Run:
    np.savetxt(tmp_path / "decks.csv", decks, fmt="%d", delimiter=",")
    return Run(
        plan=replace(QUICK, decks_per_shard=500),
        subject=RecordedSubject(recorded=Recorded(str(tmp_path / "decks.csv"))),
    )


def text(record: RunRecord) -> bytes:
    return canonical(record)


@pytest.fixture(scope="module")
def ideal() -> bytes:
    return text(certify(IDEAL, local_engine(1)))


# ----- the same result ------------------------------------------------------------------------------------------------


def test_two_workers_give_the_same_record_as_one(ideal: bytes) -> None:
    assert text(certify(IDEAL, local_engine(2))) == ideal


@pytest.mark.parametrize("after", [1, 5])
def test_interrupted_and_resumed_gives_the_same_record(after: int, ideal: bytes, tmp_path: Path) -> None:
    kept = tmp_path / "run.checkpoint"

    def asks() -> Iterator[bool]:
        yield from [False] * (after - 1)
        while True:
            yield True

    asked = asks()
    with pytest.raises(RunInterrupted) as broken:
        certify(IDEAL, local_engine(1), keep=kept, stop=lambda: next(asked))
    assert broken.value.decks == 400 * after
    seen: list[int] = []
    assert text(certify(IDEAL, local_engine(1), keep=kept, resume=True, progress=seen.append)) == ideal
    assert seen[0] == 400 * after
    assert not kept.exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "run.checkpoint"
    with pytest.raises(RunInterrupted):
        certify(IDEAL, local_engine(1), keep=kept, stop=lambda: True)
    other = replace(IDEAL, subject=KernelSubject(mechanism="ideal", seed=12))
    with pytest.raises(CheckpointError, match="another run"):
        certify(other, local_engine(1), keep=kept, resume=True)
    kept.write_bytes(kept.read_bytes()[:5000])
    with pytest.raises(CheckpointError, match="damaged"):
        certify(IDEAL, local_engine(1), keep=kept, resume=True)
    with pytest.raises(CheckpointError, match="no checkpoint"):
        certify(IDEAL, local_engine(1), keep=tmp_path / "none", resume=True)


def test_a_file_resumes_to_the_same_record(clean: np.ndarray, tmp_path: Path) -> None:
    run, kept = save(tmp_path, clean), tmp_path / "c"
    whole = text(certify(run, local_engine(1)))
    with pytest.raises(RunInterrupted):
        certify(save(tmp_path, clean), local_engine(1), keep=kept, stop=lambda: True)
    assert text(certify(save(tmp_path, clean), local_engine(1), keep=kept, resume=True)) == whole


# ----- kernels --------------------------------------------------------------------------------------------------------


def test_decks_are_divided_among_the_start_orders_and_each_shard_has_a_stream_of_its_own() -> None:
    shards = list(kernel_shards(replace(SMALL, decks_per_shard=500), 3_601, "ideal", 1))
    assert {start: sum(one.decks for one in shards if one.start == start) for start in SMALL.starts} == {
        "factory": 1201, "reversed": 1200, "previous": 1200,
    }  # fmt: skip
    again = list(kernel_shards(SMALL, 3_601, "ideal", 1, stage=1))
    assert len({one.stream for one in (*shards, *again)}) == len(shards) + len(again)
    assert [one.first_row for one in shards[:3]] == [1, 501, 1001]


def test_shards_of_a_long_run_are_larger_and_know_their_first_segment() -> None:
    plan = replace(QUICK, decks_per_shard=40_960, starts=("factory", "previous"))
    sizes = {decks: shard_size(plan, decks) for decks in (40_960 * 47, 40_960 * 48, 10**9)}
    assert list(sizes.values()) == [40_960, 2 * 40_960, 16 * 40_960]
    shards = [one for one in kernel_shards(plan, 2 * 40_960 * 48, "ideal", 1) if one.start == "previous"]
    assert [one.first_segment for one in shards[:3]] == [0, 20, 40]


def test_a_long_run_tests_the_first_cards_of_a_stated_part_of_its_decks() -> None:
    wanted = ShardPlan(deck_tests=("hands-by-seat",), draw_tests=("frequency",), planned=800_000)
    rng = np.random.default_rng(3)
    decks = rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (3 * SEGMENT, 1)), axis=1)
    thinned = Counter(wanted, first_segment=IN_FULL // SEGMENT + DRAWS_EVERY - 1)
    whole = Counter(wanted, first_segment=199)
    for part in np.array_split(decks, 5):
        thinned.count(part, None)
        whole.count(part, None)
    frequency = thinned.draws.tests["frequency"]
    assert frequency.draws == SEGMENT
    assert frequency.cells.tolist() == np.bincount(decks[SEGMENT : 2 * SEGMENT, 0], minlength=52).tolist()
    assert whole.draws.tests["frequency"].draws == 3 * SEGMENT


def test_shards_of_a_record_thin_out_over_the_whole_record(clean: np.ndarray) -> None:
    wanted = ShardPlan(deck_tests=("card-distances",), draw_tests=(), planned=10**9)
    counted = [
        RecordedShard(
            number=number,
            block=Block(first_row=first, rows=100, pieces=[Piece(first_row=first, decks=clean[:100])]),
            wanted=wanted,
        ).count()
        for number, first in enumerate((1, 1 + SEGMENT, 1 + IN_FULL + SEGMENT, 1 + IN_FULL + 64 * SEGMENT))
    ]
    assert [one.battery["tallies"]["decks"]["card_distances"] for one in counted] == [100, 100, 0, 100]


def test_start_orders() -> None:
    moves = np.array([np.roll(np.arange(52), -1), np.arange(52)[::-1]], np.uint8)
    factory = np.arange(52, dtype=np.uint8)
    decks, inputs = started("reversed", moves, factory)
    assert decks[0, :2].tolist() == [50, 49]
    assert inputs[0] == 51
    decks, inputs = started("previous", moves, factory)
    assert decks[0, :2].tolist() == [1, 2]
    assert decks[1].tolist() == decks[0][::-1].tolist()
    assert np.array_equal(inputs, [factory, decks[0]])


@pytest.mark.parametrize("mechanism", ["riffle:passes=7", "shelf:shelves=10", "defect:sattolo", "defect:top-card-kept"])
def test_a_bad_mechanism_fails(mechanism: str) -> None:
    record = certify(replace(IDEAL, subject=KernelSubject(mechanism=mechanism, seed=3)), local_engine(1))
    assert not record.verdict.passed
    assert record.where_to_look
    assert record.subject.planted_defect == mechanism.startswith("defect:")


def test_wrong_cards_fail_the_run_and_are_named() -> None:
    record = certify(replace(IDEAL, subject=KernelSubject(mechanism="defect:wrong-card", seed=3)), local_engine(1))
    assert not record.verdict.passed
    assert any("not whole" in failure for failure in record.verdict.failures)
    assert any("row " in finding.place for finding in record.where_to_look[0].findings)


def test_what_the_device_does_not_promise_is_listed_and_never_passed() -> None:
    subject = KernelSubject(mechanism="ideal", seed=3, not_promised=("group-order",))
    record = certify(replace(IDEAL, subject=subject), local_engine(1))
    rows = [row for row in record.results if row.test == "group-order"]
    assert {row.outcome for row in rows} == {"not applicable"}
    assert {row.p for row in rows} == {None}
    assert record.plan_sha256 == SMALL.digest()


def test_a_doubtful_test_is_tested_again_on_fresh_decks_and_no_other() -> None:
    eager = replace(SMALL, retest_below=0.999999)
    told: list[str] = []
    record = certify(replace(IDEAL, plan=eager), local_engine(1), turn=lambda what, _total: told.append(what))
    assert record.verdict.doubtful, "the seed gives no doubtful test: choose another"
    retest = record.verdict.retest
    assert told[-1] == "re-test"
    assert {row.label for row in retest.tests} == set(record.verdict.doubtful)
    first = {row.label: row.p for row in record.results}
    assert all(row.p != first[row.label] for row in retest.tests)


# ----- files ----------------------------------------------------------------------------------------------------------


def test_a_clean_file_passes_and_lists_what_it_could_not_test(clean: np.ndarray, tmp_path: Path) -> None:
    record = certify(save(tmp_path, clean), local_engine(1))
    assert record.verdict.passed
    assert record.sample.decks == DECKS
    assert any("input-successions" in line and "not applicable" in line for line in record.verdict.untested)
    assert all(row.adjusted_p is None for row in record.results if row.outcome != "tested")


def test_a_planted_defect_of_no_list_fails_and_the_place_is_named(clean: np.ndarray, tmp_path: Path) -> None:
    """The queen of hearts (36), when dealt to player 3, goes to the dealer instead in every other deck."""
    decks = clean.copy()
    for deck in decks[::2]:
        at = int(np.flatnonzero(deck == 36)[0])
        if 6 <= at < 9:
            deck[[at, at + 15]] = deck[[at + 15, at]]
    record = certify(save(tmp_path, decks), local_engine(1))
    assert not record.verdict.passed
    places = [finding.place for place in record.where_to_look for finding in place.findings]
    assert any(place.startswith("Q♥ at position 2") for place in places), "the dealer's cards are 22 to 24"
    assert any(place in [f"Q♥ at position {n}" for n in (7, 8, 9)] for place in places)


def test_groups_that_come_sorted_are_named(clean: np.ndarray, tmp_path: Path) -> None:
    decks = clean.copy()
    decks[::5, 3:6] = np.sort(decks[::5, 3:6], axis=1)
    record = certify(save(tmp_path, decks), local_engine(1))
    assert not record.verdict.passed
    assert any(
        "group-order" in place.test and "player 2" in place.findings[0].place
        for place in record.where_to_look
    )


def test_a_deck_with_a_card_twice_fails_the_run_and_its_row_is_named(clean: np.ndarray, tmp_path: Path) -> None:
    decks = clean.copy()
    decks[1233, 7] = decks[1233, 8]
    record = certify(save(tmp_path, decks), local_engine(1))
    assert not record.verdict.passed
    assert any("row 1234:" in finding.place for finding in record.where_to_look[0].findings)


def test_decks_with_a_wrong_number_of_cards_fail_the_run_and_are_named(clean: np.ndarray, tmp_path: Path) -> None:
    rows = clean[:900].tolist()
    rows[776] = rows[776][1:]
    (tmp_path / "decks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    record = certify(Run(plan=QUICK, subject=RecordedSubject(recorded=Recorded(str(tmp_path / "decks.jsonl")))), HERE)
    assert record.verdict.outcome == "failed"
    assert record.verdict.failures == ("1 decks have a wrong number of cards",)
    assert record.sample.malformed == (RowNote(row=777, reason="a deck of 51 cards, not 52"),)
    assert record.sample.decks == 899


def test_a_row_that_can_not_be_read_is_no_verdict(clean: np.ndarray, tmp_path: Path) -> None:
    run = save(tmp_path, clean)
    lines = (tmp_path / "decks.csv").read_text().splitlines()
    lines[776] = "oops"
    (tmp_path / "decks.csv").write_text("\n".join(lines))
    again = replace(run, subject=RecordedSubject(recorded=Recorded(str(tmp_path / "decks.csv"))))
    with pytest.raises(UnreadableError, match="line 777: a deck is 52 columns, not 1 column\n  line 777: oops"):
        certify(again, HERE)


def test_a_file_with_nothing_to_test_could_not_run(tmp_path: Path) -> None:
    (tmp_path / "decks.csv").write_text("card,position\n")
    run = Run(plan=QUICK, subject=RecordedSubject(recorded=Recorded(str(tmp_path / "decks.csv"))))
    with pytest.raises(CertificationError, match="line 1: a deck is 52 columns, not 2 columns"):
        certify(run, HERE)


@pytest.mark.parametrize("name", ["quick", "gli-style", "standard"])
def test_one_deck_is_inconclusive_under_every_plan(name: str, clean: np.ndarray, tmp_path: Path) -> None:
    plan = replace(load_plan(name), controls=())
    record = certify(replace(save(tmp_path, clean[:1]), plan=plan), HERE)
    assert (record.verdict.outcome, record.verdict.passed) == ("inconclusive", False)
    assert "1 deck is fewer than the plan's least sample of 10,000" in record.verdict.missing
    allowed = {"inconclusive", "not tested", "not in this report", "not evaluated"}
    assert {row.verdict for row in record.clauses} <= allowed


def test_the_least_sample_passes_and_lists_what_needs_more(tmp_path: Path) -> None:
    decks = np.random.default_rng(5).permuted(np.tile(np.arange(52, dtype=np.uint8), (10_000, 1)), axis=1)
    np.save(tmp_path / "d.npy", decks)
    subject = RecordedSubject(recorded=Recorded(str(tmp_path / "d.npy")))
    record = certify(Run(plan=replace(load_plan("standard"), controls=()), subject=subject), HERE)
    assert record.verdict.outcome == "passed"
    few = {row.test for row in record.results if row.outcome == "too few"}
    assert few == {"serial", "sub-sequences", "coupon-collector", "poisson", "spectral"}  # each needs more than 10,000
    assert len(record.verdict.untested) >= len(few)
