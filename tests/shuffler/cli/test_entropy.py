"""`shuffler entropy`: the same figures as the package, on a terminal and as JSON, and errors in words."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from randomness.assessment import Samples, assess
from shuffler.cli import app

RUNNER = CliRunner()
RNG = np.random.default_rng(2018)


@pytest.fixture
def noise(tmp_path: Path) -> Path:
    path = tmp_path / "noise.bin"
    path.write_bytes(RNG.integers(0, 8, 5_000, dtype=np.uint8).tobytes())
    return path


def test_the_table_shows_every_estimator_and_the_cutoffs(noise: Path) -> None:
    result = RUNNER.invoke(app, ["entropy", str(noise)])
    assert result.exit_code == 0, result.output
    found = assess(Samples.from_bytes(noise.read_bytes()))
    assert "Fewer than 1,000,000 samples" in result.stdout
    for _, estimate in found.estimates():
        assert estimate.name in result.stdout
        assert f"{estimate.min_entropy:.6f}" in result.stdout
    assert f"ASSESSED: {found.assessed:.6f} bits of min-entropy a sample." in result.stdout
    assert "adaptive proportion" in result.stdout


def test_json_has_every_figure_and_the_files_digest(noise: Path) -> None:
    result = RUNNER.invoke(app, ["entropy", str(noise), "--json", "--claimed", "0.5"])
    data = json.loads(result.stdout)
    assert result.exit_code == 0
    assert data["sha256"] == hashlib.sha256(noise.read_bytes()).hexdigest()
    assert (data["assessed"], data["non_iid"]["h_submitter"], data["bits_per_symbol"]) == (0.5, 0.5, 3)
    assert len(data["non_iid"]["estimates"]) == 17


def test_independence_tested_on_request(noise: Path) -> None:
    result = RUNNER.invoke(app, ["entropy", str(noise), "--iid", "--json"])
    data = json.loads(result.stdout)
    assert (result.exit_code, data["passed"], data["non_iid"]) == (0, True, None)
    assert len(data["iid"]["permutation"]["statistics"]) == 19
    again = RUNNER.invoke(app, ["entropy", str(noise), "--iid", "--json"])
    assert json.loads(again.stdout) == data


def test_samples_that_are_not_independent_fail(tmp_path: Path) -> None:
    path = tmp_path / "sticky.bin"
    path.write_bytes(np.repeat(RNG.integers(0, 8, 100, dtype=np.uint8), 5).tobytes())
    result = RUNNER.invoke(app, ["entropy", str(path), "--iid"])
    assert result.exit_code == 1
    assert "Not independent samples of one law" in result.stdout


@pytest.mark.parametrize(
    ("content", "arguments", "said"),
    [
        (None, [], "can't read"),
        (b"", [], "0 sample(s); an assessment should have 1,000,000"),
        (b"\5\5\5", [], "every sample is 5: no entropy"),
        (b"\5\4\5", ["--bits", "2"], "sample 0 is 5, which has more than 2 bits: one sample a byte"),
        (bytes([0, 1] * 40), ["--iid"], "80 samples; the permutation tests need 272 at the least"),
        (RNG.integers(0, 2, 200, dtype=np.uint8).tobytes(), ["--restart", "noise"], "200 samples; a restart file has"),
        (bytes([0, 1, 1, 0, 1] * 40), ["--restart", "noise"], "no entropy was assessed"),
    ],
)
def test_what_can_not_be_assessed_is_said(
    tmp_path: Path, content: bytes | None, arguments: list[str], said: str
) -> None:
    path = tmp_path / "noise"
    if content is not None:
        path.write_bytes(content)
    arguments = [str(path) if argument == "noise" else argument for argument in arguments]
    result = RUNNER.invoke(app, ["entropy", str(path), *arguments])
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_file_without_an_end_is_refused() -> None:
    done = CliRunner().invoke(app, ["entropy", "/dev/zero"])
    assert (done.exit_code, "not a regular file" in done.stderr) == (2, True)


def test_a_handful_of_samples_is_too_few_for_the_permutation_tests(tmp_path: Path) -> None:
    file = tmp_path / "few.bin"
    file.write_bytes(b"about = [")
    done = RUNNER.invoke(app, ["entropy", str(file), "--iid"])
    assert done.exit_code == 2
    assert "9 samples; the permutation tests need 272 at the least" in done.stderr
