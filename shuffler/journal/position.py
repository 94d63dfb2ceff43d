"""How far a journal is: what the entries so far say about devices, commands and counts. Pure; a checkpoint holds it."""

from collections.abc import Mapping

from protocol import messages as m
from round_engine.round.operations import CloseRound, DeclareMisdeal, OpenRound
from round_engine.table.state import TableState
from shuffler.journal.entries import (
    AwardAsked,
    AwardFixed,
    Checkpoint,
    CommandKept,
    CommandSettled,
    DealtFrom,
    DeviceSaid,
    DeviceStore,
    Entry,
    EventGap,
    JournalBegun,
    MeterLinked,
    MeterMoved,
    Operated,
    RequestsReserved,
    RulesInForce,
    Tally,
)
from shuffler.journal.meter_moves import MeterMoves

Stream = tuple[str, int]  # serial, epoch


class Position:
    """Follows entries in order."""

    def __init__(self) -> None:
        self.instance = b""
        self.settings: Mapping[str, str] = {}
        self.rules: RulesInForce | None = None
        self.newest: dict[Stream, int] = {}
        self.device_rounds: dict[Stream, int] = {}
        self.reserved = 1
        self.commands: dict[int, m.Message] = {}
        self.rounds = self.settled = self.void = self.groups = self.gaps = 0
        self.meters = MeterMoves()

    def take(self, entry: Entry) -> None:
        """One more entry."""
        match entry:
            case DeviceSaid():
                self.newest[entry.serial, entry.epoch] = entry.event.number
                self.groups += isinstance(entry.event, m.GroupRemoved)
            case Operated():
                self._operated(entry)
            case MeterMoved() | MeterLinked() | AwardAsked() | AwardFixed():
                self.meters.take(entry)
            case EventGap():
                self.gaps += 1
            case DealtFrom():
                self.device_rounds[entry.serial, entry.epoch] = entry.device_round
            case CommandKept(request, command):
                self.commands[request] = command
            case CommandSettled(request):
                self.commands.pop(request, None)
            case RequestsReserved(upto):
                self.reserved = upto
            case RulesInForce():
                self.rules = entry
            case JournalBegun(instance, settings):
                self.instance, self.settings = instance, settings
            case Checkpoint():
                self.restore(entry)

    def _operated(self, entry: Operated) -> None:
        match entry.operation:
            case OpenRound():
                self.rounds += 1
                self.meters.take(entry)
            case CloseRound():
                self.settled += 1
            case DeclareMisdeal():
                self.void += 1

    def restore(self, saved: Checkpoint) -> None:
        """Go on from a checkpoint."""
        self.instance, self.settings = saved.instance, saved.settings
        self.rules = saved.rules[0] if saved.rules else None
        self.newest = {(one.serial, one.epoch): one.newest_event for one in saved.stores}
        self.device_rounds = {(one.serial, one.epoch): one.last_round for one in saved.stores if one.last_round}
        self.reserved = saved.reserved
        self.commands = {one.request: one.command for one in saved.commands}
        tally = saved.tally
        self.rounds, self.settled, self.void = tally.rounds, tally.settled, tally.void
        self.groups, self.gaps = tally.groups, tally.gaps
        self.meters.restore(saved)

    def checkpoint(self, table: TableState) -> Checkpoint:
        """All of it as one entry."""
        streams = sorted(self.newest.keys() | self.device_rounds.keys())
        return Checkpoint(
            table=table,
            instance=self.instance,
            settings=self.settings,
            rules=() if self.rules is None else (self.rules,),
            stores=tuple(
                DeviceStore(
                    serial=serial,
                    epoch=epoch,
                    newest_event=self.newest.get((serial, epoch), 0),
                    last_round=self.device_rounds.get((serial, epoch), 0),
                )
                for serial, epoch in streams
            ),
            reserved=self.reserved,
            commands=tuple(CommandKept(request, command) for request, command in sorted(self.commands.items())),
            tally=Tally(
                rounds=self.rounds, settled=self.settled, void=self.void, groups=self.groups, gaps=self.gaps
            ),
            links=tuple(self.meters.links.values()),
            moves=self.meters.newest,
            moved=tuple(total for _, total in sorted(self.meters.totals.items())),
        )
