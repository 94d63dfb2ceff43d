"""Every figure of every estimator on small files of our own, against the slow reference's committed answers."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
import slow_entropy as slow

from randomness.assessment import Samples, assess
from randomness.assessment.engine import plain_engine
from randomness.assessment.prediction import judged
from randomness.assessment.samples import Series

DATA = Path(__file__).parent / "data"
NAMES = ("sticky-bits", "five-values", "bell-bytes")


def read(name: str) -> tuple[bytes, dict[str, Any]]:
    return (DATA / f"{name}.bin").read_bytes(), json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "compiled"), [*((name, None) for name in NAMES), ("sticky-bits", False)])
def test_every_figure_is_the_expected_one(name: str, compiled: bool | None) -> None:
    data, expected = read(name)
    found = assess(Samples.from_bytes(data, compiled=compiled))
    assert found.width == expected.pop("width")
    seen: dict[str, dict[str, dict[str, float]]] = {}
    for of, estimate in found.estimates():
        assert estimate.unmet is None
        seen.setdefault(of, {})[estimate.name] = {**estimate.figures, "min entropy": estimate.min_entropy or 0.0}
    assert seen.keys() == expected.keys()
    for of, by_name in expected.items():
        assert seen[of].keys() == by_name.keys()
        for estimator, figures in by_name.items():
            assert seen[of][estimator] == pytest.approx(figures, rel=1e-7), f"{of} {estimator}"


def test_the_files_reach_what_is_rarely_reached() -> None:
    """A local bound that decides, a run long enough for it, and values that are missing."""
    local = [
        estimator
        for name in NAMES
        for of in ("Literal", "Bitstring")
        for estimator, figures in read(name)[1].get(of, {}).items()
        if "P_local" in figures
    ]
    assert len(local) >= 3
    assert Samples.from_bytes(read("five-values")[0]).renumbered


@pytest.mark.parametrize("estimator", ["Most Common Value", "Collision", "Markov", "t-Tuple", "LRS"])
def test_the_committed_answers_are_the_slow_references(estimator: str) -> None:
    data, expected = read("sticky-bits")
    assert {**slow.FOR_ALL, **slow.FOR_BITS}[estimator](list(data), 2) == pytest.approx(expected["Literal"][estimator])


@pytest.mark.parametrize(("name", "least"), [("multi_mcw", 63), ("lag", 1), ("multi_mmc", 2), ("lz78y", 17)])
@pytest.mark.parametrize("values", [2, 5])
def test_predictors_follow_the_documents_steps(name: str, least: int, values: int) -> None:
    rng = random.Random(values)
    samples = [min(values - 1, int(rng.expovariate(0.9))) if rng.random() < 0.8 else i % values for i in range(700)]
    series = Samples.from_bytes(bytes(samples), compiled=False).symbols
    hits = {"multi_mcw": "window_hits", "lag": "lag_hits", "multi_mmc": "model_hits", "lz78y": "dictionary_hits"}[name]
    found = getattr(plain_engine(), hits)(series.values, values)
    estimate = judged(name, "", found, len(samples) - least, values)
    expected = getattr(slow, name)(samples, values)
    assert {**estimate.figures, "min entropy": estimate.min_entropy} == pytest.approx(expected, rel=1e-9)


def test_series_know_their_length() -> None:
    samples = Samples.from_bytes(bytes([3, 1, 3]))
    assert isinstance(samples.symbols, Series)
    assert len(samples) == len(samples.symbols) == 3
    assert len(samples.bits) == 6
