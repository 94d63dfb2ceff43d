"""The examples: controllers in three languages rig, jam and recover through the API while they speak to the wire."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_support import RunningBench, running_bench
from c_harness import STRICT

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "examples"
SAID = "seat 2 was dealt Q♠ K♠ A♠ after a jam at the exit was cleared"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[RunningBench]:
    with running_bench(tmp_path) as running, running.client() as client:
        client.post("/devices", json={"serial": "SB-0001", "speed": 200}).raise_for_status()
        yield running


def run(*command: object) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=200, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.slow
def test_python(bench: RunningBench) -> None:
    root = f"{bench.address.url}/api/v1"
    assert run(sys.executable, EXAMPLES / "controller.py", root, bench.address.token_file, "SB-0001") == SAID


@pytest.mark.slow
@pytest.mark.needs("node")
def test_node(bench: RunningBench) -> None:
    root = f"{bench.address.url}/api/v1"
    assert run("node", EXAMPLES / "controller.mjs", root, bench.address.token_file, "SB-0001") == SAID


@pytest.mark.slow
@pytest.mark.needs("gcc")
def test_c(bench: RunningBench, tmp_path: Path) -> None:
    assert shutil.which("gcc")
    program = tmp_path / "controller"
    options = [*STRICT, "-D_POSIX_C_SOURCE=200809L", "-I", ROOT / "docs" / "protocol"]
    run("gcc", *options, EXAMPLES / "controller.c", "-o", program)
    assert run(program, bench.address.port, bench.address.token_file, "SB-0001") == SAID
