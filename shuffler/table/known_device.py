"""What a table knows of its device: who it says it is, which game it deals for these rules, what it promises.

`Unfit` is why a device can't be played at all. A `Lie` is about one deck, which is then not dealt. Pure.
"""

from collections import deque

from protocol import messages as m
from protocol.vocabulary import CommitKind, DeviceFlag
from round_engine.rules.ruleset import RuleSet
from shuffler.table.checks import HAND, DeckWatch, Lie

DECK_CARDS = 52
DECKS_MOST = 8
LAST_ROUND = 0xFFFF_FFFF  # the wire's round numbers have four bytes
NONCES_KEPT = 16  # shuffles asked for and not seen done; a line that is lost again and again leaves some
SERIALS_KEPT = 64
MARKS = DeviceFlag.RIGGED | DeviceFlag.SEEDED
STRENGTH = {CommitKind.NOTHING: 0, CommitKind.SLOTS: 1, CommitKind.ORDER: 2}


class Unfit(Exception):
    """The device can't be played here; the text says why, for people."""


class KnownDevice:
    """One device at a time, from its welcome until another one answers."""

    def __init__(self, rules: RuleSet, seats: int) -> None:
        """`seats`: how many players the device must be able to serve."""
        self.welcome: m.Welcome | None = None
        self.store = ""  # its memory in the books
        self.info: m.Info | None = None
        self.game: m.GameEntry | None = None
        self.last_round = 0  # the highest round number that it has used
        self.least_commitment: CommitKind | None = None  # the operator's word; None: what its kind can give
        self._rules = rules
        self._seats = seats
        self._selected = 0
        self._newest_shuffle = 0
        self.nonces: deque[bytes] = deque(maxlen=NONCES_KEPT)  # each commitment must be made under one of them
        self._strongest: dict[str, CommitKind] = {}  # what each serial has committed to at best

    @property
    def is_met(self) -> bool:
        """Whether everything that a deck is checked against is known."""
        return self.info is not None and self.game is not None

    @property
    def is_shoe(self) -> bool:
        """Whether it deals card by card what was shuffled elsewhere."""
        return self.info is not None and DeviceFlag.SHOE in self.info.flags

    def is_another(self, welcome: m.Welcome) -> bool:
        """Whether somebody else answers now."""
        before = self.welcome
        return before is not None and (before.serial, before.epoch) != (welcome.serial, welcome.epoch)

    def greet(self, welcome: m.Welcome) -> None:
        """It has opened a session."""
        self.welcome = welcome
        self.store = f"{welcome.serial}/{welcome.epoch:016x}"

    def forget(self) -> None:
        """Nothing is known of what comes next; what serials have promised is remembered."""
        self.welcome, self.info, self.game = None, None, None
        self.last_round = self._selected = self._newest_shuffle = 0
        self.nonces.clear()

    # ------------------------------------------------------------------------------------------------------- who it is

    def introduce(self, info: m.Info) -> None:
        """It says what it is; raises Unfit where that can't be, or is not enough to play by."""
        assert self.welcome is not None
        before = self.info
        if info.serial != self.welcome.serial:
            raise Unfit(f"it opened the line as {self.welcome.serial!r} and then called itself {info.serial!r}")
        if before is not None and _lasting(before) != _lasting(info):
            raise Unfit("it first described itself otherwise: its information changed while it was connected")
        if not 1 <= info.decks <= DECKS_MOST:
            raise Unfit(f"it says that it deals from {info.decks} decks")
        if DeviceFlag.SHOE in info.flags and "rotation" not in self._rules.dealing:
            raise Unfit(f"it deals one card at a time, which {self._rules.id} does not allow: use another rule set")
        if info.commits is CommitKind.ORDER and DeviceFlag.READS_FACES not in info.flags:
            raise Unfit("it commits to the order of faces, and says that it does not read them")
        wanted = self._promised(info)
        if STRENGTH[info.commits] < STRENGTH[wanted]:
            raise Unfit(
                f"it commits to {info.commits.name} where {wanted.name} is wanted: the order of its decks could be"
                " changed after the shuffle"
            )
        self.info = info

    def _promised(self, info: m.Info) -> CommitKind:
        """The strongest commitment that its kind can give, that it has given, or that the operator wants."""
        if self.least_commitment is not None:
            return self.least_commitment
        if DeviceFlag.SHOE in info.flags:
            kind = CommitKind.NOTHING
        else:
            kind = CommitKind.ORDER if DeviceFlag.READS_FACES in info.flags else CommitKind.SLOTS
        return max(kind, self._strongest.get(info.serial, kind), key=STRENGTH.__getitem__)

    def choose(self, games: m.Games) -> None:
        """It shows its game menu; raises Unfit where nothing on it fits the rules."""
        fitting = [game for game in games.games if self._objection(game) is None]
        if not fitting:
            menu = "; ".join(f"{game.game} {game.name}: {self._objection(game)}" for game in games.games)
            raise Unfit(f"no game on its menu fits {self._rules.id} ({menu or 'the menu is empty'})")
        selected = [game for game in fitting if game.game == games.selected]
        self.game = (selected or fitting)[0]
        self._selected = games.selected

    def _objection(self, game: m.GameEntry) -> str | None:
        if (game.cards_per_group, game.dealer_cards) != (HAND, HAND):
            return f"{game.cards_per_group} cards a player and {game.dealer_cards} for the dealer, not {HAND}"
        if game.dealer_first:
            return "the dealer's hand comes first, not last"
        if game.deck_cards != DECK_CARDS:
            return f"{game.deck_cards} cards in the deck, not {DECK_CARDS}"
        if game.groups < self._seats:
            return f"{game.groups} players at most, not {self._seats}"
        return None

    # ---------------------------------------------------------------------------------------------------- its numbers

    def heard(self, status: m.Status) -> None:
        """Its status: which game it is set to, and how far its round numbers are."""
        self._selected = status.game
        self.last_round = max(self.last_round, status.round)

    def next_round(self, booked: int) -> int:
        """A number for another round, above all of the device's and the one that is in the books; raises Unfit."""
        last = max(self.last_round, booked)
        if last >= LAST_ROUND:
            raise Unfit(f"its round numbers are used up (the last is {last:,}): it needs a new memory")
        return last + 1

    # ------------------------------------------------------------------------------------------------------ its decks

    def refused_shuffle(self, nonce: bytes) -> None:
        """A shuffle was not carried out."""
        if nonce in self.nonces:
            self.nonces.remove(nonce)

    def shuffled(self, event: m.ShuffleCompleted) -> DeckWatch | None:
        """The deck to watch, or None where it was shuffled for somebody else or another game; raises Lie."""
        info, game = self.info, self.game
        assert info is not None
        assert game is not None
        if event.shuffle <= self._newest_shuffle:
            raise Lie(f"shuffle: number {event.shuffle} came after {self._newest_shuffle}")
        self._newest_shuffle = event.shuffle
        if event.game != game.game:
            if self._selected == game.game:
                raise Lie(f"game: the deck was shuffled for game {event.game}, the device is set to {game.game}")
            return None
        if event.nonce in self.nonces:
            self.nonces.remove(event.nonce)
        elif self.nonces:
            raise Lie("nonce: the shuffle is committed under a nonce that this table did not give")
        else:
            return None  # asked for by the host before this one
        said, meant = (flags & DeviceFlag.SEEDED for flags in (event.flags, info.flags))
        if said != meant:
            raise Lie("seeded: the device and its shuffle do not say the same of where its randomness comes from")
        deck = self._watch(event)
        if STRENGTH[deck.commits] > STRENGTH[self._strongest.get(deck.serial, CommitKind.NOTHING)]:
            if len(self._strongest) >= SERIALS_KEPT:
                del self._strongest[next(iter(self._strongest))]
            self._strongest[deck.serial] = deck.commits
        return deck

    def loaded(self, event: m.DeckLoaded, status: m.Status) -> DeckWatch:
        """A shoe shuffles nothing: what was put in is dealt as it lies, and nothing is committed to."""
        assert self.info is not None
        return self._watch(
            m.ShuffleCompleted(
                number=event.number, time_ms=event.time_ms, shuffle=status.shuffle, count=event.count,
                game=status.game, kind=CommitKind.NOTHING, flags=self.info.flags & MARKS, nonce=bytes(16),
                root=bytes(32),
            )
        )  # fmt: skip

    def _watch(self, shuffled: m.ShuffleCompleted) -> DeckWatch:
        info, welcome, game = self.info, self.welcome, self.game
        assert info is not None
        assert welcome is not None
        assert game is not None
        return DeckWatch(
            serial=welcome.serial,
            epoch=welcome.epoch,
            shuffled=shuffled,
            deck_cards=game.deck_cards * info.decks,
            decks=info.decks,
            commits=info.commits,
            reads_faces=DeviceFlag.READS_FACES in info.flags,
            rotation=self.is_shoe,
        )


def _lasting(info: m.Info) -> tuple[object, ...]:
    """What of its information does not change from deck to deck and from game to game."""
    return info.flags & ~DeviceFlag.RIGGED, info.commits, info.decks, info.profile, info.model, info.firmware
