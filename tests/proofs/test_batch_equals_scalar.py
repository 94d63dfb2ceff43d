"""The proof that a batch equals the scalar engine, small."""

from pathlib import Path

import numpy as np
import pytest

from proofs import batch_equals_scalar as proof
from round_engine.batch import Settlement, settle_rounds


@pytest.mark.slow
@pytest.mark.parametrize("name", proof.TABLES)
def test_a_batch_equals_the_scalar_engine(name: str) -> None:
    compared = proof.run(name, rounds=900, seed=3, part=300)
    assert compared.rounds == 900
    assert compared.spots_folded > 0
    assert (compared.rounds_with_tips > 0) is proof.table_rules(name).settings.tips


@pytest.mark.slow
def test_a_batch_that_is_a_cent_off_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def one_cent_off(*arguments: object, **more: object) -> Settlement:
        batch = settle_rounds(*arguments, **more)  # type: ignore[arg-type]
        batch.net[7, 3] += 1
        return batch

    monkeypatch.setattr(proof, "settle_rounds", one_cent_off)
    with pytest.raises(AssertionError, match="totals differ"):
        proof.run("ten-dollar-house", rounds=20, seed=3)


def test_runs_of_one_seed_are_different(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []

    def watch(rules: object, decks: np.ndarray, *arguments: object, **more: object) -> Settlement:
        seen.append(decks.copy())
        return settle_rounds(rules, decks, *arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(proof, "settle_rounds", watch)
    for number in (0, 1, 0):
        proof.run("ten-dollar-house", rounds=5, seed=3, number=number)
    assert np.array_equal(seen[0], seen[2])
    assert not np.array_equal(seen[0], seen[1])


def test_the_report_adds_up_runs() -> None:
    one = proof.Compared(rounds=1_000, spots_folded=2, rounds_with_tips=3, meter_wins=4, envy_bonuses=5)
    assert "| x | 2,000 | 4 | 6 | 8 | 10 |" in proof.report({"x": one + one})


def test_finished_runs_are_kept_for_the_same_code_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.jsonl"
    job, compared = proof.Job(name="x", rounds=5, seed=1, number=0), proof.Compared(rounds=5, meter_wins=1)
    proof.Kept(None).add(job, compared)
    proof.Kept(path).add(job, compared)
    assert proof.Kept(path).done == {job: compared}
    monkeypatch.setattr(proof, "fingerprint", lambda: "of other code")
    assert proof.Kept(path).done == {}
