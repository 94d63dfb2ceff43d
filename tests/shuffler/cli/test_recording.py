"""`shuffler recording`: show, compare, replay and export; damaged files and wrong options get one sentence."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from shuffler.cli import app
from shuffler.host.client import Client
from shuffler.host.dealing import ready_deck, wait_until_on
from shuffler.kit.recording.file import Recorder

runner = CliRunner()

pytestmark = pytest.mark.slow


def place(*taps: Recorder) -> Location:
    build = Build(profile=load_profile("i-deal-style"), serial="SB-CLI-1", seed=4, speed=300.0)
    return Location(build=build, ports=(Tcp(),), taps=taps)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recordings") / "shuffle.shufrec"
    recorder = Recorder(path, "one shuffle")
    with recorder, background([place(recorder)]) as devices, Client.open(devices.url) as client:
        client.ask(m.GetInfo(), m.Info)
        wait_until_on(client)
        ready_deck(client)
    return path


def test_show_names_every_message(recording: Path) -> None:
    told = runner.invoke(app, ["recording", "show", str(recording)])
    assert told.exit_code == 0
    for word in ("one shuffle", "with SB-CLI-1", "ShuffleCompleted", "cable out", "session ended: closed"):
        assert word in told.stdout
    assert "deck_cards           52" in runner.invoke(app, ["recording", "show", "--all", str(recording)]).stdout


def test_a_recording_equals_itself(recording: Path) -> None:
    told = runner.invoke(app, ["recording", "compare", str(recording), str(recording)])
    assert told.exit_code == 0
    assert "0 differences" in told.stdout


def test_replayed_as_the_controller_the_same_device_matches_and_another_does_not(recording: Path) -> None:
    with background([place()]) as devices:
        told = runner.invoke(app, ["recording", "replay", str(recording), devices.url, "--as", "controller"])
    assert told.exit_code == 0, told.output
    assert "Welcome.epoch (random): differs in 1" in told.stdout
    assert "0 differences" in told.stdout
    other = Build(profile=load_profile("i-deal-style"), serial="SB-OTHER", seed=4, speed=300.0)
    with background([Location(build=other, ports=(Tcp(),))]) as devices:
        told = runner.invoke(app, ["recording", "replay", str(recording), devices.url, "--as", "controller"])
    assert told.exit_code == 1
    assert "Info.serial recorded “SB-CLI-1”, came “SB-OTHER”" in told.stdout


@pytest.mark.needs("tshark")
def test_the_capture_opens_in_wireshark_frame_by_frame(recording: Path, tmp_path: Path) -> None:
    from proofs.dissector import tshark

    out = tmp_path / "c.pcapng"
    assert runner.invoke(app, ["recording", "capture", str(recording), str(out)]).exit_code == 0
    field = "shuffler.shuffle_completed.count"
    shown = tshark(out, "-Y", 'shuffler.message == "ShuffleCompleted"', "-T", "fields", "-e", field)
    assert shown.split() == ["52"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["show", "NOTHING"], "No such file"),
        (["show", "DAMAGED"], "is damaged"),
        (["show", "CUT"], "cut off"),
        (["show", "NOISE"], "this is no recording"),
        (["replay", "SOUND", "--as", "controller"], "give its address"),
        (["replay", "SOUND", "socket://127.0.0.1:1"], "waits for a controller"),
        (["replay", "SOUND", "socket://127.0.0.1:1", "--as", "controller"], "is the device running?"),
        (["replay", "SOUND", "--speed", "0"], "above 0"),
        (["capture", "SOUND", "/nowhere/at/all"], "No such file"),
    ],
)
def test_what_can_not_be_done_is_said_in_a_sentence(
    arguments: list[str], sentence: str, recording: Path, tmp_path: Path
) -> None:
    sound = recording.read_bytes()
    damaged = bytearray(sound)
    damaged[len(sound) // 2] ^= 0x10
    files = {"SOUND": sound, "DAMAGED": bytes(damaged), "CUT": sound[:-9], "NOISE": b"noise" * 99}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    typed = [str(tmp_path / word) if word in (*files, "NOTHING") else word for word in arguments]
    told = runner.invoke(app, ["recording", *typed])
    assert told.exit_code == 2
    assert sentence in told.stderr
    assert "Traceback" not in told.output


def test_a_recording_that_was_cut_off_is_shown_when_asked(recording: Path, tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(recording.read_bytes()[:-9])
    told = runner.invoke(app, ["recording", "show", "--cut-off", str(tmp_path / "cut")])
    assert told.exit_code == 0
    assert "its end is missing" in told.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["socket://127.0.0.1:1"], "is the device running?"),
        (["socket://127.0.0.1:1", "--bad", "0.1", "--drop", "0.1"], "--bad already has all kinds"),
        (["socket://127.0.0.1:1", "--drop", "0.9", "--delay", "0.9"], "add up to 1.8"),
        (["socket://127.0.0.1:1", "--record", "/nowhere/at/all"], "--record /nowhere/at/all"),
        (["socket://127.0.0.1:1", "--secure", "/nowhere/at/all"], "/nowhere/at/all"),
    ],
)
def test_a_proxy_that_can_not_start_says_why(arguments: list[str], sentence: str) -> None:
    told = runner.invoke(app, ["proxy", *arguments])
    assert told.exit_code == 2
    assert sentence in told.stderr
