"""A noise source that goes bad: the health tests find it from its samples, and let it go on once it is good again."""

import pytest
from device_support import loaded, of, powered

from firmware_sim.control.injections import Trigger
from firmware_sim.machine import noise as noise_module
from firmware_sim.machine.noise import SAMPLES_A_DRAW, Noise, RenewedSource, TestedNoise
from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build, Emulator
from protocol import messages as m
from protocol.vocabulary import FaultCode
from randomness import GeneratorLatched, HealthFailure, system_source
from randomness.entropy import SeededEntropy
from randomness.health import MonitoredEntropy


def made(seed: int = 1) -> Noise:
    return Noise(SeededEntropy(seed))


def test_a_good_source_gives_the_samples_of_its_origin() -> None:
    assert made().read(100) == SeededEntropy(1).read(100)


def test_a_dead_source_gives_one_value() -> None:
    noise = made()
    noise.stuck_share, noise.stuck_at = 1.0, 7
    assert noise.read(50) == b"\7" * 50


def test_a_biased_source_gives_it_as_often_as_said() -> None:
    noise = made()
    noise.stuck_share = 0.25
    assert 900 < noise.read(4096).count(0) < 1200


def test_a_dead_source_is_found_by_the_repetition_count_test() -> None:
    noise = made()
    tested = TestedNoise(noise)
    tested.read(10)
    noise.stuck_share = 1.0
    with pytest.raises(HealthFailure, match="repetition count test: sample value 0 came 6 times"):
        tested.read(SAMPLES_A_DRAW)


def test_a_biased_source_is_found_by_the_adaptive_proportion_test() -> None:
    noise = made()
    noise.stuck_share = 0.15
    tested = TestedNoise(noise)
    with pytest.raises(HealthFailure, match="adaptive proportion test"):
        tested.read(400 * SAMPLES_A_DRAW)


def test_a_failure_stays_until_a_test_on_demand_passes() -> None:
    noise = made()
    tested = TestedNoise(noise)
    noise.stuck_share = 1.0
    with pytest.raises(HealthFailure):
        tested.read(8)
    assert not tested.passes()
    noise.stuck_share = 0.0
    with pytest.raises(HealthFailure):
        tested.read(8)
    assert tested.passes()
    assert tested.read(8)


def test_a_generator_that_has_stopped_for_good_is_made_anew() -> None:
    noise = made()
    tested = TestedNoise(noise)
    source = RenewedSource(lambda: system_source(entropy=tested, prediction_resistance=True))
    assert len(source.generate(16)) == 16
    noise.stuck_share = 1.0
    with pytest.raises(HealthFailure):
        source.generate(16)
    with pytest.raises((HealthFailure, GeneratorLatched)):
        source.generate(16)
    noise.stuck_share = 0.0
    assert tested.passes()
    assert len(source.generate(16)) == 16


@pytest.mark.parametrize("seed", [None, 3])
def test_the_injected_fault_reaches_the_health_tests_and_nothing_else_says_so(
    seed: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    emulator = Emulator(Build(profile=load("i-deal-style"), serial="N", seed=seed))
    emulator.control.inject("random_source")
    emulator.tick(60_000_000)
    assert emulator.firmware.desk.code is FaultCode.RANDOM_SOURCE
    log = emulator.firmware.board.log.page(0, 255)
    assert any("RANDOM_SOURCE" in line.text for line in log.lines)

    class Blind(MonitoredEntropy):
        """Without its tests."""

        def _tested(self, n: int) -> bytes:
            return self._source.read(n)

    monkeypatch.setattr(noise_module, "MonitoredEntropy", Blind)
    blind = Emulator(Build(profile=load("i-deal-style"), serial="N", seed=1))
    blind.control.inject("random_source")
    blind.tick(60_000_000)
    assert blind.firmware.desk.code is FaultCode.NONE  # so it was the tests that found it


def test_a_source_that_dies_before_the_shuffle_stops_it_and_the_log_has_the_tests_own_words() -> None:
    device = loaded()
    device.control.inject("random_source")
    device.do(m.Shuffle(nonce=bytes(16)))
    assert [event.code for event in of(device, m.FaultRaised)] == [FaultCode.RANDOM_SOURCE]
    log = device.firmware.board.log.page(0, 255)
    assert any("no shuffle: repetition count test: sample value 0" in line.text for line in log.lines)


def test_a_source_that_is_half_stuck_is_found_as_well() -> None:
    device = powered()
    device.control.inject("random_source", Trigger(), level=0.5)
    reply = device.do(m.SelfTest())
    assert isinstance(reply, m.SelfTestResult)
    assert reply.fault is FaultCode.RANDOM_SOURCE
