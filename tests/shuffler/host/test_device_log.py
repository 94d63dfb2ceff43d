"""A device's log as a file: what was changed, left out or cut is found without the device."""

import json

import pytest

from firmware_sim.machine.profile import load
from firmware_sim.program.log import Log
from firmware_sim.program.nvstore import NvStore
from proofs.bare import Bare
from protocol import messages as m
from shuffler.host.device_log import BadLogFile, DeviceLog, from_text, read_log, to_text


def made(count: int = 30, capacity: int = 1000) -> DeviceLog:
    log = Log(NvStore(), capacity)
    for number in range(count):
        log.write(number * 1_000_000, f"line {number + 1}: Q♠")
    lines: list[m.LogLine] = []
    while page := log.page(lines[-1].number if lines else 0, 255).lines:
        lines += page
    return DeviceLog(serial="SB-1", profile="ace-style", head=log.head, lines=tuple(lines))


def rows(log: DeviceLog) -> list[str]:
    return list(to_text(log))


def test_it_comes_back_from_the_file_as_it_went_and_is_sound() -> None:
    log = made()
    assert from_text("\n".join(rows(log))) == log
    assert log.broken() is None


def test_a_log_whose_oldest_lines_are_gone_is_sound() -> None:
    log = made(60, capacity=20)
    assert log.lines[0].number == 41
    assert from_text("\n".join(rows(log))).broken() is None


@pytest.mark.parametrize("at", [1, 15, 29])
def test_a_changed_and_a_removed_line_are_found(at: int) -> None:
    text = rows(made())
    changed = json.loads(text[at])
    changed["text"] = "nothing happened"
    assert from_text("\n".join([*text[:at], json.dumps(changed), *text[at + 1 :]])).broken() == at
    removed = from_text("\n".join(text[:at] + text[at + 1 :])).broken()
    assert removed == (at + 1 if at > 1 else None)  # lines before the first may have been dropped by the device


def test_a_cut_tail_is_found_by_the_head_in_the_file_or_by_one_noted_elsewhere() -> None:
    log = made()
    assert from_text("\n".join(rows(log)[:-3])).broken() == 28
    shorter = DeviceLog(serial="SB-1", profile="x", head=log.lines[-4].hash, lines=log.lines[:-3])
    assert shorter.broken() is None  # whoever cuts both is found only by a head that he could not reach
    assert shorter.broken(log.head) == 28


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("{}", "not a log as `shuffler device log` writes it: 'device'"),
        ("[1]", "line 1 is not a JSON object"),
        ("{", "line 1 is not JSON"),
        ('{"device": "a", "profile": "b", "head": "00"}', "a hash has 32 bytes, not 1"),
        ('{"device": "a", "profile": "b", "head": "xy"}', "non-hexadecimal"),
    ],
)
def test_what_is_no_log_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadLogFile) as refused:
        from_text(text)
    assert says in str(refused.value)


class Answering:
    """A client whose device is in this process."""

    def __init__(self, device: Bare, busy: int = 0) -> None:
        self._device = device
        self._busy = busy

    def ask(self, command: m.Message, kind: type) -> object:
        if self._busy and isinstance(command, m.GetCounters):
            self._busy -= 1
            self._device.firmware.board.write("one more")
        reply = self._device.do(command)
        assert isinstance(reply, kind)
        return reply


def test_a_log_of_many_pages_is_read_whole_even_while_it_grows() -> None:
    device = Bare(load("i-deal-style"))
    device.run_until(m.PoweredUp)
    for number in range(700):
        device.firmware.board.write(f"entry {number} " + "x" * (number % 90))
    log = read_log(Answering(device, busy=3))  # type: ignore[arg-type]
    assert log.broken() is None
    assert len(log.lines) == device.firmware.board.log.length == 704


@pytest.mark.parametrize(
    "line",
    [
        '{"number": 1, "time_ms": -5, "text": "", "hash": "%s"}',
        '{"number": 4294967296, "time_ms": 0, "text": "", "hash": "%s"}',
        '{"number": Infinity, "time_ms": 0, "text": "", "hash": "%s"}',
        '{"number": 1, "time_ms": 0, "text": "\\ud800", "hash": "%s"}',
        "[" * 100_000 + "%.0s",
    ],
)
def test_numbers_and_texts_that_no_device_writes_are_a_sentence(line: str) -> None:
    first = rows(made())[0]
    with pytest.raises(BadLogFile):
        from_text(first + "\n" + line % ("00" * 32))
