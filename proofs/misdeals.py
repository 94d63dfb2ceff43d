"""Proof: every injected miscount, duplicate, foreign card and wrong order that a profile's sensors can see is found.

`SLIPS` is the table: what is done to the cards, and what each kind of profile makes of it. What a profile can't
see is in it too, as None or as the later finding that it must make instead.
"""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from firmware_sim.control.injections import Trigger
from firmware_sim.machine import profile as profiles
from proofs.bare import Bare
from proofs.controller import Controller
from proofs.evidence import record
from protocol import messages as m
from protocol.cards import FOREIGN
from protocol.vocabulary import FaultCode, MisdealReason, RoundState

Finding = MisdealReason | FaultCode | str | None

READER, COUNTER, SHOE = "reads faces", "counts alone", "shoe"
KINDS = {"i-deal-style": READER, "i-deal-plus-style": READER, "ace-style": COUNTER, "dealing-shoe": SHOE}
_R, _F = MisdealReason, FaultCode


@dataclass(frozen=True, slots=True)
class Slip:
    """What is done before a group leaves (or after the last), and what must be found by each kind of profile."""

    name: str
    do: Callable[[Bare, Random], None]
    found: dict[str, Finding]
    after_the_deal: bool = False


def _already_dealt(device: Bare, chance: Random) -> int:
    deck = device.firmware.deal.deck
    assert deck is not None
    dealt = len(deck.codes) if device.profile.is_shoe else _position(device)
    codes = deck.codes[:dealt] if deck.kind.name != "SLOTS" else bytes(device.control.truth().table)
    return chance.choice(codes)


def _position(device: Bare) -> int:
    deal = device.firmware.deal
    return deal.kept.base + deal.groups[deal.kept.group].first


def _in_group(device: Bare, chance: Random) -> int:
    deal = device.firmware.deal
    return chance.randrange(deal.groups[deal.kept.group].size)


def _duplicate(device: Bare, chance: Random) -> None:
    face = _already_dealt(device, chance)
    device.control.inject("swapped_card", position=_in_group(device, chance), face=face)


def _foreign(device: Bare, chance: Random) -> None:
    device.control.inject("swapped_card", position=_in_group(device, chance), face=FOREIGN)


def _slipped_in(device: Bare, chance: Random) -> None:
    device.control.inject("inserted_card", position=_in_group(device, chance), face=FOREIGN)


def _lost(device: Bare, chance: Random) -> None:
    device.control.inject("lost_card", position=_in_group(device, chance))


def _two_at_once(device: Bare, chance: Random) -> None:
    device.control.inject("double_feed", Trigger(at_card=1 + _in_group(device, chance)))


def _wrong_slot(device: Bare, chance: Random) -> None:
    deal = device.firmware.deal
    device.control.inject("wrong_slot", size=deal.groups[deal.kept.group].size)


def _stray(device: Bare, chance: Random) -> None:
    device.control.inject("stray_card")


def _runs_out(device: Bare, chance: Random) -> None:
    """All but a part of the group's cards are gone: the counter waits in vain."""
    places, size = device.machine.places, device.firmware.deal.groups[device.firmware.deal.kept.group].size
    keep = chance.randrange(size)
    places.move(places.play[keep:], "play", "dropped")


def _exposed(device: Bare, chance: Random) -> None:
    device.control.inject("exposed_card", position=_in_group(device, chance))


# fmt: off
SLIPS: tuple[Slip, ...] = (
    Slip("two cards leave as one",           _two_at_once, {READER: _R.GROUP_COUNT,      COUNTER: _R.DECK_COUNT,   SHOE: _R.GROUP_COUNT}),
    Slip("the cards run out in a group",     _runs_out,    {READER: _R.GROUP_COUNT,      COUNTER: _R.GROUP_COUNT,  SHOE: _R.GROUP_COUNT}),
    Slip("a card is lost inside",            _lost,        {READER: _R.OUT_OF_ORDER,     COUNTER: _R.DECK_COUNT,   SHOE: _F.SHORT_DECK}),
    Slip("a card is slipped in",             _slipped_in,  {READER: _R.CARD_NOT_IN_DECK, COUNTER: _R.DECK_COUNT,   SHOE: _R.CARD_NOT_IN_DECK}),
    Slip("a card dealt before comes again",  _duplicate,   {READER: _R.DUPLICATE_CARD,   COUNTER: None,            SHOE: _R.DUPLICATE_CARD}),
    Slip("a card of no deck",                _foreign,     {READER: _R.CARD_NOT_IN_DECK, COUNTER: None,            SHOE: _R.CARD_NOT_IN_DECK}),
    Slip("another group comes first",        _wrong_slot,  {READER: _R.OUT_OF_ORDER,     COUNTER: None,            SHOE: None}),
    Slip("a card leaves unasked",            _stray,       {READER: _R.OUT_OF_ORDER,     COUNTER: _R.OUT_OF_ORDER, SHOE: _R.OUT_OF_ORDER}),
    Slip("a card leaves after the last group", _stray,     {READER: _R.PAST_THE_STUB,    COUNTER: _R.PAST_THE_STUB, SHOE: _R.PAST_THE_STUB}, True),
    Slip("a card turns over (no misdeal)",   _exposed,     {READER: "exposed",           COUNTER: None,            SHOE: "exposed"}),
)
# fmt: on

