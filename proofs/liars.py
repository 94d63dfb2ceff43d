"""Proof: a device that lies is caught, with the reason, before a cent is paid on its word; an honest one never is.

Each liar is a real emulated device whose every message of one kind is changed on the way to the host, behind the link
and before the session, so that host, core, books and engine take it for the device's own. It tells its lie all the
time; the table must name it again and again, and no round may be settled. Then honest devices of every profile play,
with lines that fail and power that goes, and none may be accused.
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmware_sim.machine import profile as profiles
from firmware_sim.unit.emulator import Build
from proofs.evidence import record
from protocol import messages as m
from protocol.cards import FACES
from protocol.link import LinkEvent, Received
from protocol.vocabulary import CommitKind, DeviceFlag, ErrorCode, PowerUpCause, Role
from round_engine.round.operations import DeclareMisdeal
from round_engine.rules.rulebook import load
from round_engine.table import Table
from shuffler.host.session import Happening, HostSession
from shuffler.journal.entries import DeckRefused, DeviceRefused, Entry, Operated
from shuffler.table import Want
from shuffler.table.players import Bot, at_random
from shuffler.table.values import Unplug
from shuffler.virtual.memory_books import MemoryBooks
from shuffler.virtual.table import VirtualTable, quick

Tell = Callable[[m.Message], m.Message | None]  # None: it is not sent at all
STEPS_MOST = 1_000_000
DECKS_RIGGED = 400
BETWEEN_ROUNDS = (m.PoweredUp, m.DeckLoaded, m.ShuffleProgressed, m.ShuffleCompleted)
RULES = "south-dakota"  # allows dealing in rotation, too


class LiedTo(HostSession):
    """A host whose messages are changed between link and session: honest until somebody says how."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.tell: Tell = lambda message: message  # what the device says
        self.asks: Callable[[m.Message], m.Message] = lambda command: command  # what it is asked
        self.adds: Callable[[m.Message, int], bytes] = lambda *_: b""  # what it says right behind
        self._added: list[bytes] = []

    def receive(self, data: bytes, now: int) -> list[Happening]:
        happenings = super().receive(data, now)
        added, self._added = self._added, []
        for more in added:
            happenings += super().receive(more, now)
        return happenings

    def _handle(self, event: LinkEvent, now: int, happenings: list[Happening]) -> None:
        if isinstance(event, Received):
            message = self.tell(event.message)
            if message is None:
                return
            if more := self.adds(message, now):
                self._added.append(more)
            event = Received(message, event.request)
        super()._handle(event, now, happenings)

    def _send(self, request: int) -> None:
        command = self._open[request]
        asked = self.asks(command)
        if asked is command:
            super()._send(request)
        else:
            self.link.send(asked, request)


# ----------------------------------------------------------------------------------------------------- ways of lying


def saying(kind: type[m.Message], change: Callable[[Any], m.Message | None], seat: int | None = None) -> Tell:
    """Change every message of a kind, or those for one seat."""

    def tell(message: m.Message) -> m.Message | None:
        # The dealer's withheld removal names no card to lie about.
        silent = isinstance(message, m.GroupRemoved) and not message.opening.cards and seat != 0
        if type(message) is not kind or silent or (seat is not None and getattr(message, "seat", seat) != seat):
            return message
        return change(message)

    return tell


def both(*tells: Tell) -> Tell:
    """One change after another."""

    def tell(message: m.Message) -> m.Message | None:
        told: m.Message | None = message
        for one in tells:
            told = None if told is None else one(told)
        return told

    return tell


def with_the_first(kind: type[m.Message], field: str) -> Tell:
    """A field as it was in the first message of the kind."""
    first: list[Any] = []

    def change(message: Any) -> m.Message:
        first.append(getattr(message, field))
        changed: m.Message = replace(message, **{field: first[0]})
        return changed

    return saying(kind, change)


def without_numbers(message: m.Message) -> m.Message:
    """No event has a number, so that a host keeps none."""
    return replace(message, number=0) if isinstance(message, m.Event) else message


def with_another_card(face: Callable[[tuple[int, ...]], int]) -> Callable[[Any], m.Message]:
    """The first card of a group is another one."""

    def change(event: Any) -> m.Message:
        cards = event.opening.cards
        changed: m.Message = replace(event, opening=replace(event.opening, cards=(face(cards), *cards[1:])))
        return changed

    return change


