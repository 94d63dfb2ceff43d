"""Proof: no undealt card leaves the device. Two decks with the same dealt cards and different undealt ones give the
same conversation, byte for byte and microsecond for microsecond, but for the commitment (roots and sibling hashes).

What is compared is what the device put on the line: each piece with its time, each frame's bytes. Where a frame holds a
commitment, its header, its length and its body with the hashes blotted out are compared instead. The host asks
everything that its role may ask at every turn. Two firmwares that leak, one by what they say and one by when they say
it, must be caught.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from firmware_sim.machine import profile as profiles
from firmware_sim.program.deal import Deal
from firmware_sim.program.effects import Effects, Start
from firmware_sim.program.firmware import Firmware
from firmware_sim.unit.emulator import Build
from proofs.evidence import record
from proofs.table import Table, build
from protocol import messages as m
from protocol.cards import card_name
from protocol.codec import decode_body, encode_body
from protocol.framing import Frame, Framer
from protocol.messages import Opening
from protocol.vocabulary import DealState, Role

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
    m.SelfTest(),
    m.ReadRandom(count=16),
)
MAX_STEPS = 4000


class Said(NamedTuple):
    """One frame of the device: its bytes on the line, or where it holds a commitment, what is left without that."""

    number: int
    line: bytes
    frame: Frame | None
    length: int


class Piece(NamedTuple):
    """What the device put on the line at one time."""

    at_us: int
    said: tuple[Said, ...]


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


def hear(data: bytes) -> tuple[Said, ...]:
    """The frames of a piece of data."""
    lines = [line for line in data.split(b"\0") if line]
    frames = Framer().feed(data)
    assert len(frames) == len(lines)
    said = []
    for line, frame in zip(lines, frames, strict=True):
        message = decode_body(frame.message, frame.body)
        blotted = blot(message)
        if blotted == message:
            said.append(Said(frame.message, line, None, len(line)))
        else:
            said.append(Said(frame.message, b"", frame._replace(body=encode_body(blotted)), len(frame.body)))
    return tuple(said)


class Overheard(Table):
    """A table with somebody at the line who notes what the device sends, and when."""

    def _watch_hands(self) -> None:
        super()._watch_hands()
        self.pieces: list[Piece] = []
        send = self.emulator.data_to_send

        def heard(now: int) -> bytes:
            data = send(now)
            if data:
                self.pieces.append(Piece(now, hear(data)))
            return data

        self.emulator.data_to_send = heard  # type: ignore[method-assign]


def transcript(made: Build, orders: list[list[int]], seats: int, role: Role) -> list[Piece]:
    """All that the device sends in a round from the first of these decks, the second being staged meanwhile.

    To a supervisor, who may know the stub, that ends when the stub leaves; to the others when it is out.
    """
    table = Overheard(made, seats=seats, prestage=len(orders) > 1)
    if role is not Role.DEALER:
        table.prove(role)
    for order in orders:
        table.emulator.control.rig_deck(order)
    asked = -1
    for _ in range(MAX_STEPS):
        events = len(table.events)
        if events != asked:
            asked = events
            for question in QUESTIONS:
                table.do(question)
            closed, state = table.controller.closed, table.emulator.firmware.deal.state
            if closed and (state in (DealState.NO_DECK, DealState.READY) or role is Role.SUPERVISOR):
                return table.pieces
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
    role: Role
    staged: bool  # whether the next deck came in meanwhile, with quite another order
    messages: int
    octets: int
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
    role = chance.choice(list(Role))
    staged = made.profile.build.prestages and chance.random() < 0.5
    one, other = [deck], [deck[:dealt] + rest]
    if staged:  # nothing of the next deck is dealt: all of it may differ
        for orders in (one, other):
            orders.append(chance.sample(deck, len(deck)))
    first = transcript(made, one, seats, role)
    second = transcript(made, other, seats, role)
    said = [frame for piece in first for frame in piece.said]
    return Pair(
        profile=profile,
        seed=seed,
        role=role,
        staged=staged,
        messages=len(said),
        octets=sum(frame.length for frame in said),
        difference=_difference(first, second),
    )


def _difference(first: list[Piece], second: list[Piece]) -> str | None:
    for index, (a, b) in enumerate(zip(first, second, strict=False)):
        if a.said != b.said:
            what = next((x.number for x, y in zip(a.said, b.said, strict=False) if x != y), 0)
            return f"content of piece {index} (message 0x{what:02x} at {a.at_us} us)"
        if a.at_us != b.at_us:
            return f"time of piece {index} ({a.at_us} us against {b.at_us} us)"
    return None if len(first) == len(second) else f"content: {len(first)} pieces against {len(second)}"


# ------------------------------------------------------------------------------------------------- firmwares that leak


def _undealt(deal: Deal) -> int:
    """A card that nobody may know: the last one of the deck, as the machine has it."""
    machine = deal._board.machine
    return machine.faces[machine.places.play[-1]] if machine.places.play else 0


class TalkativeDeal(Deal):
    """Names an undealt card in the log, where ReadLog finds it."""

    def close(self, number: int) -> m.Error | Effects:
        self._board.write(f"bottom card {card_name(_undealt(self))}")
        return super().close(number)


class SlowDeal(Deal):
    """Delivers a tenth of a millisecond a card later when an undealt card is red."""

    def _delivery(self) -> Start:
        delivery = super()._delivery()
        return delivery._replace(card_us=delivery.card_us + (111 if _undealt(self) // 13 in (1, 2) else 0))


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


def _row(firmware: str, profile: str, found: list[Pair]) -> str:
    frames, octets = sum(pair.messages for pair in found), sum(pair.octets for pair in found)
    differ = sum(pair.difference is not None for pair in found)
    return f"| {firmware} | {profile} | {len(found)} | {frames} | {octets} | {differ} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=int, default=250, help="for each profile")
    given = parser.parse_args()
    lines = ["| firmware | profile | pairs | frames compared | bytes compared | pairs that differ |", "|---" * 6 + "|"]
    wrong: list[str] = []
    for profile in profiles.names():
        found = [compare(profile, given.seed * 1_000_003 + index) for index in range(given.pairs)]
        differ = [pair for pair in found if pair.difference is not None]
        lines.append(_row("the product's", profile, found))
        print(lines[-1], flush=True)
        wrong += [f"{pair.profile}, seed {pair.seed}: {pair.difference}" for pair in differ]
    few = range(max(4, given.pairs // 10))
    for program, name in ((Talkative, "leaks by content"), (Slow, "leaks by timing")):
        for profile in profiles.names():
            found = [compare(profile, given.seed * 1_000_003 + index, program) for index in few]
            differ = [pair for pair in found if pair.difference is not None]
            lines.append(_row(name, profile, found))
            print(lines[-1], flush=True)
            if not differ:
                wrong.append(f"the firmware that {name} was not caught on {profile}")
    roles = "Each pair is asked as a dealer, a supervisor, a technician or a laboratory, by lot; where a profile can, "
    roles += "the next deck is staged meanwhile in half of them, in two quite different orders."
    lines += ["", roles, "", *(f"- {problem}" for problem in wrong)]
    record("no-leak", command=f"python -m proofs.no_leak --pairs {given.pairs}", seed=given.seed, body="\n".join(lines))
    if wrong:
        raise SystemExit(f"{len(wrong)} problems")


if __name__ == "__main__":
    main()
