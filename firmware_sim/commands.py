"""The command memory: what the device did for whom, so that a repeat gets the first answer and nothing runs twice.

A command is keyed by the host's random instance and its request id. An instance sends ids in rising order and leaves
at most `MEMORY` of them unanswered, so a command that its sender still wonders about is remembered here or was never
executed; an id that is neither new nor remembered is refused.
"""

from dataclasses import dataclass

from firmware_sim.nvstore import NvStore
from protocol import messages as m
from protocol.codec import decode_body, encode_body, number_of
from protocol.vocabulary import Fate

MEMORY = 64
INSTANCES = 8


@dataclass(frozen=True, slots=True)
class New:
    """Execute it."""


@dataclass(frozen=True, slots=True)
class Stale:
    """Older than the memory, or fenced off: it was not executed and never will be."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Answer as the first time."""

    reply: m.Message


class CommandMemory:
    """Answers per instance; staged in the store, lasting once the device has committed its step."""

    def __init__(self, store: NvStore) -> None:
        self._store = store
        self._order: list[str] = list(store.get("command:instances", []))

    def knows(self, instance: bytes) -> bool:
        """Whether commands of this instance are remembered."""
        return instance.hex() in self._order

    def admit(self, instance: bytes, next_request: int) -> None:
        """Make room for an instance; of one not known here, all ids it has used before count as never executed."""
        name = instance.hex()
        if name in self._order:
            if self._order[-1] != name:
                self._order.remove(name)
                self._order.append(name)
                self._store.put("command:instances", list(self._order))
            return
        while len(self._order) >= INSTANCES:
            forgotten = self._order.pop(0)
            for key in self._store.keys(f"command:{forgotten}:"):
                self._store.put(key, None)
        self._order.append(name)
        self._store.put("command:instances", list(self._order))
        self._store.put(f"command:{name}:newest", max(next_request, 1) - 1)

    def look_up(self, instance: bytes, request: int) -> New | Stale | Repeat:
        """What to do with a command."""
        name = instance.hex()
        if request > self._store.get(f"command:{name}:newest", 0):
            return New()
        kept = self._store.get(f"command:{name}:{request}")
        return Stale() if kept is None else Repeat(decode_body(kept[0], kept[1]))

    def remember(self, instance: bytes, request: int, reply: m.Message) -> None:
        """Stage the first answer."""
        name = instance.hex()
        self._advance(name, request)
        self._store.put(f"command:{name}:{request}", [number_of(reply), encode_body(reply)])

    def _advance(self, name: str, request: int) -> None:
        """The newest id of an instance; answers that are now too old are forgotten."""
        newest: int = self._store.get(f"command:{name}:newest", 0)
        self._store.put(f"command:{name}:newest", request)
        for forgotten in range(max(newest - MEMORY + 1, 1), min(newest, request - MEMORY) + 1):
            self._store.put(f"command:{name}:{forgotten}", None)

    def fate(self, instance: bytes, request: int) -> m.FateTold:
        """What became of a command; one that has not come by now is fenced off."""
        verdict = self.look_up(instance, request)
        if isinstance(verdict, Repeat):
            if isinstance(verdict.reply, m.Error):
                return m.FateTold(command=request, fate=Fate.REFUSED, code=verdict.reply.code)
            return m.FateTold(command=request, fate=Fate.DONE, code=0)
        if isinstance(verdict, New):
            self._advance(instance.hex(), request)
        return m.FateTold(command=request, fate=Fate.NEVER_EXECUTED, code=0)
