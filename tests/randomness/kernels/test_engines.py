"""Which engine runs a batch, and that the core needs no numba."""

import subprocess
import sys

import numpy as np
import pytest

from randomness.errors import EngineUnavailable
from randomness.kernels import Backend, engines, make
from randomness.kernels.engines import COMPILED_FROM, PLAIN_UP_TO, choose, one_after_another
from randomness.sources import make_source


@pytest.fixture
def numba_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "numba_installed", lambda: False)
    monkeypatch.setattr(sys, "modules", {name: m for name, m in sys.modules.items() if name != "numba"})


def test_small_batches_run_plainly_and_large_ones_in_numpy_without_numba(numba_absent: None) -> None:
    assert choose(Backend.AUTO, PLAIN_UP_TO) is Backend.PLAIN
    assert choose(Backend.AUTO, PLAIN_UP_TO + 1) is Backend.NUMPY
    assert choose(Backend.AUTO, COMPILED_FROM) is Backend.NUMPY


def test_large_batches_start_numba_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "numba_installed", lambda: True)
    monkeypatch.setattr(sys, "modules", {name: m for name, m in sys.modules.items() if name != "numba"})
    assert choose(Backend.AUTO, COMPILED_FROM - 1) is Backend.NUMPY
    assert choose(Backend.AUTO, COMPILED_FROM) is Backend.NUMBA


def test_the_compiled_engine_by_name_says_what_to_install(numba_absent: None) -> None:
    with pytest.raises(EngineUnavailable, match=r"pip install 'shuffler-bench\[certify\]'"):
        choose(Backend.NUMBA, 10)


def test_an_engine_by_name_is_taken() -> None:
    assert choose(Backend.PLAIN, 10**6) is Backend.PLAIN
    assert choose(Backend.NUMPY, 1) is Backend.NUMPY


def test_the_device_deals_without_importing_numba_or_scipy() -> None:
    code = (
        "import sys, randomness\n"
        "from randomness.kernels import make\n"
        "make('ideal').permutations(52, 1, randomness.system_source())\n"
        "make('rack').permutations(52, 100, randomness.system_source())\n"
        "sys.exit(bool({'numba', 'scipy', 'llvmlite'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_one_after_another_is_the_order_before_moved(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    if compiled:
        pytest.importorskip("numba")
    monkeypatch.setattr(engines, "numba_installed", lambda: compiled)
    moves = make("ideal").permutations(52, 40, make_source("ctr", seed=5), engine=Backend.PLAIN)
    first = np.arange(52, dtype=np.uint8)[::-1]
    plain = [first]
    for move in moves:
        plain.append(plain[-1][move])
    np.testing.assert_array_equal(one_after_another(first, moves), plain)
