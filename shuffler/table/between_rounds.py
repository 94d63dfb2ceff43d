"""No round is open: a fresh, checked deck of the right game is brought into play, by the device's status alone."""

from collections.abc import Callable

from protocol import messages as m
from protocol.vocabulary import DealState, InfeedState, Mode, PowerState, RoundState
from shuffler.table.asking import Asking
from shuffler.table.known_device import KnownDevice
from shuffler.table.round_in_play import RoundInPlay

DECK_IN_PLAY = (DealState.READY, DealState.STUB_INSIDE, DealState.MISDEALT)


class Preparing:
    """What is done between two rounds; raises Lie and Unfit as the device's word deserves."""

    def __init__(self, device: KnownDevice, play: RoundInPlay, asking: Asking, chance: Callable[[int], bytes]) -> None:
        self._device = device
        self._play = play
        self._asking = asking
        self._chance = chance
        self._loaded: m.DeckLoaded | None = None  # a shoe's cards that no round has been dealt from

    def forget(self) -> None:
        """Another device comes."""
        self._loaded = None

    def deck_loaded(self, event: m.DeckLoaded) -> None:
        """Cards were taken in: they are shuffled, or dealt as they lie where the device is a shoe."""
        if self._device.is_shoe:
            self._loaded = event
            self._asking.ask(m.GetInfo())  # it says whether these cards are rigged
            self._asking.ask(m.GetStatus())
        else:
            self._ask(m.Shuffle(nonce=self._nonce()))

    def shuffled(self, event: m.ShuffleCompleted) -> None:
        """A deck is shuffled: from here on every word about it is checked."""
        self._play.deck = None
        if (deck := self._device.shuffled(event)) is not None:
            self._play.take_deck(deck)
        self._asking.ask(m.GetStatus())

    def is_ready(self, status: m.Status) -> bool:
        """Whether wagers can be taken; if not, the next command is asked for."""
        game = self._device.game
        assert game is not None
        if self._loaded is not None and status.deal is DealState.READY:
            loaded, self._loaded = self._loaded, None
            self._play.take_deck(self._device.loaded(loaded, status))
        deck = self._play.deck
        fresh = deck is not None and not deck.round and status.shuffle == deck.shuffled.shuffle
        if fresh and status.deal is DealState.READY and status.round_state is RoundState.NO_ROUND:
            return True
        if (command := next_command(status, game.game, self._nonce)) is not None:
            self._ask(command)
        return False

    def _ask(self, command: m.Message) -> None:
        """Ask; a shuffle's nonce is remembered, since the commitment must be made under it."""
        if self._asking.ask(command) and isinstance(command, m.Shuffle):
            self._device.gave(command.nonce)

    def _nonce(self) -> bytes:
        return self._chance(16)


def can_prepare(status: m.Status) -> bool:
    """Whether the machine is up and set to deal."""
    return status.power is PowerState.ON and status.mode is Mode.PLAY


def next_command(status: m.Status, game: int, nonce: Callable[[], bytes]) -> m.Message | None:
    """What to ask for next, or None where the machine is busy and waiting is all there is to do.

    A deck that was dealt from, or that this table did not see shuffled, is never dealt: it is ejected.
    """
    if status.round_state is not RoundState.NO_ROUND:
        return m.VoidRound(round=status.round)
    if status.deal in DECK_IN_PLAY:
        return m.EjectStub()
    if status.infeed is InfeedState.EMPTY and status.deal is DealState.NO_DECK:
        return m.Load() if status.game == game else m.SelectGame(game=game)
    if status.infeed is InfeedState.LOADED:
        return m.Shuffle(nonce=nonce())
    return None
