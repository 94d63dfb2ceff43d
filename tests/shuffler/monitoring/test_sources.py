"""Sources of rounds: a journal in steps, a file of decks, a device that is dealt on, and the metrics port."""

import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from monitoring_support import play

from firmware_sim.machine.profile import load
from firmware_sim.ports.serving import Location, background
from firmware_sim.ports.tcp import Tcp
from firmware_sim.unit.emulator import Build
from randomness.monitoring import MonitoringError
from shuffler.monitoring import SeenRound, Watch
from shuffler.monitoring.keeping import save
from shuffler.monitoring.seen import seen_round
from shuffler.monitoring.sources import FileSource, JournalSource, device_source, resume, serve_metrics


def test_a_journal_is_read_once_however_often_it_is_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 3, seats=3)
    whole = list(JournalSource(path, {}).new_rounds())
    assert [one.round for one in whole] == ["R1", "R2", "R3"]
    assert all(one.deal is not None and len(one.deal.cards) == 12 for one in whole)
    taken: list[SeenRound] = []
    at: dict[str, object] = {}
    for _ in range(5):
        source = JournalSource(path, at)
        rounds = source.new_rounds()
        if (one := next(rounds, None)) is not None:
            taken.append(one)
        rounds.close()
        at = dict(source.position())
    assert taken == whole


def test_a_journal_that_grows_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    play(path, 1)
    source = JournalSource(path, {})
    assert len(list(source.new_rounds())) == 1
    play(path, 2, serial="C-2")
    assert [one.device for one in source.new_rounds()] == ["C-2", "C-2"]


def test_a_file_of_decks_is_dealt_to_the_seats_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "decks.npy"
    np.save(path, np.stack([np.random.default_rng(3).permutation(52) for _ in range(5)]).astype(np.uint8))
    source = FileSource(str(path), 2, {})
    rounds = list(source.new_rounds())
    assert [one.round for one in rounds] == ["1", "2", "3", "4", "5"]
    assert rounds[0].deal is not None
    assert rounds[0].deal.cards == tuple(np.load(path)[0, :9].tolist())
    assert source.position()["rows"] == 5
    assert list(FileSource(str(path), 2, source.position()).new_rounds()) == []


def test_another_file_or_another_kind_of_source_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "decks.npy"
    np.save(path, np.stack([np.arange(52)] * 3).astype(np.uint8))
    with pytest.raises(MonitoringError, match="not the file"):
        FileSource(str(path), 7, {"kind": "file", "rows": 1, "sha256": "00"})
    with pytest.raises(MonitoringError, match="saved from a file, not from a journal"):
        JournalSource(path, {"kind": "file", "rows": 1})


def test_a_state_of_another_level_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.npz"
    assert resume(state, 0.01).watch.level == 0.01
    save(state, Watch(0.01, compiled=False), {})
    with pytest.raises(MonitoringError, match=r"--level 0\.01"):
        resume(state, 0.001)


def test_a_device_is_dealt_on_and_watched() -> None:
    build = Build(profile=load("i-deal-style"), serial="SB-7", seed=7, speed=2000.0)
    with (
        background([Location(build=build, ports=(Tcp(),))]) as devices,
        device_source(devices.url, 2, None) as source,
    ):
        rounds = source.new_rounds()
        first, second = next(rounds), next(rounds)
    assert (first.device, first.round, second.round) == ("SB-7", "1", "2")
    assert first.deal is not None
    assert first.deal.positions == tuple(range(9))


def test_metrics_are_served_on_a_port() -> None:
    watch = Watch(0.001, compiled=False)
    watch.take(seen_round("A", "1", [(0, (1, 2, 3))]))
    with serve_metrics(watch, 0) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30) as answer:
            assert 'shuffler_monitor_rounds_total{serial="A"} 1' in answer.read().decode()
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/other", timeout=30)
