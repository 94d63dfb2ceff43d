"""Rounds as a journal or a device shows them: groups with their positions, in the order they became known. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from protocol import messages as m
from protocol.cards import card_name
from randomness.monitoring import CARDS, DEALT, GROUP, SeenDeal, deal_of_groups
from shuffler.journal.entries import DealtFrom, DeviceSaid, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRound:
    """One round of one device: its deal, or why there is none."""

    device: str
    round: str
    at: str = ""
    deal: SeenDeal | None = None
    rigged: bool = False
    """A tester had a hand in this shuffle; the device and the journal say so."""
    unusable: str = ""
    impossible: str = ""
    """What no deck of 52 different cards can show."""


@dataclass(slots=True)
class _Open:
    key: tuple[int, int]
    groups: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)


class DealtRounds:
    """Turns events into rounds. A round is over when its stub comes out, or when the next one begins."""

    def __init__(self) -> None:
        self._open: dict[str, _Open] = {}
        self._names: dict[tuple[str, int, int], DealtFrom] = {}

    @property
    def idle(self) -> bool:
        """Whether no round is open: a place to continue from."""
        return not self._open and not self._names

    def take(self, entries: Sequence[Entry], at: str = "") -> Iterator[SeenRound]:
        """The rounds that these entries end."""
        for entry in entries:
            match entry:
                case DealtFrom():
                    self._names[entry.serial, entry.epoch, entry.device_round] = entry
                case DeviceSaid(serial=serial, epoch=epoch, event=event):
                    yield from self.take_event(serial, epoch, event, at)

    def take_event(self, serial: str, epoch: int, event: m.Event, at: str = "") -> Iterator[SeenRound]:
        """The round that this event ends, if any."""
        if not isinstance(event, m.GroupRemoved | m.HandDisclosed | m.StubReady):
            return
        key, held = (epoch, event.round), self._open.get(serial)
        if held is not None and held.key != key:
            yield self._finish(serial, at)
            held = None
        if isinstance(event, m.StubReady):
            if held is not None:
                yield self._finish(serial, at)
            return
        if held is None:
            if isinstance(event, m.HandDisclosed):  # of a round that is over
                return
            held = self._open[serial] = _Open(key)
        if event.opening.cards:
            held.groups.append((event.opening.first, event.opening.cards))

    def _finish(self, serial: str, at: str) -> SeenRound:
        held = self._open.pop(serial)
        epoch, number = held.key
        named = self._names.pop((serial, epoch, number), None)
        if len(self._names) > 16:  # rounds that were announced and never dealt
            self._names.clear()
        return seen_round(
            serial, str(number) if named is None else named.round_id, held.groups, at=at,
            rigged=named is not None and named.rigged,
        )  # fmt: skip


def seen_round(
    device: str, name: str, groups: Sequence[tuple[int, Sequence[int]]], *, at: str = "", rigged: bool = False
) -> SeenRound:
    """A round from its groups; says why where the monitor can't use it."""
    cards = [card for _, group in groups for card in group]
    unusable = impossible = ""
    deal = None
    if not groups:
        unusable = "no group was shown"
    elif any(len(group) != GROUP or first % GROUP or not 0 <= first < DEALT for first, group in groups):
        unusable = f"the monitor watches groups of {GROUP} cards among the first {DEALT}"
    elif any(card >= CARDS for card in cards):
        unusable = f"the device read {card_name(next(card for card in cards if card >= CARDS))}"
    elif twice := sorted({card for card in cards if cards.count(card) > 1}):
        impossible = f"{card_name(twice[0])} twice in one round"
    else:
        deal = deal_of_groups(groups)
    return SeenRound(
        device=device, round=name, at=at, deal=deal, rigged=rigged, unusable=unusable, impossible=impossible
    )
