"""Random sources by name."""

import os
import subprocess
import sys

import pytest

from randomness.drbg import DrbgSource
from randomness.errors import HealthFailure, UnknownSource
from randomness.sources import make_source, seeded_source, system_source


@pytest.mark.parametrize("name", ["ctr", "ctr-df", "hmac"])
def test_a_seed_repeats_and_no_seed_does_not(name: str) -> None:
    assert make_source(name, seed=5).generate(64) == make_source(name, seed=5).generate(64)
    assert make_source(name, seed=5).generate(64) != make_source(name, seed=5, stream=1).generate(64)
    assert make_source(name).generate(64) != make_source(name).generate(64)


def test_the_three_generators_differ() -> None:
    assert len({make_source(name, seed=5).generate(64) for name in ("ctr", "ctr-df", "hmac")}) == 3


def test_play_has_health_tests_on_and_says_so() -> None:
    source = system_source(personalization=b"unit 7")
    assert "health tests on" in source.name


def test_play_with_a_stuck_noise_source_gives_no_generator() -> None:
    class Stuck:
        name = "stuck"

        def read(self, n: int) -> bytes:
            return bytes(n)

    with pytest.raises(HealthFailure):
        system_source(entropy=Stuck())


def test_prediction_resistance_reaches_the_generator() -> None:
    source = system_source(prediction_resistance=True)
    source.generate(32)
    assert source.drbg.reseeds == 1


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(UnknownSource, match="there are ctr, ctr-df, hmac, and planted defects"):
        make_source("mersenne")
    with pytest.raises(UnknownSource, match="there are ctr, ctr-df, hmac"):
        seeded_source(1, mechanism="mersenne")


def test_a_seeded_source_is_marked() -> None:
    source = make_source("ctr", seed=5)
    assert isinstance(source, DrbgSource)
    assert "not for play" in source.name


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_does_not_repeat_its_parents_stream() -> None:
    code = """
import os, sys
from randomness import system_source
source = system_source()
source.generate(32)
read, write = os.pipe()
if os.fork() == 0:
    os.write(write, source.generate(32))
    os._exit(0)
own = source.generate(32)
os.wait()
sys.exit(os.read(read, 32) == own)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