WHY_NOT = {
    ("a card dealt before comes again", COUNTER): "faces are not read",
    ("a card of no deck", COUNTER): "faces are not read",
    ("another group comes first", COUNTER): "faces are not read, and each group has its number of cards",
    ("another group comes first", SHOE): "a shoe has no order to compare with: it learns each card as it is drawn",
    ("a card turns over (no misdeal)", COUNTER): "faces are not read",
}


def one(injection: Slip, profile: str, seed: int) -> Finding:
    """Play one round with the injection before a random group; the first thing that the device found."""
    chance = Random(seed)
    device = Bare(profiles.load(profile), seed=seed)
    controller = Controller(device.do, seats=chance.randrange(1, 128), shoe=device.profile.is_shoe, groups=1)
    begun = False
    at = 0
    done = False
    for _ in range(3000):
        deal = device.firmware.deal
        if deal.round_state is RoundState.DEALING and not begun:
            begun, at = True, chance.randrange(1, len(deal.groups))
        ready = deal.state.name == "READY" and deal.round_state is RoundState.DEALING and deal.kept.group == at
        late = deal.round_state is RoundState.DECIDING
        if begun and not done and (late if injection.after_the_deal else ready):
            injection.do(device, chance)
            done = True
        found = _first_finding(device)
        if found is not None:
            return found
        if late and not device.profile.is_shoe and not injection.after_the_deal:
            device.do(m.EjectStub())  # the stub is counted before the decisions close
            if deal.state.name == "NO_DECK" and done:
                return None
        elif late and done and device.profile.is_shoe and not injection.after_the_deal:
            controller.act()
            device.do(m.EjectStub())
        elif not late and not controller.act() and done and deal.state.name == "NO_DECK":
            return None
        if not device.step() and done:
            return _first_finding(device)
    raise AssertionError(f"{injection.name} on {profile}, seed {seed}: the round did not end ({done=})")


def _first_finding(device: Bare) -> Finding:
    for event in device.events.after(0):
        if isinstance(event, m.Misdealt):
            return event.reason
        if isinstance(event, m.FaultRaised):
            return event.code
        if isinstance(event, m.CardExposed):
            return "exposed"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One cell of the table, tried many times."""

    injection: str
    profile: str
    expected: Finding
    tried: int
    found: int
    others: tuple[str, ...]


def run(trials: int, seed: int) -> Iterator[Row]:
    """Every injection on every profile."""
    for injection in SLIPS:
        for profile, kind in KINDS.items():
            expected = injection.found[kind]
            got = [one(injection, profile, seed * 1_000_003 + trial) for trial in range(trials)]
            others = tuple(sorted({say(finding) for finding in got if finding is not expected}))
            yield Row(
                injection=injection.name,
                profile=profile,
                expected=expected,
                tried=trials,
                found=sum(finding is expected for finding in got),
                others=others,
            )


def say(finding: Finding) -> str:
    """A finding for a table."""
    if finding is None:
        return "not seen"
    if isinstance(finding, str):
        return "recorded, no misdeal"
    return ("misdeal " if isinstance(finding, MisdealReason) else "fault ") + finding.name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--trials", type=int, default=500)
    given = parser.parse_args()
    lines = ["| injected | profile | must be | tried | found so | else |", "|---|---|---|---|---|---|"]
    wrong = 0
    for row in run(given.trials, given.seed):
        why = WHY_NOT.get((row.injection, KINDS[row.profile]), "")
        expected = say(row.expected) + (f": {why}" if why else "")
        lines.append(
            f"| {row.injection} | {row.profile} | {expected} | {row.tried} | {row.found} | {', '.join(row.others)} |"
        )
        print(lines[-1], flush=True)
        wrong += row.tried - row.found
    lines += ["", f"{wrong} of all trials were found to be something else than the table says."]
    record("misdeals", command=f"python -m proofs.misdeals --trials {given.trials}", seed=given.seed, body="\n".join(lines))
    if wrong:
        raise SystemExit(f"{wrong} trials went otherwise")


if __name__ == "__main__":
    main()
