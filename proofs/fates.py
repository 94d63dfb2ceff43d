"""The truth of fates: hosts, instances, ids, memory limits and crashes at random; every fate told is held against what
was done.

A walk is a list of steps drawn beforehand: hosts connect, send commands whose answers are lost or seen, send them
again, reuse ids for other commands, ask after any id; the device loses its power at any byte that it writes, and its
memory is erased by service. The device is the real one from the link's events inward, its firmware notes what it does.
A lie ends a walk, which is then cut down to the fewest steps that still show it.

    python -m proofs.fates --steps 1000000 --seed 27
"""

import argparse
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from random import Random

from firmware_sim.program.event_queue import EventQueue
from firmware_sim.program.nvstore import NvStore, VolatileMedium
from firmware_sim.unit.device import Device
from proofs import evidence
from protocol import messages as m
from protocol.limits import COMMAND_MEMORY, INSTANCES, MAX_BODY
from protocol.link import LinkDown, LinkUp, Received
from protocol.render.examples import typical
from protocol.vocabulary import ErrorCode, Fate, ResetReason, Role

WALK = 2_000
HOSTS = 40

# name, weight
STEPS: tuple[tuple[str, int], ...] = (
    ("connect", 12),
    ("begin_round", 6),
    ("command", 30),
    ("command_refused", 6),
    ("command_lost", 12),  # it never arrives; it may be sent again
    ("question", 10),
    ("again", 20),
    ("other_command", 6),  # under an id that was used
    ("ask_fate", 24),
    ("ask_ahead", 2),
    ("new_life", 2),  # the host has lost its numbering and draws a new instance
    ("power_cut", 3),
    ("erase", 1),
    ("spree", 2),  # as many commands as fill the memory of an instance
)


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens; `pick` and `cut` choose among what is there when it happens."""

    kind: str
    host: int
    pick: int
    cut: int  # 0: no power cut during this step; else after how many bytes of the write


class PowerCut(Exception):
    """The power went during a write."""


class CutMedium(VolatileMedium):
    """Loses its power in the middle of a write, where told so."""

    def __init__(self) -> None:
        super().__init__()
        self.cut: int | None = None
        self.lasted = True  # whether the write that was cut was whole

    def append(self, data: bytes) -> None:
        if self.cut is None:
            super().append(data)
            return
        written = self.cut % (len(data) + 1)
        super().append(data[:written])
        self.lasted, self.cut = written == len(data), None
        raise PowerCut


class NotingFirmware:
    """Does nothing but note which command it carried out; every command names itself by its round number."""

    def __init__(self) -> None:
        self.pending: list[tuple[int, bool]] = []

    def drain(self) -> tuple[m.Event, ...]:
        return ()

    def execute(self, command: m.Message, role: Role, now_us: int) -> m.Message:  # noqa: ARG002
        if not isinstance(command, m.BeginRound | m.VoidRound):
            return m.Error(code=ErrorCode.UNSUPPORTED, text="")
        refused = isinstance(command, m.VoidRound) and command.round % 7 == 0
        self.pending.append((command.round, refused))
        return m.Error(code=ErrorCode.NOT_NOW, text="every seventh") if refused else m.Done()

    def tick(self, now_us: int) -> None:
        """Nothing is ever due."""

    def next_deadline(self) -> int | None:
        return None


class NoLink:
    """Takes what the device sends; a session is always there."""

    def __init__(self) -> None:
        self.sent: list[m.Message] = []
        self.room = 256
        self.max_body = MAX_BODY
        self.session = self  # never None

    def send(self, message: m.Message, request: int = 0) -> None:  # noqa: ARG002
        self.sent.append(message)


class Lie(Exception):
    """A fate was told that is not true."""


@dataclass(slots=True)
class Host:
    """One numbering: what was sent under each id."""

    instance: bytes
    next_request: int = 1
    used: dict[int, m.Message] = field(default_factory=dict)
    executed: list[int] = field(default_factory=list)  # ids, in order
    promised: list[int] = field(default_factory=list)  # those of them that the device must still know
    last_use: int = 0


@dataclass(slots=True)
class Truth:
    """What was really done, kept apart from the device."""

    done: dict[int, bool] = field(default_factory=dict)  # command → whether it was refused
    under: dict[tuple[bytes, int], int] = field(default_factory=dict)  # (instance, id) → the command executed
    over: set[tuple[bytes, int]] = field(default_factory=set)  # told as never to be executed from here on
    effects: list[bytes] = field(default_factory=list)  # instances, in the order of their effects
    newest: dict[bytes, int] = field(default_factory=dict)  # highest id executed
    round_of: bytes = b""


class Walk:
    """Plays steps against one device."""

    def __init__(self) -> None:
        self.truth = Truth()
        self.hosts = [Host(self._instance(number)) for number in range(HOSTS)]
        self.told: Counter[str] = Counter()
        self.medium = CutMedium()
        self.now = 0
        self._lives = HOSTS
        self._serial = 0
        self._current: Host | None = None
        self._power_up()

    def play(self, steps: list[Step]) -> None:
        """Raises Lie."""
        for step in steps:
            self.now += 1
            self.medium.cut = step.cut or None
            host = self.hosts[step.host]
            try:
                getattr(self, f"_{step.kind}")(host, step.pick)
                self._lasts()
            except PowerCut:
                if self.medium.lasted:
                    self._lasts()
                self._power_up()
            self.medium.cut = None

    # ------------------------------------------------------------------------------------------------------ the steps

    def _connect(self, host: Host, pick: int) -> None:  # noqa: ARG002
        self._session(host)

    def _begin_round(self, host: Host, pick: int) -> None:
        self._send(host, m.BeginRound(round=self._name(), seats=pick % 127 + 1))

    def _command(self, host: Host, pick: int) -> None:  # noqa: ARG002
        number = self._name()
        self._send(host, m.VoidRound(round=number if number % 7 else self._name()))

    def _command_refused(self, host: Host, pick: int) -> None:  # noqa: ARG002
        number = self._name()
        self._serial += -number % 7
        self._send(host, m.VoidRound(round=number + -number % 7))

    def _command_lost(self, host: Host, pick: int) -> None:  # noqa: ARG002
        self._session(host)
        number = self._name()
        self._next(host, m.VoidRound(round=number if number % 7 else self._name()))

    def _question(self, host: Host, pick: int) -> None:  # noqa: ARG002
        self._session(host)
        request = self._next(host, m.GetStatus())
        self._do(host, request, m.GetStatus())

    def _again(self, host: Host, pick: int) -> None:
        if host.used:
            self._session(host)
            request = self._some(host, pick)
            command = host.used.get(request)
            if command is not None:
                self._judge_answer(host, request, command, self._do(host, request, command))

    def _other_command(self, host: Host, pick: int) -> None:
        if host.executed:
            self._session(host)
            request = host.executed[pick % len(host.executed)]
            number = self._name()
            command = m.BeginRound(round=number, seats=pick % 127 + 1)
            self._judge_answer(host, request, command, self._do(host, request, command))

    def _ask_fate(self, host: Host, pick: int) -> None:
        if host.used:
            self._session(host)
            self._fate(host, self._some(host, pick))

    def _ask_ahead(self, host: Host, pick: int) -> None:
        """After ids that this numbering has skipped; what was asked after counts as used."""
        self._session(host)
        request = host.next_request + pick % 5
        host.next_request = request + 1
        host.used[request] = m.VoidRound(round=self._name())
        self._fate(host, request)

    def _new_life(self, host: Host, pick: int) -> None:  # noqa: ARG002
        self._lives += 1
        self.hosts[self.hosts.index(host)] = Host(self._instance(self._lives))

    def _power_cut(self, host: Host, pick: int) -> None:  # noqa: ARG002
        self._power_up()

    def _erase(self, host: Host, pick: int) -> None:  # noqa: ARG002
        """Service starts the memory anew: the device knows nothing of before, and must not pretend to."""
        self.medium.replace(b"")
        self.truth.effects.clear()
        self.truth.round_of = b""
        for each in self.hosts:
            each.promised.clear()
            each.last_use = 0
        self._power_up()

    def _spree(self, host: Host, pick: int) -> None:
        for _ in range(COMMAND_MEMORY + pick % 3):
            self._command(host, pick)

    # -------------------------------------------------------------------------------------------------------- inside

    def _power_up(self) -> None:
        self.store = NvStore(self.medium)
        self.firmware = NotingFirmware()
        events = EventQueue(self.store, lambda: 7)
        self.device = Device(
            firmware=self.firmware, store=self.store, events=events, serial="FATES", boots=1, chance=bytes, now=self.now
        )
        self.link = NoLink()
        self.device.link = self.link  # type: ignore[assignment]
        self._current = None

    def _session(self, host: Host) -> None:
        if self._current is host:
            return
        self._current = None
        if self.link.sent:
            self.link.sent.clear()
        self.device._handle(LinkDown(ResetReason.CLOSED, ""), self.now)
        hello = typical(m.Hello)
        assert isinstance(hello, m.Hello)
        hello = replace(hello, instance=host.instance, next_request=host.next_request)
        self.device._handle(LinkUp(1, hello, None), self.now)
        self._current = host

    def _send(self, host: Host, command: m.Message) -> None:
        """A new command; half of the answers are seen, all are judged."""
        self._session(host)
        request = self._next(host, command)
        self._judge_answer(host, request, command, self._do(host, request, command))

    def _do(self, host: Host, request: int, command: m.Message) -> m.Message:
        self._asked = (host, request)
        self.device._handle(Received(command, request), self.now)
        self._lasts()
        return self.link.sent.pop()

    def _lasts(self) -> None:
        """What the firmware did is in the memory now."""
        for number, refused in self.firmware.pending:
            host, request = self._asked
            key = (host.instance, request)
            if number in self.truth.done:
                raise Lie(f"command {number} was executed a second time")
            if key in self.truth.under:
                raise Lie(f"a second command was executed under {request}")
            if key in self.truth.over:
                raise Lie(f"request {request} was executed after the host was told that it never would be")
            self.truth.done[number] = refused
            self.truth.under[key] = number
            self.truth.newest[host.instance] = max(request, self.truth.newest.get(host.instance, 0))
            host.executed.append(request)
            if not self._promised(host):
                host.promised.clear()
            host.promised.append(request)
            self.truth.effects.append(host.instance)
            host.last_use = len(self.truth.effects)
            command = host.used.get(request)
            if isinstance(command, m.BeginRound) and command.round == number:
                self.truth.round_of = host.instance
        self.firmware.pending.clear()

    def _fate(self, host: Host, request: int) -> None:
        reply = self._do(host, 0, m.AskFate(command=request))
        if isinstance(reply, m.Error):
            if reply.code is not ErrorCode.NOT_NOW:
                raise Lie(f"a question after {request} was answered by {reply}")
            self.told["too many fences"] += 1
            return
        assert isinstance(reply, m.FateTold)
        self._judge(host, request, reply.fate)

    def _judge_answer(self, host: Host, request: int, command: m.Message, reply: m.Message) -> None:
        if isinstance(command, m.GetStatus):
            return
        assert isinstance(command, m.BeginRound | m.VoidRound)
        did = self.truth.under.get((host.instance, request))
        code = reply.code if isinstance(reply, m.Error) else None
        if code is ErrorCode.CONFLICT:
            if did is None or did == command.round:
                raise Lie(f"a conflict under {request}, where {did} was executed and {command.round} was sent")
            self.told["conflict"] += 1
        elif code is ErrorCode.STALE_REQUEST:
            if (host.instance, request) not in self.truth.over and request > self.truth.newest.get(host.instance, 0):
                raise Lie(f"request {request} was refused, and nobody had asked after it")
            self._judge(host, request, Fate.NEVER_EXECUTED)
        elif code is ErrorCode.FORGOTTEN:
            self._judge(host, request, Fate.FORGOTTEN)
        elif did != command.round or self.truth.done[did] != (code is not None):
            raise Lie(f"{command.round} under {request} was answered by {reply}, where {did} was executed")
        else:
            self.told["answer"] += 1

    def _judge(self, host: Host, request: int, fate: Fate) -> None:
        key = (host.instance, request)
        did = self.truth.under.get(key)
        refused = did is not None and self.truth.done[did]
        self.told[fate.name.lower()] += 1
        match fate:
            case Fate.DONE if did is None or refused:
                raise Lie(f"request {request} was told as done; {self._said(did)}")
            case Fate.REFUSED if not refused:
                raise Lie(f"request {request} was told as refused; {self._said(did)}")
            case Fate.NEVER_EXECUTED if did is not None:
                raise Lie(f"request {request} was told as never executed; {self._said(did)}")
            case Fate.FORGOTTEN if self._must_be_known(host, request):
                raise Lie(f"request {request} was told as forgotten, and the memory must reach back to it")
        if fate in (Fate.NEVER_EXECUTED, Fate.FORGOTTEN):
            self.truth.over.add(key)

    def _must_be_known(self, host: Host, request: int) -> bool:
        """What the reference promises: the last answers of the last instances, and of whoever began the last round."""
        return request in host.promised[-COMMAND_MEMORY:] and self._promised(host)

    def _promised(self, host: Host) -> bool:
        """Whether this instance must have kept its place since it was last here."""
        others = set(self.truth.effects[host.last_use :]) - {host.instance}
        return host.instance == self.truth.round_of or len(others) < INSTANCES - 1

    def _said(self, did: int | None) -> str:
        if did is None:
            return "nothing was executed under it"
        return f"command {did} was {'refused' if self.truth.done[did] else 'executed'} under it"

    def _next(self, host: Host, command: m.Message) -> int:
        request = host.next_request
        host.next_request += 1
        host.used[request] = command
        return request

    def _some(self, host: Host, pick: int) -> int:
        """An id of this host, mostly a late one."""
        back = pick % 5 if pick % 2 else pick % (host.next_request - 1)
        return max(1, host.next_request - 1 - back)

    def _name(self) -> int:
        self._serial += 1
        return self._serial

    @staticmethod
    def _instance(number: int) -> bytes:
        return number.to_bytes(16, "little")


# ------------------------------------------------------------------------------------------------------- many walks


def draw(chance: Random, count: int) -> list[Step]:
    """Steps of a walk; hosts come in bursts, as sessions do."""
    kinds, weights = zip(*STEPS, strict=True)
    steps, host = [], 0
    crowd = chance.choice((2, INSTANCES + 2, HOSTS))
    for _ in range(count):
        if chance.random() < 0.3:
            host = chance.randrange(crowd)
        (kind,) = chance.choices(kinds, weights)
        cut = chance.randrange(1, 400) if chance.random() < 0.02 else 0
        steps.append(Step(kind, host, chance.randrange(1 << 20), cut))
    return steps


def lie_in(steps: list[Step]) -> str:
    """The lie that these steps bring out; empty for none."""
    try:
        Walk().play(steps)
    except Lie as lie:
        return str(lie)
    return ""


def cut_down(steps: list[Step], lies: Callable[[list[Step]], str] = lie_in) -> list[Step]:
    """The fewest steps that still show a lie: whatever can be left out is, in ever smaller pieces."""
    size = len(steps) // 2
    while size:
        at = 0
        while at < len(steps):
            fewer = steps[:at] + steps[at + size :]
            if lies(fewer):
                steps = fewer
            else:
                at += size
        size //= 2
    return steps


@dataclass(slots=True)
class Outcome:
    """What many walks have found."""

    steps: int = 0
    walks: int = 0
    told: Counter[str] = field(default_factory=Counter)
    lie: str = ""
    shortest: list[Step] = field(default_factory=list)


def run(steps: int, seed: int, progress: Callable[[Outcome], None] | None = None) -> Outcome:
    """Walks until so many steps were made or a lie was found, which is then cut down."""
    chance = Random(seed)
    outcome = Outcome()
    while outcome.steps < steps and not outcome.lie:
        drawn = draw(chance, min(WALK, steps - outcome.steps))
        walk = Walk()
        try:
            walk.play(drawn)
        except Lie as lie:
            outcome.lie = str(lie)
            outcome.shortest = cut_down(drawn)
        outcome.steps += len(drawn)
        outcome.walks += 1
        outcome.told += walk.told
        if progress is not None:
            progress(outcome)
    return outcome


def main() -> None:
    """The proof at full size, with its record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=27)
    options = parser.parse_args()
    start = time.monotonic()

    def progress(so_far: Outcome) -> None:
        if so_far.walks % 25 == 0:
            print(f"{so_far.steps:,} steps, {sum(so_far.told.values()):,} fates, {time.monotonic() - start:.0f} s")

    outcome = run(options.steps, options.seed, progress)
    if outcome.lie:
        print(f"a lie: {outcome.lie}", *outcome.shortest, sep="\n")
        raise SystemExit(1)
    kinds = "\n".join(f"| {name} | {count:,} |" for name, count in sorted(outcome.told.items()))
    body = (
        f"{outcome.steps:,} steps in {outcome.walks:,} walks of {HOSTS} hosts each ({time.monotonic() - start:.0f} s),"
        f" every answer and fate held against what was executed: **0 lies**.\n\n| told | times |\n|---|---:|\n"
        f"{kinds}\n\n"
        "Power cuts at any byte of a write, erased memories, ids sent again, used twice and asked after, instances that"
        " come back after many others. `tests/proofs/test_fates.py` plants lies in the command memory; each is found"
        " and cut down to its fewest steps.\n"
    )
    evidence.record("fates", command=f"make proof-fates ({options.steps:,} steps)", seed=options.seed, body=body)


if __name__ == "__main__":
    main()
