"""The command memory: what the device did for whom, so that a repeat gets the first answer and nothing runs twice.

A command is keyed by the host's random instance and its request id. The last `COMMAND_MEMORY` answers of an instance
are kept; of the ids between them the device knows that they were not executed, and refuses them for good. What it
dropped, and what an instance had used before the device knew it, is forgotten: such a command is not executed, and its
fate is not told as anything else.

`INSTANCES` instances with answers are kept, and `GUESTS` without: an instance becomes one of the first by its first
command with an effect, so that a session that only asks displaces nothing. The instance that began the last round
always stays. One that is displaced loses its answers but stays as a guest for a while, so that ids it has not used
yet are still known as new.
"""

import hashlib
from collections import deque
from dataclasses import dataclass, replace

from firmware_sim.program.nvstore import NvStore
from firmware_sim.program.records import AnswerRecord, KnownRecord, Names
from protocol import messages as m
from protocol.codec import decode_body, encoded
from protocol.limits import COMMAND_MEMORY, FENCES, GUESTS, INSTANCES
from protocol.vocabulary import ErrorCode, Fate

DIGEST_BYTES = 8


@dataclass(frozen=True, slots=True)
class New:
    """Execute it."""


@dataclass(frozen=True, slots=True)
class Stale:
    """It was not executed and never will be: a later command has come, or it was fenced off."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The memory no longer says whether it was executed; it will not be executed from here on."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another command was executed under this id."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Answer as the first time."""

    reply: m.Message


Verdict = New | Stale | Forgotten | Conflict | Repeat

REFUSALS: dict[type, tuple[ErrorCode, str]] = {
    Stale: (ErrorCode.STALE_REQUEST, "request {} was not executed and never will be"),
    Forgotten: (
        ErrorCode.FORGOTTEN,
        "request {} is older than the memory: it may have been executed, and will not be again",
    ),
    Conflict: (ErrorCode.CONFLICT, "another command was executed under request {}: each needs an id of its own"),
}


