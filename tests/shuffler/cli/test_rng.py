"""`shuffler rng`."""

import io
import json
import signal
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from randomness.drbg import CtrMechanism
from randomness.sources import make_source, seeded_source
from shuffler.cli import app
from shuffler.cli.rng import CHUNK_BYTES, pump

runner = CliRunner()
STREAM = [sys.executable, "-m", "shuffler", "rng", "stream"]


def test_a_seeded_stream_is_the_sources_bytes() -> None:
    told = runner.invoke(app, ["rng", "stream", "--bytes", "1k", "--seed", "5"])
    assert told.exit_code == 0
    assert told.stdout_bytes == seeded_source(5).generate(1000)


@pytest.mark.parametrize("source", ["hmac", "ctr-df", "defect:lcg", "defect:stuck-bit:bit=3,value=0"])
def test_every_source_streams(source: str) -> None:
    told = runner.invoke(app, ["rng", "stream", "--bytes", "500", "--seed", "5", "--source", source])
    assert told.stdout_bytes == make_source(source, seed=5).generate(500)


def test_two_unseeded_streams_differ() -> None:
    streams = {runner.invoke(app, ["rng", "stream", "--bytes", "64"]).stdout_bytes for _ in range(3)}
    assert len(streams) == 3
    assert {len(stream) for stream in streams} == {64}


def test_a_long_stream_comes_in_chunks_and_ends_on_the_byte() -> None:
    out = io.BytesIO()
    assert pump(seeded_source(1), out, 2 * CHUNK_BYTES + 17) == 2 * CHUNK_BYTES + 17
    again = seeded_source(1)
    assert out.getvalue() == b"".join(again.generate(n) for n in (CHUNK_BYTES, CHUNK_BYTES, 17))


def test_a_closed_pipe_ends_it_quietly() -> None:
    with subprocess.Popen(STREAM, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert len(process.stdout.read(100_000)) == 100_000
        process.stdout.close()
        assert process.wait(30) == 0
        assert process.stderr.read() == b""


def test_an_interrupt_ends_it_without_a_traceback() -> None:
    with subprocess.Popen(STREAM, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.send_signal(signal.SIGINT)
        process.stdout.read()
        assert process.wait(30) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize(
    "arguments",
    [["--source", "mersenne"], ["--source", "defect:gremlin"], ["--source", "defect:lcg:x=1"], ["--bytes", "lots"]],
)
def test_bad_input_is_refused_in_a_line(arguments: list[str]) -> None:
    told = runner.invoke(app, ["rng", "stream", *arguments])
    assert told.exit_code == 2
    assert told.stdout_bytes == b""
    assert "Traceback" not in told.output


def test_a_terminal_is_spared(monkeypatch: pytest.MonkeyPatch) -> None:
    from shuffler.cli import rng

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(rng.sys, "stdout", Terminal())
    with pytest.raises(rng.typer.Exit) as told:
        rng.stream()
    assert told.value.exit_code == 2


def test_the_self_test_passes_and_says_what_it_did() -> None:
    told = runner.invoke(app, ["rng", "selftest", "--json"])
    assert told.exit_code == 0
    report = json.loads(told.stdout)
    assert report["passed"]
    assert len(report["checks"]) == 5
    assert "known answers" in runner.invoke(app, ["rng", "selftest"]).stdout


def test_the_self_test_fails_when_a_generator_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CtrMechanism, "reseed", lambda *_: None)
    told = runner.invoke(app, ["rng", "selftest", "--json"])
    assert told.exit_code == 1
    assert not json.loads(told.stdout)["passed"]
    assert "FAILED" in runner.invoke(app, ["rng", "selftest"]).stdout


def test_the_self_test_fails_when_the_health_tests_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    from randomness.health import HealthMonitor

    monkeypatch.setattr(HealthMonitor, "feed", lambda *_: None)
    told = runner.invoke(app, ["rng", "selftest", "--json"])
    assert told.exit_code == 1
    assert "a source of zeros passed" in told.stdout


def test_sources_are_listed_with_what_is_predicted() -> None:
    listed = json.loads(runner.invoke(app, ["rng", "sources", "--json"]).stdout)
    by_name = {entry["name"]: entry for entry in listed}
    assert by_name["ctr"]["stream"]
    assert not by_name["defect:sattolo"]["stream"]
    assert by_name["defect:lcg"]["parameters"] == {"keep": "32"}
    assert "defect:lcg:keep=32" in runner.invoke(app, ["rng", "sources"]).stdout


def test_help_does_not_wait_for_numpy() -> None:
    code = "import sys; from shuffler.cli import app; sys.exit('numpy' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
