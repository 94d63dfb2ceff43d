"""A sample of `make proof-disk-full`."""

import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from firmware_sim.unit.device import Device
from proofs import disk_full
from proofs.disk_full import DEVICE_TRIES, device_life


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_full_disk_leaves_nothing_doubled_and_nothing_shown_that_is_not_booked(tmp_path: Path) -> None:
    outcomes, wrong = disk_full.run(29, tmp_path)
    assert wrong == []
    assert outcomes.total() >= 6
    assert sum(count for name, count in outcomes.items() if name.endswith("stopped with a sentence")) >= 3


@pytest.mark.parametrize("profile", ["i-deal-style", "dealing-shoe"])
def test_a_device_whose_memory_fails_says_so_and_goes_on(profile: str) -> None:
    writes, wrong = device_life(profile, None, 0)
    assert wrong == []
    for at in range(1, writes, writes // 6):
        for tries in DEVICE_TRIES:
            assert device_life(profile, at, tries)[1] == []


def test_a_device_that_sends_what_has_not_lasted_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(self: Device, now: int) -> None:
        with suppress(OSError):
            self.store.commit()

    monkeypatch.setattr(Device, "_commit", careless)
    assert device_life("i-deal-style", 40, 10)[1]
