"""Commitments of a recorded device, made again for another host's nonce. Pure.

A root is bound to the nonce of the host that asked for the shuffle, and another host draws another one. Whatever the
recording opened is put into a new commitment at the same positions with the same salts; positions that were never
opened hold nothing that anybody will see. An opening that did not open then is left as it is, and does not open now.
"""

from collections.abc import Sequence
from dataclasses import replace

from protocol import messages as m
from protocol.commitment import SALT_BYTES, Commitment, Context, opens
from protocol.vocabulary import CommitKind
from shuffler.kit.recording.conversation import ConversationStep, Opened, Said


class Commitments:
    """The commitments of one recording."""

    def __init__(self, steps: Sequence[ConversationStep]) -> None:
        self._shuffles: dict[int, tuple[Context, m.ShuffleCompleted]] = {}
        self._openings: dict[int, list[m.Opening]] = {}
        self._made: dict[int, Commitment] = {}
        welcome: m.Welcome | None = None
        for step in steps:
            if isinstance(step, Opened):
                welcome = step.welcome
            elif isinstance(step, Said) and welcome is not None:
                self._note(step.message, welcome)

    def _note(self, message: m.Message, welcome: m.Welcome) -> None:
        match message:
            case m.ShuffleCompleted(shuffle=shuffle):
                context = Context(
                    serial=welcome.serial, epoch=welcome.epoch, shuffle=shuffle, game=message.game,
                    count=message.count, nonce=message.nonce,
                )  # fmt: skip
                self._shuffles[shuffle] = context, message
            case m.GroupRemoved(shuffle=shuffle) | m.HandDisclosed(shuffle=shuffle) | m.Stub(shuffle=shuffle):
                if shuffle in self._shuffles:
                    context, completed = self._shuffles[shuffle]
                    if opens(context, completed.root, message.opening):
                        self._openings.setdefault(shuffle, []).append(message.opening)

    def completed(self, message: m.ShuffleCompleted, nonce: bytes) -> m.ShuffleCompleted:
        """The end of a shuffle, bound to another nonce."""
        if nonce == message.nonce:
            return message
        if message.kind is CommitKind.NOTHING:
            return replace(message, nonce=nonce)
        codes, salts = [0] * message.count, bytearray(SALT_BYTES * message.count)
        for opening in self._openings.get(message.shuffle, []):
            first, count = opening.first, len(opening.codes)
            codes[first : first + count] = opening.codes
            salts[SALT_BYTES * first : SALT_BYTES * (first + count)] = opening.salts
        context = replace(self._shuffles[message.shuffle][0], nonce=nonce)
        self._made[message.shuffle] = Commitment(context, codes, bytes(salts), kind=message.kind)
        return replace(message, nonce=nonce, root=self._made[message.shuffle].root)

    def opened(self, message: m.GroupRemoved | m.HandDisclosed | m.Stub) -> m.Message:
        """Cards with what opens the new commitment for them."""
        made = self._made.get(message.shuffle)
        if made is None or message.opening not in self._openings.get(message.shuffle, []):
            return message
        return replace(message, opening=made.opening(message.opening.first, len(message.opening.codes)))
