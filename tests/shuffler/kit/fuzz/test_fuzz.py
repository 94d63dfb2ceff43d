"""Fuzzing for users: our ends hold, a device that breaks is found, and what broke it becomes a small file."""

import threading
import time
from collections.abc import Sequence
from random import Random

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.unit.emulator import Build, Emulator
from protocol.catalogue import Way
from protocol.framing import Framer
from shuffler import Client
from shuffler.errors import ShufflerError
from shuffler.kit.conformance.virtual import VirtualWire
from shuffler.kit.fuzz.case_file import BadCase, read_case, text_of
from shuffler.kit.fuzz.device import Broke, run
from shuffler.kit.fuzz.live import fuzz_controller
from shuffler.kit.fuzz.shrinking import shrunk
from shuffler.kit.fuzz.steps import MAKERS, FuzzStep, steps
from strict_toml import Source

LONG = 60


class Fragile:
    """A device that never speaks again after an unknown message with a long body."""

    def __init__(self) -> None:
        self._inner = our_device()
        self._framer = Framer()
        self._dead = False

    def receive(self, data: bytes, now: int) -> None:
        for frame in self._framer.feed(data):
            self._dead = self._dead or (frame.message > 0xE0 and frame.sequence > 0 and len(frame.body) >= LONG)
        if not self._dead:
            self._inner.receive(data, now)

    def data_to_send(self, now: int) -> bytes:
        return b"" if self._dead else self._inner.data_to_send(now)

    def tick(self, now: int) -> None:
        self._inner.tick(now)

    def next_deadline(self) -> int | None:
        return None if self._dead else self._inner.next_deadline()

    def pull_cable(self) -> None:
        self._inner.pull_cable()


def our_device() -> Emulator:
    return Emulator(Build(profile=load("i-deal-style"), serial="FUZZED", seed=1, session_seed=1))


def broken_by(thrown: Sequence[FuzzStep]) -> Broke | None:
    return run(VirtualWire(Fragile()), thrown, Random(1).randbytes)


@pytest.mark.parametrize("seed", range(4))
def test_our_device_holds(seed: int) -> None:
    assert run(VirtualWire(our_device()), steps(seed, 160, Way.HOST), Random(seed).randbytes) is None


def test_our_device_holds_with_a_key() -> None:
    key = bytes(range(32))
    device = Emulator(Build(profile=load("i-deal-style"), serial="FUZZED", seed=1, session_seed=1, key=key))
    assert run(VirtualWire(device), steps(5, 120, Way.HOST), Random(1).randbytes, key=key) is None


def test_a_device_that_breaks_is_found_and_the_cause_made_small() -> None:
    thrown = steps(2, 160, Way.HOST)
    broke = broken_by(thrown)
    assert broke is not None
    assert broke.problem.endswith("no hello is answered")
    small = shrunk(thrown[: broke.after], lambda fewer: broken_by(fewer) is not None)
    assert [step.what for step in small] == ["an unknown message"]
    text = text_of(small, seed=2, problem=broke.problem)
    assert read_case(Source("broke.fuzz.toml", text)) == small
    assert broken_by(read_case(Source("broke.fuzz.toml", text))) is not None


def test_a_seed_gives_the_same_steps_and_uses_every_kind() -> None:
    first = steps(11, 400, Way.HOST)
    assert first == steps(11, 400, Way.HOST) != steps(12, 400, Way.HOST)
    assert len({step.what for step in first}) == len(set(MAKERS))


def test_a_case_holds_every_kind_of_step() -> None:
    for way in (Way.HOST, Way.DEVICE):
        drawn = steps(3, 200, way)
        assert read_case(Source("case", text_of(drawn, seed=3, problem='a "quoted" \\ problem'))) == drawn


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "format"),
        ('format = "other"\n[[step]]\nraw = "00"\n', "not a case of this version"),
        ('format = "shuffler-fuzz/1"\nstep = 3\n', "must stand 1 to"),
        ('format = "shuffler-fuzz/1"\n[[step]]\nraw = "0g"\n', "hexadecimal digits"),
        ('format = "shuffler-fuzz/1"\n[[step]]\nmessage = 256\n', "message must be 0 to 255"),
        ('format = "shuffler-fuzz/1"\n[[step]]\nmessage = "next"\n', "message must be 0 to 255"),
        ('format = "shuffler-fuzz/1"\n[[step]]\nwat = 1\n', "a step has what, raw"),
    ],
)
def test_a_bad_case_is_a_sentence(text: str, told: str) -> None:
    with pytest.raises(BadCase, match=told):
        read_case(Source("case", text))


def test_shrinking_is_bounded() -> None:
    tried = []

    def breaks(fewer: Sequence[FuzzStep]) -> bool:
        tried.append(len(fewer))
        return False

    whole = steps(1, 300, Way.HOST)
    assert shrunk(whole, breaks) == whole
    assert len(tried) <= 200


@pytest.mark.slow
def test_our_client_holds() -> None:
    address: list[str] = []
    stop = threading.Event()

    def use() -> None:
        while not address and not stop.is_set():
            time.sleep(0.01)
        while not stop.is_set():
            try:
                with Client.open(address[0], timeout_s=30, discard_events=True) as client:
                    while not stop.is_set():
                        client.next_event(0.05)
            except ShufflerError:
                continue  # among the traffic are resets of all kinds: it comes back

    user = threading.Thread(target=use)
    user.start()
    try:
        thrown = steps(9, 60, Way.DEVICE)
        assert fuzz_controller(thrown, host="127.0.0.1", port=0, patience_s=60, ready=address.append) is None
    finally:
        stop.set()
        user.join()
