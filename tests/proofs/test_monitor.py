"""The monitor's proof, small: fair streams stay quiet, a defect is found later than by the test that knows it."""

import pytest

from proofs import monitor
from proofs.monitor import DEFECTS, SMALL, Keep, delay, fair_share, fair_streams, fixed_sample, report

pytestmark = pytest.mark.slow


def test_fair_streams_stay_within_their_levels() -> None:
    share = fair_share(SMALL[0], fair_streams(SMALL[0], Keep(None), lambda _: None))
    assert share.held
    assert share.largest < 1_000


def test_a_defect_is_found_and_named_and_the_record_says_so() -> None:
    defect = DEFECTS[0]
    found = [delay(defect, seed) for seed in range(3)]
    assert all(one.rounds is not None and not one.early for one in found)
    assert {one.named for one in found} == {"follower-2"}
    fixed = fixed_sample(defect, 1, rounds=2_000)
    assert 30 < fixed < 200
    assert defect.what in report([], {defect.what: found}, {defect.what: fixed})


def test_kept_streams_are_not_made_again(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "keep"
    first = fair_streams(SMALL[0], Keep(path), lambda _: None)
    monkeypatch.setattr(monitor, "largest_evidence", lambda *_: pytest.fail("made again"))
    assert fair_streams(SMALL[0], Keep(path), lambda _: None) == first
