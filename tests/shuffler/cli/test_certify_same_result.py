"""However a run is counted, its files are the same: 1 process, 2, a cluster that loses a worker, stopped, resumed."""

import os
import signal
import subprocess
import sys
import threading
import time
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shuffler.cli import app

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # a killed worker's connections are left open
DECKS = 40_000


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """A run in many small shards; bits and controls, which no engine touches, are left out for the sake of time."""
    text = resources.files("randomness.certification").joinpath("plans/quick.toml").read_text(encoding="utf-8")
    path = tmp_path_factory.mktemp("plan") / "small.toml"
    before, _, _ = text.replace("decks_per_shard = 2_048", "decks_per_shard = 256").partition("[bits]")
    assert "= 256" in before
    before = before.replace('name      = "quick"', 'name      = "small"')
    path.write_text(before, encoding="utf-8")
    return ["certify", "--plan", str(path), "--mechanism", "ejection", "--seed", "5", "--decks", str(DECKS)]


def files(folder: Path) -> list[str]:
    return ["--json", str(folder / "r.json"), "--html", str(folder / "r.html"), "--checkpoint", str(folder / "c")]


@pytest.fixture(scope="module")
def alone(run: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of one process."""
    folder = tmp_path_factory.mktemp("alone")
    assert CliRunner().invoke(app, [*run, *files(folder)]).exit_code == 0
    return folder


def same(folder: Path, alone: Path) -> bool:
    return all((folder / name).read_bytes() == (alone / name).read_bytes() for name in ("r.json", "r.html"))


def test_two_processes(run: list[str], alone: Path, tmp_path: Path) -> None:
    assert CliRunner().invoke(app, [*run, *files(tmp_path), "--workers", "2"]).exit_code == 0
    assert same(tmp_path, alone)


def test_interrupted_and_resumed(run: list[str], alone: Path, tmp_path: Path) -> None:
    """Ctrl-C to a process of its own while it counts, then the rest."""
    process = subprocess.Popen(
        [sys.executable, "-m", "shuffler", *run, *files(tmp_path)], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline().startswith("plan ")
    time.sleep(0.15)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[1]
    assert process.returncode == 2, said
    assert "interrupted after" in said
    assert not (tmp_path / "r.json").exists()
    assert CliRunner().invoke(app, [*run, *files(tmp_path), "--resume"]).exit_code == 0
    assert same(tmp_path, alone)
    assert not (tmp_path / "c").exists()


def test_a_cluster_that_loses_a_worker_midway(run: list[str], alone: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as made,
        distributed.Client(made) as client,
    ):
        first, *_ = client.run(os.getpid).values()
        killed = threading.Event()

        def kill() -> None:
            for _ in range(6000):
                if any(client.processing().values()):
                    os.kill(first, signal.SIGKILL)
                    killed.set()
                    return
                time.sleep(0.01)

        hand = threading.Thread(target=kill)
        hand.start()
        done = CliRunner().invoke(app, [*run, *files(tmp_path), "--cluster", made.scheduler_address])
        hand.join()
        assert done.exit_code == 0, done.output
        assert killed.is_set()
        assert first not in client.run(os.getpid).values()
    assert same(tmp_path, alone)
