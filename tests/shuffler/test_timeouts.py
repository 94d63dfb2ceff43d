"""The one table of timeouts."""

from shuffler.timeouts import USUAL, rows


def test_a_shorter_patience_leaves_no_longer_timeout_of_the_table() -> None:
    short = USUAL.within(10)
    assert (short.no_session_us, short.stuck_us, short.give_up_us) == (5_000_000, 6_000_000, 10_000_000)
    assert USUAL.within(300) == USUAL


def test_every_timeout_says_what_waits_and_what_happens_then() -> None:
    for row in rows():
        assert row.seconds > 0
        assert row.waits
        assert row.then
