"""The device's log: chained, bounded, paged to fit a frame; a removed or changed line is found."""

from dataclasses import replace

import pytest

from firmware_sim.program.log import Log
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from protocol.codec import encode_body
from protocol.limits import MAX_BODY
from protocol.log_chain import first_broken
from protocol.messages import LogLine


def written(count: int, capacity: int = 1000) -> Log:
    log = Log(NvStore(), capacity)
    for number in range(count):
        log.write(number * 1000, f"line {number + 1}")
    return log


def all_lines(log: Log) -> list[LogLine]:
    lines: list[LogLine] = []
    while page := log.page(lines[-1].number if lines else 0, 255).lines:
        lines += page
    return lines


def test_an_untouched_log_is_sound_up_to_its_head() -> None:
    log = written(100)
    assert first_broken(all_lines(log), head=log.head) is None


def test_a_changed_line_is_found() -> None:
    lines = all_lines(written(20))
    for at in range(20):
        broken = [*lines[:at], replace(lines[at], text="nothing happened"), *lines[at + 1 :]]
        assert first_broken(broken) == at + 1


def test_a_changed_time_is_found() -> None:
    lines = all_lines(written(20))
    lines[7] = replace(lines[7], time_ms=lines[7].time_ms + 1)
    assert first_broken(lines) == 8


def test_a_removed_line_is_found() -> None:
    lines = all_lines(written(20))
    for at in range(1, 19):
        assert first_broken(lines[:at] + lines[at + 1 :]) == at + 2


def test_a_cut_tail_is_found_by_the_head() -> None:
    log = written(20)
    lines = all_lines(log)
    assert first_broken(lines[:-1]) is None
    assert first_broken(lines[:-1], head=log.head) == 20


def test_two_lines_that_change_places_are_found() -> None:
    lines = all_lines(written(5))
    lines[2], lines[3] = lines[3], lines[2]
    assert first_broken(lines) == 4


def test_an_empty_log_has_the_head_of_nothing() -> None:
    log = Log(NvStore(), 10)
    assert first_broken([], head=log.head) is None
    assert first_broken([], head=b"x" * 32) == 1


def test_the_oldest_lines_go_when_it_is_full_and_the_rest_is_sound() -> None:
    log = written(50, capacity=16)
    lines = all_lines(log)
    assert [line.number for line in lines] == list(range(35, 51))
    assert first_broken(lines, head=log.head) is None


@pytest.mark.parametrize("length", [1, 200])
def test_a_page_fits_a_frame(length: int) -> None:
    log = Log(NvStore(), 1000)
    for _ in range(60):
        log.write(0, "é" * length if length == 1 else "x" * length)
    page = log.page(0, 255)
    assert len(encode_body(page)) <= MAX_BODY
    assert page.lines


def test_it_lasts_through_a_power_cut_and_goes_on() -> None:
    medium = VolatileMedium()
    store = NvStore(medium)
    log = Log(store, 100)
    log.write(1000, "before")
    store.commit()
    log.write(2000, "never committed")
    again = Log(NvStore(medium), 100)
    again.write(3000, "after")
    lines = again.page(0, 10).lines
    assert [line.text for line in lines] == ["before", "after"]
    assert first_broken(lines, head=again.head) is None
