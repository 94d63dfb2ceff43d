"""`shuffler collect` and `certify --device` from outside, over TCP, a pseudo-terminal and USB."""

import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firmware_sim.machine.profile import load
from firmware_sim.ports import Pty, Tcp
from firmware_sim.ports.serving import Background, Location, background
from firmware_sim.ports.usb import Usb, UsbBus
from firmware_sim.pyusb import EmulatedBackend
from firmware_sim.unit.emulator import Build
from protocol.roles import role_key
from protocol.vocabulary import Role
from randomness.certification.model import decoded
from shuffler.cli import app
from shuffler.transports import usb as usb_transport

pytestmark = pytest.mark.slow
KEYS = {Role.SUPERVISOR: role_key("sun"), Role.TECHNICIAN: role_key("oil"), Role.LABORATORY: role_key("ice")}


TESTED = (0, 1, 3)  # ideal decks fail a certificate one time in a hundred


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(app, [*map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def devices() -> Iterator[Background]:
    """One device on every kind of cable, and a seeded one."""
    bus = UsbBus()
    usb_transport.use_backend(EmulatedBackend(bus))
    build = Build(profile=load("i-deal-style"), serial="C-1", speed=100_000.0, role_keys=KEYS)
    seeded = Build(profile=load("i-deal-style"), serial="C-2", speed=100_000.0, role_keys=KEYS, seed=1)
    try:
        with background(
            [
                Location(build=build, ports=(Tcp(), Pty(), Usb(bus))),
                Location(build=seeded, ports=(Tcp(),)),
            ]
        ) as served:
            yield served
    finally:
        usb_transport.use_backend(None)


def bare_plan(folder: Path) -> tuple[str, Path]:
    """The quick plan without bits and controls of its own, for the sake of time."""
    text = resources.files("randomness.certification").joinpath("plans/quick.toml").read_text(encoding="utf-8")
    before, _, _ = text.partition("[bits]")
    before = before.replace('name      = "quick"', 'name      = "bare"').replace("= 10_000 ", "= 10 ")
    path = folder / "bare.toml"
    path.write_text(before, encoding="utf-8")
    return "--plan", path


def url(devices: Background, kind: str) -> str:
    tcp, pty, usb = devices.served[0].urls
    return {"tcp": tcp.replace("socket://", "tcp://"), "serial": pty, "usb": usb}[kind]


@pytest.mark.parametrize("kind", ["tcp", "serial", "usb"])
def test_decks_over_every_cable_and_their_certificate(devices: Background, kind: str, tmp_path: Path) -> None:
    file, data = tmp_path / "d.jsonl", tmp_path / "r.json"
    code, said = run("collect", url(devices, kind), file, "--decks", 25, "--supervisor", "sun")
    assert (code, "25 decks in" in said) == (0, True), said
    code, said = run("collect", url(devices, kind), file, "--decks", 30, "--supervisor", "sun", "--resume")
    assert code == 0, said
    assert sum(line.startswith('{"deck"') for line in file.read_text().splitlines()) == 30
    code, said = run("certify", "--from", file, "--json", data, *bare_plan(tmp_path))
    assert code in TESTED, said
    record = decoded(data.read_bytes())
    assert record.sample.decks == 30
    assert record.subject.provenance["device"]["serial"] == "C-1"
    assert "sun" not in file.read_text()


def test_a_device_as_the_source_of_a_run(devices: Background, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    where = ("--device", url(devices, "tcp"), "--supervisor", "sun", *bare_plan(tmp_path))
    code, said = run(
        "certify", *where, "--decks", 40, "--json", "r.json", "--collected", "kept.jsonl", *bare_plan(tmp_path)
    )
    assert code in TESTED, said
    record = decoded(Path("r.json").read_bytes())
    assert record.sample.decks == 40
    assert record.reproduce == "shuffler certify --plan bare.toml --from kept.jsonl --decks 40"
    assert run("certify", *where, "--decks", 40, "--collected", "kept.jsonl")[0] == 2  # never written over
    code, said = run("certify", *where, "--decks", 45, "--collected", "kept.jsonl", "--resume")
    assert (code in TESTED, "45 decks" in said) == (True, True), said


def test_sorted_decks_are_tested_against_the_order_before_the_shuffle(devices: Background, tmp_path: Path) -> None:
    file, data = tmp_path / "d.jsonl", tmp_path / "r.json"
    assert run("collect", url(devices, "tcp"), file, "--decks", 30, "--supervisor", "sun", "--sort")[0] == 0
    assert "sorted by the machine" in file.read_text().splitlines()[0]
    code, said = run("certify", "--from", file, "--json", data, *bare_plan(tmp_path))
    assert code in TESTED, said
    tested = {row["test"] for row in json.loads(data.read_text())["results"] if row["p"] is not None}
    assert {"riffle-guess", "shelf-guess"} <= tested


def test_a_seeded_device_is_refused_unless_it_is_a_test(
    devices: Background, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seeded, bare = devices.served[1].urls[0], bare_plan(tmp_path)
    code, said = run("certify", "--device", seeded, "--supervisor", "sun", "--decks", 30)
    assert (code, "marked as seeded" in said, "--test" in said) == (2, True, True)
    assert not list(tmp_path.glob("*.jsonl"))
    code, said = run(
        "certify", "--device", seeded, "--supervisor", "sun", "--decks", 30, "--test", "--json", "r.json", *bare
    )
    assert code in TESTED, said
    assert json.loads(Path("r.json").read_text())["subject"]["test_run"] is True
    assert run("collect", seeded, "d.jsonl", "--decks", 30, "--supervisor", "sun")[0] == 0
    code, said = run("certify", "--from", "d.jsonl")
    assert (code, "30 rows are excluded (marked as seeded); --test counts marked ones" in said) == (2, True), said


def test_a_rigged_deck_in_the_middle_ends_the_run_and_is_not_counted(devices: Background, tmp_path: Path) -> None:
    devices.do(lambda one: one.emulator.control.rig_hands({1: "Q♠ K♠ A♠"}))
    file = tmp_path / "kept.jsonl"
    code, said = run(
        "certify", "--device", url(devices, "tcp"), "--supervisor", "sun", "--decks", 30, "--collected", file
    )
    assert code == 2
    assert "is marked as rigged" in said
    assert not any("rigged" in line and "deck" in line[:8] for line in file.read_text().splitlines())


def test_bits_from_a_device(devices: Background, tmp_path: Path) -> None:
    file, decks, data = tmp_path / "b.bin", tmp_path / "d.jsonl", tmp_path / "r.json"
    words = ("--technician", "oil", "--laboratory", "ice")
    code, said = run("collect", url(devices, "tcp"), file, "--bits", 100_003, *words)
    assert (code, "100,008 bits" in said) == (0, True), said
    assert file.stat().st_size == 12_501
    assert run("bits", file)[0] in TESTED
    assert json.loads((tmp_path / "b.bin.provenance.json").read_text())["provenance"]["device"]["serial"] == "C-1"
    assert run("collect", url(devices, "tcp"), decks, "--decks", 30, "--supervisor", "sun")[0] == 0
    code, said = run("certify", "--from", decks, "--bits", file, "--json", data, *bare_plan(tmp_path))
    assert code in TESTED, said
    record = decoded(data.read_bytes())
    assert record.bits.provenance["device"]["serial"] == "C-1"
    assert record.bits.bits == 100_008
    assert any(row.section == "generator, SP 800-22" and row.p is not None for row in record.results)
    assert record.reproduce.endswith("--bits b.bin")


def test_ctrl_c_leaves_a_whole_file_that_can_be_gone_on_with(devices: Background, tmp_path: Path) -> None:
    file = tmp_path / "d.jsonl"

    def interrupt() -> None:
        for _ in range(2000):
            if file.exists() and file.stat().st_size > 10_000:
                os.kill(os.getpid(), signal.SIGINT)
                return
            time.sleep(0.005)

    hand = threading.Thread(target=interrupt)
    hand.start()
    where = (url(devices, "tcp"), file, "--supervisor", "sun")
    code, said = run("collect", *where, "--decks", 1_000_000)
    hand.join()
    assert code == 130, said
    assert "stopping after the deck in hand" in said
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert lines[-1]["provenance"]["because"] == "stopped"
    many = sum("deck" in line for line in lines)
    assert f"{many:,} decks in {file}" in said
    assert run("collect", *where, "--decks", many + 3, "--resume")[0] == 0


WRONG = {
    "neither": ([], "--decks N, or --bits N"),
    "both": (["--decks", "1", "--bits", "8"], "--decks N, or --bits N"),
    "no supervisor": (["--decks", "1"], "--supervisor WORDS"),
    "no laboratory": (["--bits", "8", "--technician", "oil"], "--laboratory WORDS"),
    "bits can't go on": (["--bits", "8", "--resume"], "bits are read in one go"),
    "wrong words": (["--decks", "1", "--supervisor", "moon"], "does not take these words"),
    "no such game": (["--decks", "1", "--supervisor", "sun", "--game", "99"], "no game 99"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_can_not_be_collected_is_said_in_a_sentence(what: str, devices: Background, tmp_path: Path) -> None:
    arguments, message = WRONG[what]
    code, said = run("collect", url(devices, "tcp"), tmp_path / "x", *arguments)
    assert code == 2
    assert message in said
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir())


def test_a_device_in_secure_mode(tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text("ab" * 32)
    secret = bytes.fromhex("ab" * 32)
    build = Build(profile=load("i-deal-style"), serial="C-3", speed=100_000.0, role_keys=KEYS, key=secret)
    with background([Location(build=build, ports=(Tcp(),))]) as served:
        where = (served.url, tmp_path / "d.jsonl", "--decks", 5, "--supervisor", "sun")
        assert run("collect", *where)[0] == 2
        code, said = run("collect", *where, "--secure", key)
        assert code == 0, said


def test_no_device_there(tmp_path: Path) -> None:
    code, said = run("collect", "tcp://127.0.0.1:9", tmp_path / "x", "--decks", 1, "--supervisor", "sun")
    assert code == 2
    assert "is the device running?" in said


def test_a_device_needs_a_number_of_decks(tmp_path: Path) -> None:
    code, said = run("certify", "--device", "tcp://127.0.0.1:9", "--supervisor", "sun")
    assert code == 2
    assert "--device needs --decks N" in said
