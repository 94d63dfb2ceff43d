"""Every check of the bridge has a device that tells that one lie, and is caught; an honest device is not."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from firmware_sim.emulator import Build
from firmware_sim.profile import load as load_profile
from protocol import messages as m
from protocol.vocabulary import CommitKind
from round_engine.rulebook import load
from round_engine.table import Table
from shuffler.bots import Bot, at_random
from shuffler.bridge import Bridge, Note
from shuffler.memory_books import MemoryBooks
from shuffler.session import EventArrived
from shuffler.virtual_table import VirtualTable, quick

RULES = load("south-dakota")

Change = Callable[[m.Event], m.Event]


def card(event: m.GroupRemoved | m.HandDisclosed, face: int) -> m.Event:
    opening = event.opening
    return replace(event, opening=replace(opening, cards=(face, *opening.cards[1:])))


def flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


@dataclass(frozen=True)
class Lying:
    """What the device says wrong, of which event, and how the bridge names it."""

    name: str
    of: type[m.Event]
    change: Change
    found: str
    seat: int | None = None


LIES = (
    Lying("deck_too_small", m.ShuffleCompleted, lambda e: replace(e, count=51), "deck count"),
    Lying("commits_to_nothing", m.ShuffleCompleted, lambda e: replace(e, kind=CommitKind.NOTHING), "commitment"),
    Lying("other_root", m.ShuffleCompleted, lambda e: replace(e, root=flipped(e.root)), "opening"),
    Lying("other_nonce", m.ShuffleCompleted, lambda e: replace(e, nonce=flipped(e.nonce)), "opening"),
    Lying("round_of_yesterday", m.GroupReady, lambda e: replace(e, round=e.round + 7), "round"),
    Lying("two_cards_ready", m.GroupReady, lambda e: replace(e, count=2), "card count"),
    Lying("four_cards_taken", m.GroupRemoved, lambda e: replace(e, count=4), "card count"),
    Lying(
        "a_card_not_named", m.GroupRemoved,
        lambda e: replace(e, opening=replace(e.opening, cards=e.opening.cards[:2])), "card count",
    ),
    Lying("group_left_out", m.GroupReady, lambda e: replace(e, group=e.group + 1), "missing group"),
    Lying("wrong_seat", m.GroupReady, lambda e: replace(e, seat=e.seat % 3 + 1), "seat order", seat=2),
    Lying("other_shuffle", m.GroupRemoved, lambda e: replace(e, shuffle=e.shuffle + 1), "shuffle"),
    Lying("a_joker", m.GroupRemoved, lambda e: card(e, 52), "not in the deck"),
    Lying("unreadable", m.GroupRemoved, lambda e: card(e, 254), "not in the deck"),
    Lying("twice_in_a_hand", m.GroupRemoved, lambda e: card(e, e.opening.cards[1]), "duplicate"),
    Lying("another_card", m.GroupRemoved,
          lambda e: card(e, min(set(range(52)) - set(e.opening.cards))), "opening", seat=1),
    Lying("other_salts", m.GroupRemoved,
          lambda e: replace(e, opening=replace(e.opening, salts=flipped(e.opening.salts))), "opening"),
    Lying("other_proof", m.GroupRemoved,
          lambda e: replace(e, opening=replace(e.opening, proof=flipped(e.opening.proof))), "opening"),
    Lying("other_position", m.GroupRemoved,
          lambda e: replace(e, opening=replace(e.opening, first=e.opening.first + 3)), "position"),
    Lying("player_withheld", m.GroupRemoved, lambda e: replace(e, withheld=True), "withheld", seat=1),
    Lying("dealer_named_early", m.GroupRemoved, lambda e: replace(e, withheld=False), "early", seat=0),
    Lying("dealers_card_changed", m.HandDisclosed, lambda e: card(e, (e.opening.cards[0] + 1) % 52), ""),
    Lying("disclosed_group", m.HandDisclosed, lambda e: replace(e, group=1), "disclosure"),
    Lying("disclosed_round", m.HandDisclosed, lambda e: replace(e, round=e.round + 1), "disclosure"),
    Lying("stub_short", m.StubRemoved, lambda e: replace(e, count=e.count - 1), "stub count"),
    Lying("stub_long", m.StubRemoved, lambda e: replace(e, count=e.count + 1), "stub count"),
)  # fmt: skip


class LiedTo(Bridge):
    """A bridge behind a device that tells one lie once."""

    lie: Lying | None = None
    told = False

    def take(self, happening, now: int) -> None:
        lie = self.lie
        if lie is not None and not self.told and isinstance(happening, EventArrived):
            event = happening.event
            seated = lie.seat is None or getattr(event, "seat", None) == lie.seat
            # the dealer's withheld removal names no card to lie about
            named = not isinstance(event, m.GroupRemoved) or event.opening.cards or lie.seat == 0
            if isinstance(event, lie.of) and seated and named:
                self.told = True
                happening = EventArrived(lie.change(event))
        super().take(happening, now)


def table(lie: Lying | None) -> tuple[VirtualTable, list]:
    bots = [Bot(spot=spot, decide=at_random) for spot in (1, 2, 3)]
    build = quick(Build(profile=load_profile("i-deal-style"), serial="LIAR", seed=5))
    made = VirtualTable(Table(RULES), MemoryBooks(), bots, build, seed=1)
    entries: list = []
    made.desk.watch = entries.extend
    made.play(1)
    entries.clear()
    made.desk.bridge.__class__ = LiedTo
    made.desk.bridge.lie = lie
    made.desk.bridge.told = False
    return made, entries


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.name)
def test_the_lie_is_found_and_no_round_is_settled_on_it(lie: Lying) -> None:
    lied_to, entries = table(lie)
    bridge = lied_to.desk.bridge
    settled = bridge.settled
    for _ in range(2000):
        lied_to.step()
        notes = [entry for entry in entries if isinstance(entry, Note) and entry.kind in ("void", "refused")]
        if notes:
            break
    assert bridge.told
    assert notes, "the lie was believed"
    assert lie.found in notes[0].text
    before_the_lie = 1 if lie.of is m.ShuffleCompleted else 0
    assert bridge.settled - settled <= before_the_lie + 1
    # the money is back and the table plays on with the next deck
    assert bridge.table.ledger.total() == 0
    assert bridge.table.ledger.balance("layout") == 0
    bridge.lie = None
    lied_to.play(2)


def test_an_extra_group_is_found() -> None:
    made, entries = table(None)
    bridge = made.desk.bridge
    while not (bridge.in_round and bridge.deck is not None and bridge.deck.all_dealt):
        made.step()
    extra = m.GroupReady(number=0, time_ms=0, round=bridge.deck.round, group=5, seat=1, count=3)
    made.desk.take([EventArrived(extra)], made.bench.now)
    assert any(isinstance(entry, Note) and "extra group" in entry.text for entry in entries)


def test_an_honest_device_is_believed() -> None:
    made, _ = table(None)
    made.play(50)
    assert made.desk.bridge.void == 0
    assert made.desk.bridge.settled == 51
