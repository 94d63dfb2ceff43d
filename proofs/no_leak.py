"""Proof: no undealt card leaves the device. Two decks with the same dealt cards and different undealt ones give the
same conversation, byte for byte and microsecond for microsecond, but for the commitment (roots and sibling hashes).

The host asks everything a dealer may ask at every turn. Two firmwares that leak, one by what they say and one by when
they say it, must be caught.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from firmware_sim import profile as profiles
from firmware_sim.deal import Deal
from firmware_sim.emulator import Build
from firmware_sim.firmware import Firmware
from proofs.evidence import record
from proofs.table import Table, build
from protocol import messages as m
from protocol.cards import card_name
from protocol.codec import encode_body, number_of
from protocol.messages import Opening
from protocol.vocabulary import DealState

QUESTIONS: tuple[m.Message, ...] = (
    m.GetStatus(),
    m.GetInfo(),
    m.GetCounters(),
    m.ListGames(),
    m.ReadLog(after=0, limit=255),
    m.ReadStub(),
    m.RecallHand(round=1, seat=1),
    m.RecallHand(round=1, seat=0),
    m.Verify(challenge=bytes(32)),
)
MAX_STEPS = 4000


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the device, with the commitment blotted out: when, what, how long."""

    at_us: int
    number: int
    body: bytes


def blot(message: m.Message) -> m.Message:
    """The message without roots and sibling hashes; salts open dealt cards alone and stay."""
    match message:
        case m.ShuffleCompleted():
            return replace(message, root=bytes(32))
        case m.GroupRemoved() | m.HandDisclosed():
            return replace(message, opening=_blot_opening(message.opening))
    return message


def _blot_opening(opening: Opening) -> Opening:
    return replace(opening, proof=bytes(len(opening.proof)))


class Overheard(Table):
    """A table whose every message to the host is noted."""

    def __init__(self, made: Build, seats: int) -> None:
        self.said: list[Said] = []
        super().__init__(made, seats=seats)

    def note(self, message: m.Message) -> None:
        """One message has come."""
        self.said.append(Said(self.bench.now, number_of(message), encode_body(blot(message))))


def transcript(made: Build, order: list[int], seats: int) -> list[Said]:
    """Everything the device says in a round from a deck of that order, until the stub is out and a dealer may know no
    more."""
    table = Overheard(made, seats)
    table.emulator.control.next_deck(order)
    events = 0
    asked = -1
    for _ in range(MAX_STEPS):
        for event in [*table.passed, *table.events[events:]]:
            table.note(event)
        table.passed.clear()
        events = len(table.events)
        if events != asked:
            asked = events
            for question in QUESTIONS:
                table.note(table.do(question))
            closed, state = table.controller.closed, table.emulator.firmware.deal.state
            if closed and state in (DealState.NO_DECK, DealState.READY):
                return table.said
            while not closed and table.controller.act():
                pass
            if closed and state is DealState.STUB_INSIDE:
                table.controller.act()
        if len(table.events) == events:
            table.step()
    raise AssertionError("the round did not end")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two decks that differ in their undealt cards alone, and where the two conversations part."""

    profile: str
    seed: int
    messages: int
    difference: str | None


def compare(profile: str, seed: int, program: type[Firmware] = Firmware) -> Pair:
    """Deal one round from each of two such decks."""
    chance = Random(seed)
    made = build(profile, seed, program=program)
    seats = chance.randrange(1, 128)
    dealt = 3 * (seats.bit_count() + 1)
    deck = list(range(52))
    chance.shuffle(deck)
    rest = deck[dealt:]
    while rest == deck[dealt:]:
        chance.shuffle(rest)
    first = transcript(made, deck, seats)
    second = transcript(made, deck[:dealt] + rest, seats)
    return Pair(profile=profile, seed=seed, messages=len(first), difference=_difference(first, second))


def _difference(first: list[Said], second: list[Said]) -> str | None:
    for index, (a, b) in enumerate(zip(first, second, strict=False)):
        if a != b:
            what = "time" if (a.number, a.body) == (b.number, b.body) else "content"
            return f"{what} of message {index} (0x{a.number:02x} at {a.at_us} us)"
    return None if len(first) == len(second) else f"{len(first)} messages against {len(second)}"


# ------------------------------------------------------------------------------------------------- firmwares that leak


def _undealt(deal: Deal) -> int:
    """A card that nobody may know: the last one of the deck, as the machine has it."""
    machine = deal._board.machine
    return machine.faces[machine.places.play[-1]] if machine.places.play else 0


class TalkativeDeal(Deal):
    """Names an undealt card in the log, where ReadLog finds it."""

    def close(self, number: int) -> m.Error | None:
        self._board.write(f"bottom card {card_name(_undealt(self))}")
        return super().close(number)


class SlowDeal(Deal):
    """Delivers a third of a millisecond later when an undealt card is red."""

    def _deliver(self) -> None:
        now_us = self._board.now_us
        self._board.now_us = now_us + (333 if _undealt(self) // 13 in (1, 2) else 0)
        super()._deliver()
        self._board.now_us = now_us


class Talkative(Firmware):
    """Leaks by content."""

    deal_type = TalkativeDeal


class Slow(Firmware):
    """Leaks by timing."""

    deal_type = SlowDeal


def run(pairs: int, seed: int) -> Iterator[Pair]:
    """So many pairs on each profile."""
    for profile in profiles.names():
        for index in range(pairs):
            yield compare(profile, seed * 1_000_003 + index)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=250, help="for each profile")
    given = parser.parse_args()
    lines = ["| firmware | profile | pairs | messages compared | pairs that differ |", "|---|---|---|---|---|"]
    wrong: list[str] = []
    for profile in profiles.names():
        found = [compare(profile, given.seed * 1_000_003 + index) for index in range(given.pairs)]
        differ = [pair for pair in found if pair.difference is not None]
        messages = sum(pair.messages for pair in found)
        lines.append(f"| the product's | {profile} | {given.pairs} | {messages} | {len(differ)} |")
        print(lines[-1], flush=True)
        wrong += [f"{pair.profile}, seed {pair.seed}: {pair.difference}" for pair in differ]
    few = range(max(4, given.pairs // 10))
    for program, name in ((Talkative, "leaks by content"), (Slow, "leaks by timing")):
        for profile in profiles.names():
            found = [compare(profile, given.seed * 1_000_003 + index, program) for index in few]
            differ = [pair for pair in found if pair.difference is not None]
            lines.append(f"| {name} | {profile} | {len(found)} | {sum(p.messages for p in found)} | {len(differ)} |")
            print(lines[-1], flush=True)
            if not differ:
                wrong.append(f"the firmware that {name} was not caught on {profile}")
    lines += ["", *(f"- {problem}" for problem in wrong)]
    record("no-leak", command=f"python -m proofs.no_leak --pairs {given.pairs}", seed=given.seed, body="\n".join(lines))
    if wrong:
        raise SystemExit(f"{len(wrong)} problems")


if __name__ == "__main__":
    main()
