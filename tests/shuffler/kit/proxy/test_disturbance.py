"""What a proxy does to frames: each kind by itself, counted, repeated from its seed, and nothing when quiet."""

from random import Random

import pytest

from protocol.framing import Framer, pack_header, wrap
from shuffler.kit.proxy.disturbance import KINDS, Disturbance, Disturbed

FRAMES = [wrap(pack_header(0, 0x11, 7, number, 0, number), b"") for number in range(1, 201)]


def carried(how: Disturbance, seed: int = 1, pieces: list[bytes] | None = None) -> tuple[Disturbed, list[bytes]]:
    """All that comes out in the end."""
    line = Disturbed(how, Random(seed))
    out: list[bytes] = []
    now = 0
    for piece in pieces or FRAMES:
        now += 1000
        line.feed(piece, now)
        out += line.due(now)
    while (due := line.next_due()) is not None:
        out += line.due(due)
    return line, out


def numbers(pieces: list[bytes]) -> list[int]:
    return [frame.sequence for frame in Framer().feed(b"".join(pieces))]


def test_a_quiet_line_passes_bytes_as_they_come() -> None:
    line, out = carried(Disturbance())
    assert out == FRAMES
    assert line.counted.bad == 0


def test_dropped_frames_are_gone_and_the_others_whole() -> None:
    line, out = carried(Disturbance(drop=0.3))
    assert len(numbers(out)) == 200 - line.counted.dropped
    assert 30 < line.counted.dropped < 90


def test_corrupted_frames_are_noticed_by_the_framer() -> None:
    line, out = carried(Disturbance(corrupt=0.3))
    assert 30 < line.counted.corrupted < 90
    assert 200 - line.counted.corrupted <= len(numbers(out)) < 200


def test_duplicated_frames_come_twice() -> None:
    line, out = carried(Disturbance(duplicate=0.3))
    found = numbers(out)
    assert len(found) == 200 + line.counted.duplicated
    assert sorted(set(found)) == list(range(1, 201))


def test_reordered_frames_are_overtaken_by_the_next_and_none_is_lost() -> None:
    line, out = carried(Disturbance(reorder=0.3))
    found = numbers(out)
    assert found != sorted(found)
    assert sorted(found) == list(range(1, 201))
    assert line.counted.reordered > 20


def test_a_last_frame_that_none_follows_comes_all_the_same() -> None:
    assert numbers(carried(Disturbance(reorder=1.0), pieces=FRAMES[:1])[1]) == [1]


def test_delayed_frames_come_later() -> None:
    line = Disturbed(Disturbance(delay=1.0, delay_us=500_000), Random(1))
    line.feed(FRAMES[0], 0)
    assert line.due(0) == []
    due = line.next_due()
    assert due is not None
    assert 0 < due <= 500_000
    assert numbers(line.due(due)) == [1]


def test_split_frames_come_in_two_writes() -> None:
    line, out = carried(Disturbance(split=1.0))
    assert len(out) == 400
    assert numbers(out) == list(range(1, 201))
    assert line.counted.split == 200


def test_frames_cut_anywhere_are_disturbed_as_frames() -> None:
    stream = b"".join(FRAMES)
    pieces = [stream[at : at + 7] for at in range(0, len(stream), 7)]
    assert numbers(carried(Disturbance(drop=0.3), pieces=pieces)[1]) == numbers(carried(Disturbance(drop=0.3))[1])


def test_the_same_seed_does_the_same_and_another_does_not() -> None:
    bad = Disturbance.bad(0.2)
    assert carried(bad)[1] == carried(bad)[1]
    assert carried(bad)[1] != carried(bad, seed=2)[1]


def test_bad_shares_its_frames_among_all_kinds() -> None:
    line, _ = carried(Disturbance.bad(0.5))
    counted = line.counted
    assert 70 < counted.bad < 130
    done = (counted.dropped, counted.corrupted, counted.duplicated, counted.reordered, counted.delayed)
    assert len(done) == len(KINDS)
    assert all(done)


@pytest.mark.parametrize("how", [Disturbance(), Disturbance.bad(0.5)])
def test_a_pulled_cable_loses_what_is_under_way(how: Disturbance) -> None:
    line = Disturbed(how, Random(1))
    line.feed(FRAMES[0] + FRAMES[1][:5], 0)
    line.clear()
    assert line.next_due() is None
    line.feed(FRAMES[2], 10)
    assert numbers(line.due(10_000_000)) in ([3], [])


def test_noise_without_an_end_is_passed_on_and_not_kept() -> None:
    line = Disturbed(Disturbance.bad(0.1), Random(1))
    for _ in range(100):
        line.feed(b"\x55" * 1000, 0)
    assert sum(map(len, line.due(0))) > 90_000