class CommandMemory:
    """Answers per instance; staged in the store, lasting once the device has committed its step."""

    def __init__(self, store: NvStore) -> None:
        self._store = store
        self._hosts: list[str] = list(store.get("command:instances", ()))  # with answers, latest effect last
        self._guests: list[str] = list(store.get("command:guests", ()))
        self._kept: dict[str, deque[int]] = {name: self._answered(name) for name in self._hosts}

    def knows(self, instance: bytes) -> bool:
        """Whether answers of this instance are remembered."""
        return instance.hex() in self._kept

    def admit(self, instance: bytes, next_request: int) -> None:
        """A session is open; of an instance not known here, all ids it has used before are forgotten."""
        name = instance.hex()
        self._doubted(name, next_request)
        if name in self._hosts:
            return
        if name in self._guests:
            self._guests.remove(name)
        else:
            used = max(next_request, 1) - 1
            self._put(name, KnownRecord(newest=used, floor=used))
        self._welcome_guest(name)

    def look_up(self, instance: bytes, request: int, command: m.Message) -> Verdict:
        """What to do with a command."""
        verdict = self._find(instance.hex(), request)
        if isinstance(verdict, Repeat):
            answer: AnswerRecord = self._store.get(_key(instance.hex(), request))
            return verdict if answer.digest == digest_of(command) else Conflict()
        return verdict

    def remember(self, instance: bytes, request: int, command: m.Message, reply: m.Message) -> None:
        """Stage the first answer."""
        name = instance.hex()
        known = self._known(name)
        if name not in self._hosts:
            self._make_host(name)
        elif self._hosts[-1] != name:
            self._hosts.remove(name)
            self._hosts.append(name)
            self._store.put("command:instances", tuple(self._hosts))
        kept = self._kept[name]
        kept.append(request)
        code, body = encoded(reply)
        answer = AnswerRecord(message=code, body=body, digest=digest_of(command))
        self._store.put(f"answer:{name}:{request}", answer)
        floor = known.floor
        if len(kept) > COMMAND_MEMORY:
            floor = kept.popleft()
            self._store.put(f"answer:{name}:{floor}", None)
        fences = known.fences and tuple(fenced for fenced in known.fences if fenced > request)
        self._put(name, KnownRecord(newest=request, floor=floor, fences=fences))
        if isinstance(command, m.BeginRound) and isinstance(reply, m.Done):
            self._store.put("command:round", name)

    def fate(self, instance: bytes, request: int) -> m.FateTold | m.Error:
        """What became of a command; that one id is fenced off where it has not come by now."""
        name = instance.hex()
        verdict = self._find(name, request)
        if isinstance(verdict, Repeat):
            if isinstance(verdict.reply, m.Error):
                return m.FateTold(command=request, fate=Fate.REFUSED, code=verdict.reply.code)
            return m.FateTold(command=request, fate=Fate.DONE, code=0)
        if isinstance(verdict, Forgotten):
            return m.FateTold(command=request, fate=Fate.FORGOTTEN, code=0)
        if isinstance(verdict, New):
            known = self._known(name)
            if len(known.fences) >= FENCES:
                text = f"{FENCES} ids that never came are fenced off: send a command above them first"
                return m.Error(code=ErrorCode.NOT_NOW, text=text)
            self._put(name, replace(known, fences=(*known.fences, request)))
        return m.FateTold(command=request, fate=Fate.NEVER_EXECUTED, code=0)

    def doubt(self) -> None:
        """The end of the memory was lost: of ids used by an instance's next session, only answers are known."""
        self._store.put("command:doubted", (*self._hosts, *self._guests))

    # ------------------------------------------------------------------------------------------------------ inside

    def _find(self, name: str, request: int) -> Verdict:
        """The verdict on an id, whatever command it belongs to."""
        answer: AnswerRecord | None = self._store.get(f"answer:{name}:{request}")
        if answer is not None:
            return Repeat(decode_body(answer.message, answer.body))
        known = self._known(name)
        if request <= known.floor:
            return Forgotten()
        return New() if request > known.newest and request not in known.fences else Stale()

    def _known(self, name: str) -> KnownRecord:
        known: KnownRecord = self._store.get(f"known:{name}")
        return known

    def _put(self, name: str, known: KnownRecord) -> None:
        self._store.put(f"known:{name}", known)

    def _answered(self, name: str) -> deque[int]:
        """The ids whose answers the store has, oldest first."""
        return deque(sorted(int(key.rsplit(":", 1)[1]) for key in self._store.keys(f"answer:{name}:")))

    def _doubted(self, name: str, next_request: int) -> None:
        doubted: Names = self._store.get("command:doubted", ())
        if name in doubted:
            if name in self._hosts or name in self._guests:  # one that is unknown by now has nothing to doubt
                known = self._known(name)
                newest = max(known.newest, next_request - 1)
                self._put(name, replace(known, newest=newest, floor=newest))
            self._store.put("command:doubted", tuple(other for other in doubted if other != name))

    def _make_host(self, name: str) -> None:
        """A guest's first command with an effect: it is kept among those with answers from now on."""
        self._guests.remove(name)
        if len(self._hosts) >= INSTANCES:
            stays = self._store.get("command:round")
            displaced = next(host for host in self._hosts if host != stays)
            self._hosts.remove(displaced)
            for request in self._kept.pop(displaced):
                self._store.put(_key(displaced, request), None)
            known = self._known(displaced)
            self._put(displaced, replace(known, floor=known.newest))
            self._welcome_guest(displaced)
        else:
            self._store.put("command:guests", tuple(self._guests))
        self._hosts.append(name)
        self._kept[name] = deque()
        self._store.put("command:instances", tuple(self._hosts))

    def _welcome_guest(self, name: str) -> None:
        """Keep a guest as the latest; the one longest away goes where they are too many."""
        self._guests.append(name)
        while len(self._guests) > GUESTS:
            self._store.put(f"known:{self._guests.pop(0)}", None)
        self._store.put("command:guests", tuple(self._guests))


def digest_of(command: m.Message) -> bytes:
    """What tells one command from another under the same id."""
    code, body = encoded(command)
    said = bytes((code,)) + body
    return hashlib.blake2b(said, digest_size=DIGEST_BYTES).digest()


def _key(name: str, request: int) -> str:
    return f"answer:{name}:{request}"