def with_opening(**changes: Callable[[Any], Any]) -> Callable[[Any], m.Message]:
    """Parts of an opening are others."""

    def change(event: Any) -> m.Message:
        parts = {name: other(getattr(event.opening, name)) for name, other in changes.items()}
        changed: m.Message = replace(event, opening=replace(event.opening, **parts))
        return changed

    return change


def with_cards_of_the_first_seat() -> Tell:
    """The second seat gets a card that the first one has."""
    held: list[int] = [0]

    def change(event: Any) -> m.Message:
        if event.seat == 1:
            held[0] = event.opening.cards[0]
            kept: m.Message = event
            return kept
        return with_another_card(lambda _: held[0])(event)

    return saying(m.GroupRemoved, change)


def menu(**changes: Any) -> Tell:
    """Every game on the menu is another one."""
    return saying(m.Games, lambda told: replace(told, games=tuple(replace(game, **changes) for game in told.games)))


def instead_of_the_second_group(other: Callable[[m.GroupReady], m.Event]) -> Tell:
    """Another event under the number of a group that is ready."""
    return saying(m.GroupReady, lambda event: other(event) if event.group == 2 else event)


def shuffled_in_between() -> Tell:
    """A second shuffle while a round is dealt."""
    last: list[m.ShuffleCompleted] = []

    def tell(message: m.Message) -> m.Message:
        if isinstance(message, m.ShuffleCompleted):
            last[:] = [message]
        if isinstance(message, m.GroupReady) and message.group == 2:
            again = last[0]
            return replace(again, number=message.number, shuffle=again.shuffle + 1)
        return message

    return tell


def counting_decks() -> Tell:
    """One deck, then two, then one."""
    asked = [0]

    def change(told: m.Info) -> m.Message:
        asked[0] += 1
        return replace(told, decks=asked[0] % 2 + 1)

    return saying(m.Info, change)


def silent_in_a_round(message: m.Message) -> m.Message | None:
    """Nothing is heard of a round that it has begun."""
    return message if isinstance(message, BETWEEN_ROUNDS) or not isinstance(message, m.Event) else None


def flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


def marks(add: DeviceFlag = DeviceFlag(0), drop: DeviceFlag = DeviceFlag(0)) -> Callable[[Any], m.Message]:
    """Flags are set and cleared."""

    def change(told: Any) -> m.Message:
        changed: m.Message = replace(told, flags=(told.flags | add) & ~drop)
        return changed

    return change


# ------------------------------------------------------------------------------------------------ lies of the machine


def same_deck_each_time(table: VirtualTable) -> None:
    """Every deck is put in the same order."""
    for _ in range(DECKS_RIGGED):
        table.emulator.control.rig_deck(list(range(FACES)))


def own_nonce(table: VirtualTable) -> None:
    """Shuffles are committed under a nonce of the device's own."""

    def lying(command: m.Message) -> m.Message:
        return replace(command, nonce=bytes(range(16))) if isinstance(command, m.Shuffle) else command

    lied_to(table).asks = lying


def closes_by_itself(table: VirtualTable) -> None:
    """The dealer's hand is disclosed as soon as it lies on the table."""

    def lying(message: m.Message, now: int) -> bytes:
        if not isinstance(message, m.GroupRemoved) or not message.withheld:
            return b""
        program = table.emulator.firmware
        program.execute(m.CloseDecisions(round=message.round), Role.DEALER, program.board.now_us)
        table.emulator.receive(b"", now)
        return table.emulator.data_to_send(now)  # nobody can have decided meanwhile

    lied_to(table).adds = lying


@dataclass(frozen=True, kw_only=True)
class Liar:
    """A device, its lie, and how the table names it."""

    name: str
    found: str  # in every reason
    lie: Callable[[], Tell] = lambda: lambda message: message
    rig: Callable[[VirtualTable], None] | None = None
    believed: int = 0  # rounds that are settled before there is anything to compare with
    seats: int = 3
    profile: str = "i-deal-style"
    seeded: bool = True


def liar(name: str, found: str, lie: Tell) -> Liar:
    """One without a memory."""
    return Liar(name=name, found=found, lie=lambda: lie)


TO_NOTHING = both(
    saying(m.Info, lambda told: replace(told, commits=CommitKind.NOTHING)),
    saying(m.ShuffleCompleted, lambda event: replace(event, kind=CommitKind.NOTHING, root=bytes(32))),
)
UNMARKED = saying(m.ShuffleCompleted, marks(drop=DeviceFlag.RIGGED))

