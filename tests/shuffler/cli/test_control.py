"""`shuffler control`: every call of the API from a shell."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from api_support import RunningBench, running_bench
from typer.testing import CliRunner, Result

from shuffler.cli import app
from shuffler.cli.control_plane import announce


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


def control(bench: RunningBench, *words: str) -> Result:
    token = ["--token-file", str(bench.address.token_file)]
    return CliRunner().invoke(app, ["control", str(bench.address.port), *words, *token])


def test_a_device_is_made_jammed_and_removed_from_a_shell(bench: RunningBench) -> None:
    made = control(bench, "POST", "/devices", "serial=SB-7", "speed=0", "tcp=false", "--json")
    assert (made.exit_code, json.loads(made.stdout)["serial"]) == (0, "SB-7")
    jammed = control(bench, "post", "/devices/SB-7/actions/inject", "name=jam_exit", "when=group=1")
    assert json.loads(jammed.stdout)["device"]["faults"]["armed"][0]["trigger"]["when"] == "group=1"
    assert control(bench, "POST", "/devices/SB-7/actions/open_door").exit_code == 0
    assert json.loads(control(bench, "GET", "devices/SB-7/panel").stdout)["top"] == "SELF-TEST"
    assert control(bench, "DELETE", "/devices/SB-7").exit_code == 0


def test_every_call_is_listed(bench: RunningBench) -> None:
    listed = control(bench, "list").stdout
    assert "POST    /devices/{serial}/actions/inject" in listed
    assert len(listed.splitlines()) > 40


def test_what_the_bench_refuses_is_said_and_ends_with_1(bench: RunningBench) -> None:
    refused = control(bench, "GET", "/devices/SB-404")
    assert refused.exit_code == 1
    assert "there is no device" in refused.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["BREW", "/coffee"], "is no method"),
        (["POST", "/devices", "serial"], "reads KEY=VALUE"),
        (["POST", "/devices", "{nonsense"], "not JSON"),
    ],
)
def test_misuse_is_said_and_ends_with_2(bench: RunningBench, words: list[str], says: str) -> None:
    result = control(bench, *words)
    assert result.exit_code == 2
    assert says in result.stderr


def test_a_missing_token_and_a_missing_bench_are_said(tmp_path: Path) -> None:
    nothing = CliRunner().invoke(app, ["control", "1", "GET", "/devices", "--token-file", str(tmp_path / "none")])
    assert (nothing.exit_code, "--token-file" in nothing.stderr) == (2, True)
    (tmp_path / "token").write_text("x")
    nobody = CliRunner().invoke(app, ["control", "1", "GET", "/devices", "--token-file", str(tmp_path / "token")])
    assert (nobody.exit_code, "is the bench running?" in nobody.stderr) == (2, True)


@pytest.mark.parametrize(
    "url", ["http://192.0.2.7:7080", "http://bench.example:7080", "http://127.0.0.1.example:7080", "http://[2001:db8::1]:1"]
)
def test_the_token_never_leaves_the_machine(tmp_path: Path, url: str) -> None:
    token = tmp_path / "token"
    token.write_text("secret")
    refused = CliRunner().invoke(app, ["control", url, "GET", "/devices", "--token-file", str(token)])
    assert refused.exit_code == 2
    assert "is not on this machine" in refused.stderr


def test_a_redirect_does_not_take_the_token_along(tmp_path: Path) -> None:
    seen: list[str | None] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("authorization"))
            self.send_response(302)
            self.send_header("location", f"http://127.0.0.1:{self.server.server_address[1]}/taken")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    token = tmp_path / "token"
    token.write_text("secret")
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}"
        refused = CliRunner().invoke(app, ["control", url, "GET", "/devices", "--token-file", str(token)])
        server.shutdown()
    assert refused.exit_code == 1
    assert seen == ["Bearer secret"]


def test_a_redirected_output_holds_no_token(capsys: pytest.CaptureFixture[str], bench: RunningBench) -> None:
    announce(bench.address)
    said = capsys.readouterr().out
    assert "/#token=TOKEN" in said
    assert bench.address.token not in said
