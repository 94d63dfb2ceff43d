"""The USB/IP fuzz at its small size, and that it can find something."""

import pytest

from firmware_sim.ports.usb.device import UsbDevice
from firmware_sim.ports.usb.usbip_session import UsbipSession
from proofs.usbip_fuzz import cut_everywhere, run


@pytest.mark.slow
def test_fuzzed_connections_leave_nothing_behind() -> None:
    outcome = run(3000, seed=1)
    assert outcome.problems == []
    assert outcome.imports > 1000
    assert outcome.violations > 500
    assert outcome.over_sockets == 15


@pytest.mark.slow
def test_a_connection_may_be_cut_at_any_byte() -> None:
    outcome = cut_everywhere(stride=7)
    assert outcome.problems == []
    assert outcome.over_sockets > 400


def test_a_session_that_keeps_its_device_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UsbipSession, "connection_lost", lambda self: None)
    assert any("not given back" in problem for problem in run(60, seed=1).problems)


def test_a_server_that_answers_differently_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    real = UsbDevice.halt

    def forgetful(self: UsbDevice, address: int) -> bool:
        calls.append(1)
        return real(self, address) if len(calls) == 1 else False

    monkeypatch.setattr(UsbDevice, "halt", forgetful)
    assert any("other answers" in problem for problem in run(2, seed=1).problems)


def test_a_leak_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = []
    real = UsbipSession.data_to_send

    def hoarding(self: UsbipSession) -> bytes:
        data = real(self)
        kept.append([bytes((n, 1)) for n in range(40)])
        return data

    monkeypatch.setattr(UsbipSession, "data_to_send", hoarding)
    assert any("memory grew" in problem for problem in run(400, seed=1).problems)
