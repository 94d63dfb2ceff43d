"""The suites on real ports: our device, both our clients, and the examples in C and Node."""

import asyncio
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from c_harness import STRICT

from firmware_sim.machine.profile import load
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from shuffler import AsyncClient, Client
from shuffler.errors import ShufflerError
from shuffler.host.dealing import ready_deck, wait_until_on
from shuffler.kit.conformance.device.suite import run
from shuffler.kit.conformance.live import Watching, WatchOptions, device_bench, watching
from shuffler.kit.conformance.verdict import RuleFinding, RuleVerdict, failed

ROOT = Path(__file__).parents[4]
ALWAYS_SEEN = {
    "F-1", "F-2", "F-5", "V-1", "V-2", "V-4", "H-1", "H-3", "H-5", "S-1", "S-2", "S-4", "S-6", "S-7", "L-4", "C-1",
}  # fmt: skip


@pytest.mark.slow
def test_our_device_on_tcp() -> None:
    build = Build(profile=load("i-deal-style"), serial="LIVE", speed=200.0, seed=7)
    rules = frozenset({"F-1", "F-4", "H-2", "H-4", "H-7", "S-3", "S-5", "L-4", "C-3", "C-10", "E-1", "D-5", "K-2"})
    with (
        background([Location(build=build, ports=(Tcp(),))]) as bench,
        device_bench(bench.url, key=None, jitter_ms=5000, deals=True) as live,
    ):
        found = {one.rule: one.verdict for one in run(live, rules)}
    assert found == dict.fromkeys(rules, RuleVerdict.PASSED)


def through_all_acts(play: Callable[[str], None], most: int = 12) -> list[RuleFinding]:
    """Let a controller play until every act was shown to it; it may fail, and is then started again."""
    watch = WatchOptions(profile=load("i-deal-style"), speed=100.0, jitter_ms=5000)
    with watching(watch) as watched:
        for _ in range(most):
            play(watched.url)
            if not acts_left(watched):
                break
        return watched.findings()


def acts_left(watched: Watching) -> int:
    return watched._watcher.acts_left


def judged(found: list[RuleFinding]) -> None:
    assert failed(found) == []
    assert {one.rule for one in found if one.verdict is RuleVerdict.PASSED} >= ALWAYS_SEEN


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_the_small_host_in_c_passes(tmp_path: Path) -> None:
    program = tmp_path / "small_host"
    source = ROOT / "examples" / "c" / "small_host.c"
    subprocess.run(["gcc", *STRICT, "-I", ROOT / "docs" / "protocol", source, "-o", program], check=True)
    judged(through_all_acts(lambda url: program_run(program, url)))


@pytest.mark.slow
@pytest.mark.needs("node")
def test_the_client_in_node_passes() -> None:
    judged(through_all_acts(lambda url: program_run("node", url, ROOT / "examples" / "node" / "client.mjs")))


def program_run(program: object, url: str, *more: object) -> None:
    port = url.rsplit(":", 1)[1]
    subprocess.run([str(program), *map(str, more), "127.0.0.1", port], capture_output=True, timeout=120, check=False)


@pytest.mark.slow
def test_the_blocking_client_passes() -> None:
    def play(url: str) -> None:
        try:
            with Client.open(url, timeout_s=60, discard_events=True) as client:
                status = wait_until_on(client)
                client.call(m.SetTime(unix_ms=1_800_000_000_000), timeout_s=60)
                if not status.round:
                    ready_deck(client)
                for _ in range(6):
                    client.call(m.SetTime(unix_ms=1_800_000_000_000), timeout_s=60)
                    client.next_event(0.3)
        except ShufflerError:
            return  # the act ended it; it is started again

    judged(through_all_acts(play))


@pytest.mark.slow
def test_the_asyncio_client_passes() -> None:
    async def talk(url: str) -> None:
        async with await AsyncClient.open(url, timeout_s=60, discard_events=True) as client:
            while (await client.ask(m.GetStatus(), m.Status, 60)).power.name != "ON":
                await asyncio.sleep(0.05)
            await client.call(m.SetTime(unix_ms=1_800_000_000_000), 60)
            for _ in range(8):
                await client.call(m.NoteHead(journal=bytes(16), record=1, hash=bytes(32)), 60)
                await asyncio.sleep(0.2)

    def play(url: str) -> None:
        try:
            asyncio.run(talk(url))
        except ShufflerError:
            return

    judged(through_all_acts(play))


def test_the_watching_device_is_judged_when_nobody_comes() -> None:
    stop = threading.Event()
    stop.set()
    with watching(WatchOptions(profile=load("i-deal-style"))) as watched:
        found = watched.until_done(stop.is_set)
    assert not [one for one in found if one.verdict in (RuleVerdict.PASSED, RuleVerdict.FAILED)]
