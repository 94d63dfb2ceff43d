"""The front page's picture is drawn from what a terminal was sent."""

from proofs.demo_picture import draw

SENT = (
    "An emulated shuffler is on /dev/pts/1\r\n"
    "\x1b[?25lshuffling 10 %\r\x1b[2Kshuffling 50 %\r\x1b[2Kshuffle 1: 52 cards\r\n"
    "\x1b[1;31m│Q   │\x1b[0m\r\nlast\r\n"
)


def test_progress_that_was_wiped_is_not_drawn_and_cards_are() -> None:
    picture = draw(SENT, columns=80, lines=4)
    assert "shuffler&#160;demo" in picture
    assert "│Q" in picture
    assert "shuffling" not in picture
