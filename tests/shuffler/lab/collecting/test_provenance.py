"""Provenance: who the device says it is, the proof of its program, and no secret."""

import re
from typing import Any

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.unit.verification import installed_image
from shuffler.host.client import Client
from shuffler.lab.collecting import provenance
from shuffler.lab.collecting.provenance import without_secrets


@pytest.mark.slow
def test_the_program_can_be_checked_by_whoever_holds_its_files(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        first, second = (provenance(client, "method", ["collect", "x"]) for _ in range(2))
    device = first["device"]
    image = installed_image("i-deal-style", load("i-deal-style").text)
    proof = device["program_proof"]
    assert image.digest(bytes.fromhex(proof["challenge"])).hex() == proof["hmac_sha256"]
    assert image.digest(bytes(32)).hex() == device["program_sha256"]
    assert proof != second["device"]["program_proof"]
    assert device["program_sha256"] == second["device"]["program_sha256"]
    assert (device["serial"], device["profile"], first["command"]) == ("C-1", "i-deal-style", "shuffler collect x")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first["started"])


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["--supervisor", "sun", "x"], ["--supervisor", "…", "x"]),
        (["--laboratory=ice", "--technician", "oil"], ["--laboratory=…", "--technician", "…"]),
        (["--supervisor", "--technician", "x"], ["--supervisor", "…", "x"]),
        (["--decks", "5"], ["--decks", "5"]),
    ],
)
def test_no_secret_is_written_down(command: list[str], said: list[str]) -> None:
    assert without_secrets(command) == said