LIARS = (
    # what it says it is
    liar("another serial in its info than in its welcome", "called itself",
         saying(m.Info, lambda told: replace(told, serial="ANOTHER"))),
    liar("commits to nothing, in info and shuffle", "commits to NOTHING", TO_NOTHING),
    liar("commits to slots where it reads faces", "commits to SLOTS",
         saying(m.Info, lambda told: replace(told, commits=CommitKind.SLOTS))),
    liar("says that it reads no faces", "does not read them", saying(m.Info, marks(drop=DeviceFlag.READS_FACES))),
    liar("says that it is a shoe", "commitment", saying(m.Info, marks(add=DeviceFlag.SHOE))),
    liar("has no deck", "0 decks", saying(m.Info, lambda told: replace(told, decks=0))),
    Liar(name="another number of decks each time it is asked", found="information changed", profile="dealing-shoe",
         lie=counting_decks, believed=1),
    liar("an empty game menu", "menu is empty", saying(m.Games, lambda told: replace(told, games=()))),
    liar("a menu of five-card games", "5 cards a player", menu(cards_per_group=5)),
    liar("a menu with the dealer first", "comes first", menu(dealer_first=True)),
    liar("a menu for two players", "2 players at most", menu(groups=2)),
    liar("a menu with a joker", "53 cards in the deck", menu(deck_cards=53)),
    liar("its last round has the highest number there is", "used up",
         saying(m.Status, lambda told: replace(told, round=0xFFFFFFFF))),
    liar("no answer to what games it deals", "does not answer ListGames",
         saying(m.Games, lambda _: m.Error(code=ErrorCode.UNSUPPORTED, text="no"))),
    # its decks
    liar("numbers every event 0", "event number", without_numbers),
    liar("51 cards shuffled", "deck count", saying(m.ShuffleCompleted, lambda event: replace(event, count=51))),
    liar("a shuffle that commits to nothing", "commitment",
         saying(m.ShuffleCompleted, lambda event: replace(event, kind=CommitKind.NOTHING))),
    Liar(name="a nonce of its own", found="nonce", rig=own_nonce),
    liar("another nonce than it committed under", "nonce",
         saying(m.ShuffleCompleted, lambda event: replace(event, nonce=flipped(event.nonce)))),
    liar("seeded in its info, not in its shuffles", "seeded",
         saying(m.ShuffleCompleted, marks(drop=DeviceFlag.SEEDED))),
    Liar(name="seeded in its shuffles, not in its info", found="seeded", seeded=False,
         lie=lambda: saying(m.ShuffleCompleted, marks(add=DeviceFlag.SEEDED))),
    Liar(name="the same order each time, with new salts", found="repeat", believed=1,
         rig=same_deck_each_time, lie=lambda: UNMARKED),
    Liar(name="the same, before one player", found="repeat", believed=2, seats=1,
         rig=same_deck_each_time, lie=lambda: UNMARKED),
    Liar(name="the same commitment each time", found="repeat", believed=1,
         lie=lambda: with_the_first(m.ShuffleCompleted, "root")),
    Liar(name="the same shuffle number each time", found="shuffle: number", believed=1,
         lie=lambda: with_the_first(m.ShuffleCompleted, "shuffle")),
    liar("a deck of another game", "game:", saying(m.ShuffleCompleted, lambda event: replace(event, game=4))),
    Liar(name="a shuffle in the middle of a round", found="while another one is dealt", lie=shuffled_in_between),
    # its groups
    liar("another root than it opens", "opening",
         saying(m.ShuffleCompleted, lambda event: replace(event, root=flipped(event.root)))),
    liar("a round of yesterday", "round:", saying(m.GroupReady, lambda event: replace(event, round=event.round + 7))),
    liar("two cards in the tray", "card count", saying(m.GroupReady, lambda event: replace(event, count=2))),
    liar("four cards taken", "card count", saying(m.GroupRemoved, lambda event: replace(event, count=4))),
    liar("a card of the group not named", "card count",
         saying(m.GroupRemoved, with_opening(cards=lambda cards: cards[:2]))),
    liar("a group left out", "missing group",
         saying(m.GroupReady, lambda event: replace(event, group=event.group + 1))),
    liar("a group for another seat", "seat order",
         saying(m.GroupReady, lambda event: replace(event, seat=event.seat % 3 + 1), seat=2)),
    liar("a group of another shuffle", "shuffle",
         saying(m.GroupRemoved, lambda event: replace(event, shuffle=event.shuffle + 1))),
    liar("a joker", "not in the deck", saying(m.GroupRemoved, with_another_card(lambda _: 52))),
    liar("a card that it could not read", "not in the deck", saying(m.GroupRemoved, with_another_card(lambda _: 254))),
    liar("a card twice in a hand", "duplicate", saying(m.GroupRemoved, with_another_card(lambda cards: cards[1]))),
    Liar(name="a card in two hands", found="duplicate", lie=with_cards_of_the_first_seat),
    liar("another card than it committed to", "opening",
         saying(m.GroupRemoved, with_another_card(lambda cards: min(set(range(52)) - set(cards))), seat=1)),
    liar("other salts", "opening", saying(m.GroupRemoved, with_opening(salts=flipped))),
    liar("another proof", "opening", saying(m.GroupRemoved, with_opening(proof=flipped))),
    liar("another place in the deck", "position", saying(m.GroupRemoved, with_opening(first=lambda first: first + 3))),
    liar("a player's hand withheld", "withheld",
         saying(m.GroupRemoved, lambda event: replace(event, withheld=True), seat=1)),
    liar("an event lost on the way", "never seen",
         saying(m.GroupReady, lambda event: None if event.group == 2 else event)),
    liar("no word of a round that it has begun", "nothing has moved", silent_in_a_round),
    # the dealer's hand and the stub
    liar("the dealer's hand named when it is dealt", "early",
         saying(m.GroupRemoved, lambda event: replace(event, withheld=False), seat=0)),
    Liar(name="the dealer's hand disclosed before the decisions", found="early", rig=closes_by_itself),
    liar("a card of the dealer's is another one", "", saying(
        m.HandDisclosed, with_another_card(lambda cards: min(set(range(52)) - set(cards))))),
    liar("a player's group disclosed as the dealer's", "disclosure",
         saying(m.HandDisclosed, lambda event: replace(event, group=1))),
    liar("a disclosure of another round", "disclosure",
         saying(m.HandDisclosed, lambda event: replace(event, round=event.round + 1))),
    liar("a disclosure of another seat", "disclosure", saying(m.HandDisclosed, lambda event: replace(event, seat=2))),
    liar("a card of the stub is missing", "stub count",
         saying(m.StubRemoved, lambda event: replace(event, count=event.count - 1))),
    liar("a card too many in the stub", "stub count",
         saying(m.StubRemoved, lambda event: replace(event, count=event.count + 1))),
    liar("the stub taken after the first group", "stub:", instead_of_the_second_group(
        lambda event: m.StubRemoved(number=event.number, time_ms=event.time_ms, round=event.round, count=49))),
    liar("a stub of another round", "stub: of round",
         saying(m.StubRemoved, lambda event: replace(event, round=event.round + 1))),
)  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- the proof


