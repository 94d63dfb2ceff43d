"""A conversation to the last byte: `python -m proofs.transcript PROFILE` prints the digests of its wire and of its log.

Same profile, set-up, seed and commands must give the same two digests in any process on any machine.
"""

import argparse
from dataclasses import replace
from hashlib import sha256
from typing import NamedTuple

from firmware_sim.control import setup as setups
from firmware_sim.machine import profile as profiles
from proofs.table import Table, build
from protocol import messages as m

SETUP = """
about = "a hand to look at, a jam now and then, a power cut, a pulled cable"
[[deck]]
hands = { 2 = "Q♠ K♠ A♠" }
[[fault]]
name = "jam_exit"
rate = 0.01
times = 0
[[fault]]
name = "power_cut"
when = "group=3"
[[fault]]
name = "cable_pulled"
at_s = 120.0
"""


class Transcript(NamedTuple):
    """Every piece of data on the wire, both ways, and every line of the log."""

    wire: list[bytes]
    log: list[m.LogLine]

    @property
    def digests(self) -> str:
        """Two numbers that a person can compare."""
        wire, log = sha256(), sha256()
        for piece in self.wire:
            wire.update(len(piece).to_bytes(4, "little") + piece)
        for line in self.log:
            log.update(repr(line).encode())
        return f"wire {wire.hexdigest()} log {log.hexdigest()}"


def converse(profile: str, seed: int, rounds: int = 3, setup: str = SETUP) -> Transcript:
    """Play so many rounds over the wire under a set-up."""
    table = Table(replace(build(profile, seed), setup=setups.parse("transcript", setup)), captured=True)
    table.play_rounds(rounds)
    lines: list[m.LogLine] = []
    while True:
        page = table.do(m.ReadLog(after=len(lines), limit=255))
        assert isinstance(page, m.LogPage)
        if not page.lines:
            break
        lines += page.lines
    assert table.bench.capture is not None
    return Transcript(table.bench.capture, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("profile", choices=profiles.names())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(converse(given.profile, given.seed, given.rounds).digests)


if __name__ == "__main__":
    main()
