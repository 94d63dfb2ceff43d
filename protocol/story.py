"""One evening at one table: the values that the examples of the messages share.

The root in `ShuffleCompleted` is the root of the deck whose cards `GroupRemoved`, `HandDisclosed` and `Stub` open, so
that a reader can check the examples against each other. Made-up bytes come from SHAKE-128 over their name. Values that
need the messages themselves are functions, called when an example is rendered.
"""

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from protocol.roles import proof, role_key
from protocol.vocabulary import Role

if TYPE_CHECKING:
    from protocol.commitment import Commitment, Context
    from protocol.messages import GameEntry, LogLine, Opening

SERIAL = "SB-000042"
EPOCH = 0x0123456789ABCDEF
SESSION = 0x5E551017
SHUFFLE = 1207
GAME = 1
ROUND = 3021
EVENT = 71
TIME_MS = 5_025_250
UNIX_MS = 1_767_225_600_000
LOG_LENGTH = 4410
ROLE_SECRET = "a supervisor's words"


def made_up(name: str, count: int) -> bytes:
    """Return `count` bytes that look random and are the same in every run."""
    return hashlib.shake_128(f"shuffler-bench/example/{name}".encode()).digest(count)


INSTANCE = made_up("instance", 16)
HOST_NONCE = made_up("host nonce", 16)
SHUFFLE_NONCE = made_up("shuffle nonce", 16)
ROLE_NONCE = made_up("role nonce", 32)


def deck() -> tuple[int, ...]:
    """The cards in dealt order."""
    return tuple(sorted(range(52), key=lambda card: made_up(f"card {card}", 8)))


def context() -> "Context":
    """What the commitment is bound to."""
    from protocol.commitment import Context

    return Context(serial=SERIAL, epoch=EPOCH, shuffle=SHUFFLE, game=GAME, count=52, nonce=SHUFFLE_NONCE)


@cache
def commitment() -> "Commitment":
    """The commitment to the deck."""
    from protocol.commitment import SALT_BYTES, Commitment

    cards = deck()
    return Commitment(context(), cards, made_up("salts", SALT_BYTES * len(cards)))


def root() -> bytes:
    """The commitment's root."""
    return commitment().root


def group_opening() -> "Opening":
    """The opening of the second group."""
    return commitment().opening(3, 3)


def dealer_opening() -> "Opening":
    """The opening of the dealer's group."""
    return commitment().opening(21, 3)


def stub_opening() -> "Opening":
    """The opening of the last four cards."""
    return commitment().opening(48, 4)


def fingerprint() -> bytes:
    """The fingerprint of the catalogue."""
    from protocol.catalogue import fingerprint

    return fingerprint()


def games() -> "tuple[GameEntry, ...]":
    """The game menu."""
    from protocol.messages import GameEntry

    return (
        GameEntry(
            game=1, cards_per_group=3, dealer_cards=3, groups=7, dealer_first=False, deck_cards=52,
            name="Three Card Poker",
        ),
        GameEntry(
            game=2, cards_per_group=5, dealer_cards=5, groups=6, dealer_first=True, deck_cards=52,
            name="Five-card stud",
        ),
    )  # fmt: skip


LOG_BEFORE = made_up("log 4408", 32)


def log_lines() -> "tuple[LogLine, ...]":
    """The last two lines of the log."""
    from protocol.log_chain import chain
    from protocol.messages import LogLine

    lines: list[LogLine] = []
    rows = ((LOG_LENGTH - 1, 5_020_000, "shuffle 1207 complete"), (LOG_LENGTH, 5_024_000, "round 3021 begun"))
    for number, time_ms, text in rows:
        previous = lines[-1].hash if lines else LOG_BEFORE
        lines.append(LogLine(number=number, time_ms=time_ms, hash=chain(previous, number, time_ms, text), text=text))
    return tuple(lines)


def log_head() -> bytes:
    """The hash of the last line of the log."""
    return log_lines()[-1].hash


def role_proof() -> bytes:
    """The answer to the supervisor's challenge."""
    return proof(role_key(ROLE_SECRET), serial=SERIAL, session=SESSION, role=Role.SUPERVISOR, nonce=ROLE_NONCE)