@dataclass(slots=True)
class Heard:
    """What a table made of a device."""

    settled: int
    void: int
    reasons: Counter[str]  # of void rounds, decks and devices refused, cut before the first figure
    missed: list[str]  # reasons that name something else

    @property
    def caught(self) -> int:
        """How often the lie was named."""
        return self.reasons.total()


class Listening:
    """Collects why rounds were void, and decks and devices refused."""

    def __init__(self) -> None:
        self.reasons: list[str] = []

    def __call__(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            match entry:
                case Operated(DeclareMisdeal(reason=reason), _) | DeckRefused(reason) | DeviceRefused(_, reason):
                    self.reasons.append(reason)


def table_on(profile: str, seats: int, seed: int, *, seeded: bool = True) -> VirtualTable:
    """A table in virtual time with players who toss coins."""
    bots = [Bot(spot=spot, decide=at_random) for spot in range(1, seats + 1)]
    build = quick(Build(profile=profiles.load(profile), serial="LIAR", seed=seed if seeded else None))
    return VirtualTable(Table(load(RULES)), MemoryBooks(), bots, build, seed=seed, session=LiedTo)


def listen_to(liar: Liar, times: int, seed: int = 1) -> Heard:
    """Play until the lie was named so many times."""
    table = table_on(liar.profile, liar.seats, seed, seeded=liar.seeded)
    core, bench, host = table.core, table.bench, table.desk.host
    heard = Listening()
    table.desk.books.listeners.append(heard)
    table.desk.move(Unplug("the liar comes"), table.bench.now)
    bench.pull()
    lied_to(table).tell = liar.lie()
    if liar.rig is not None:
        liar.rig(table)
    table.desk.take(bench.plug(), bench.now)
    for _ in range(STEPS_MOST):
        if len(heard.reasons) >= times:
            break
        if core.wants is Want.ANOTHER:  # refused as a whole: it is plugged in again
            bench.pull()
            table.desk.take(bench.plug(), bench.now)
        table.step()
    host.close(bench.now)
    assert core.table.ledger.total() == 0
    return Heard(
        core.round.settled,
        core.round.void,
        Counter(_in_short(reason) for reason in heard.reasons),
        [reason for reason in heard.reasons if liar.found not in reason],
    )


def lied_to(table: VirtualTable) -> "LiedTo":
    """The host of a table."""
    host = table.desk.host
    assert isinstance(host, LiedTo)
    return host


def _in_short(reason: str) -> str:
    return "".join("#" if one.isdigit() else one for one in reason)[:100]


def honest(profile: str, seats: int, rounds: int, seed: int, every: int = 0) -> Heard:
    """Rounds with an honest device; each `every` rounds its cable is pulled or its power goes."""
    table = table_on(profile, seats, seed, seeded=bool(seed % 2))
    heard = Listening()
    table.desk.books.listeners.append(heard)
    bench = table.bench
    while table.done < rounds:
        table.play(min(every or rounds, rounds - table.done))
        if every:
            for _ in range(table.chance.randrange(200)):  # somewhere in the next round
                table.step()
            if table.chance.random() < 0.5:
                bench.pull()
                table.desk.take(bench.plug(), bench.now)
            else:
                table.emulator.power_cycle(PowerUpCause.POWER_RETURNED, bench.now)
    core = table.core
    accused = [reason for reason in heard.reasons if not reason.startswith(NO_ACCUSATION)]
    return Heard(core.round.settled, core.round.void, Counter(map(_in_short, heard.reasons)), accused)


NO_ACCUSATION = (
    "the device called a misdeal: POWER_CUT",
    "the device does not know this round any more",
    "uncounted: a power cut",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--times", type=int, default=100, help="how often each lie is to be named")
    parser.add_argument("--honest", type=int, default=100_000, help="rounds with honest devices, in all")
    given = parser.parse_args()
    lines = ["| the device's lie | named | rounds settled | the reason given |", "|---|---|---|---|"]
    wrong = 0
    started = time.monotonic()
    for one in LIARS:
        heard = listen_to(one, given.times, given.seed)
        good = heard.caught >= given.times and not heard.missed and heard.settled <= one.believed
        wrong += not good
        reason = heard.reasons.most_common(1)[0][0] if heard.reasons else "NONE"
        lines.append(f"| {one.name} | {heard.caught} | {heard.settled}{'' if good else ' WRONG'} | {reason} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        f"{len(LIARS)} liars. A settled round was the first of its deck, with nothing to compare it with.",
        "",
    ]
    lines += ["| honest device | players | rounds | settled | void | accused |", "|---" * 6 + "|"]
    played = accused = 0
    kinds = [(profile, seats, every) for profile in profiles.names() for seats in (1, 3, 7) for every in (0, 25)]
    for at, (profile, seats, every) in enumerate(kinds):
        rounds = given.honest // len(kinds) + 1
        heard = honest(profile, seats, rounds, given.seed + at, every)
        played += heard.settled + heard.void
        accused += len(heard.missed)
        failing = ", line and power fail" if every else ""
        lines.append(
            f"| {profile}{failing} | {seats} | {heard.settled + heard.void:,} | {heard.settled:,} | {heard.void:,}"
            f" | {len(heard.missed)} |"
        )
        print(lines[-1], f"{time.monotonic() - started:.0f} s", heard.missed[:3], flush=True)
    lines += ["", f"{played:,} honest rounds, {accused} accused."]
    command = f"python -m proofs.liars --times {given.times} --honest {given.honest}"
    record("liars", command=command, seed=given.seed, body="\n".join(lines))
    if wrong or accused:
        raise SystemExit(f"{wrong} liars were believed or misnamed; {accused} honest rounds were accused")


if __name__ == "__main__":
    main()
