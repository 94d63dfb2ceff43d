"""What the device's benchmark measures is what it says: whole rounds, in order of time, on every profile."""

import pytest

from benchmarks.bench_device import Table, _play_together
from firmware_sim.machine import profile as profiles
from protocol import messages as m


@pytest.mark.parametrize("profile", profiles.names())
def test_a_round_is_a_whole_round(profile: str) -> None:
    table = Table(profile, seed=3)
    assert table.play(4) == 4
    while not table.host.is_up or table.host.open_commands:
        table.step()
    assert table.events is not None
    groups = [event for event in table.events if isinstance(event, m.GroupRemoved)]
    assert sum(event.count for event in groups) == 4 * 24
    assert not [event for event in table.events if isinstance(event, m.FaultRaised | m.Misdealt)]
    stubs = [event.count for event in table.events if isinstance(event, m.StubRemoved)]
    assert set(stubs) == ({4} if profiles.load(profile).is_shoe else {28})


def test_devices_that_play_together_play_alike_and_in_the_order_of_time() -> None:
    fleet = [Table("i-deal-style", seed) for seed in range(1, 6)]
    _play_together(fleet, 10)
    assert sum(table.closed for table in fleet) == 10
    assert [table.closed for table in fleet] == [2] * 5
    times = [table.bench.now for table in fleet]
    assert max(times) - min(times) < 5_000_000
