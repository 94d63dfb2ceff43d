"""Compiled kernels and their plain twins count the same."""

import importlib

import numpy as np
import pytest

from randomness.assessment import engine, plain
from randomness.assessment.engine import Symbols

pytest.importorskip("numba")
compiled = importlib.import_module("randomness.assessment.compiled")

RNG = np.random.default_rng(906)


def _cases() -> dict[str, tuple[int, Symbols]]:
    found: dict[str, tuple[int, Symbols]] = {}
    for values in (2, 3, 256):
        for n in (30, 4_300):
            even = RNG.integers(0, values, n)
            copied = even.copy()
            copied[n // 2 :] = copied[: n - n // 2]
            last = np.zeros(n, np.int64)
            last[-1] = 1
            cases = {
                "even": even,
                "lopsided": RNG.random(n) ** 3 * values,
                "counting": np.arange(n) % values,
                "rare": np.where(RNG.random(n) < 0.97, 0, even),
                "copied": copied,
                "one at the end": last,
            }
            found |= {f"{name}, {values} values, {n}": (values, case.astype(np.uint8)) for name, case in cases.items()}
    return found


CASES = _cases()


@pytest.mark.parametrize("case", CASES)
def test_strings(case: str) -> None:
    values, samples = CASES[case]
    depths = compiled.depths(samples, values)
    assert depths.tolist() == plain.depths(samples, values).tolist()
    assert [part.tolist() for part in compiled.repeats(depths)] == [part.tolist() for part in plain.repeats(depths)]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("predictor", ["window_hits", "lag_hits", "model_hits", "dictionary_hits"])
def test_predictors(case: str, predictor: str) -> None:
    values, samples = CASES[case]
    assert getattr(compiled, predictor)(samples, values) == getattr(plain, predictor)(samples, values)


@pytest.mark.parametrize("case", CASES)
def test_waits_and_pieces(case: str) -> None:
    values, samples = CASES[case]
    assert compiled.pieces(samples).tolist() == plain.pieces(samples).tolist()
    if values == 2:
        assert compiled.waits(samples) == plain.waits(samples)


@pytest.mark.parametrize("values", [2, 40])
def test_full_dictionaries(monkeypatch: pytest.MonkeyPatch, values: int) -> None:
    """Random samples fill them; a pattern that comes after that is not learnt any more."""
    rng = np.random.default_rng(1)
    pattern = np.tile(rng.integers(0, values, 300), 4)
    samples = np.concatenate([rng.integers(0, values, 1_800), pattern]).astype(np.uint8)
    unlimited = plain.model_hits(samples, values), plain.dictionary_hits(samples, values)
    for module in (plain, compiled):
        monkeypatch.setattr(module, "MOST_PAIRS", 1_000)
        monkeypatch.setattr(module, "MOST_STRINGS", 200)
    found = plain.model_hits(samples, values), plain.dictionary_hits(samples, values)
    assert found == (compiled.model_hits(samples, values), compiled.dictionary_hits(samples, values))
    if values > 2:
        assert found[0].correct < unlimited[0].correct - 50
        assert found[1].correct < unlimited[1].correct - 50


def test_limits_are_the_same_in_both() -> None:
    kernels = importlib.import_module("randomness.assessment.compiled_predictors")
    for name in ("WINDOWS", "LAGS", "DEEPEST"):
        assert getattr(kernels, f"_{name}") == getattr(engine, name)


def test_numba_is_left_out_on_request() -> None:
    assert engine.choose_engine(compiled=False) is engine.plain_engine()
    assert engine.choose_engine(compiled=None) is engine.compiled_engine() is compiled
