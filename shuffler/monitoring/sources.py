"""Where rounds come from: a journal, a file of decks or a device; and the monitor's own metrics port."""

import http.server
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from randomness.certification import Recorded
from randomness.monitoring import GROUP, MonitoringError
from shuffler.journal.following import Follower
from shuffler.monitoring import keeping
from shuffler.monitoring.metrics import metric_lines
from shuffler.monitoring.seen import DealtRounds, SeenRound, seen_round
from shuffler.monitoring.watch import Watch

BLOCK = 4096


class RoundSource(Protocol):
    """Rounds as they come."""

    def new_rounds(self) -> Iterator[SeenRound]:
        """Those that ended since the last call."""
        ...

    def position(self) -> Mapping[str, Any]:
        """Where to continue; plain values."""
        ...


def resume(state: Path | None, level: float) -> keeping.KeptWatch:
    """The saved watch, or a new one; raises MonitoringError where the level is another."""
    if state is None or not state.exists():
        return keeping.KeptWatch(Watch(level), {})
    kept = keeping.load(state)
    if kept.watch.level != level:
        raise MonitoringError(f"{state} was started with --level {kept.watch.level:g}: use the same level")
    return kept


def _check_kind(at: Mapping[str, Any], kind: str) -> None:
    if at and at["kind"] != kind:
        raise MonitoringError(f"this state was saved from a {at['kind']}, not from a {kind}: name another state file")


class JournalSource:
    """A table's journal, followed while it is written. A round that is still open is read again after a restart."""

    def __init__(self, path: Path, at: Mapping[str, Any]) -> None:
        _check_kind(at, "journal")
        self.path = path
        self._follower = Follower(path) if not at else Follower(path, after=at["after"], head=bytes.fromhex(at["head"]))
        self._rounds = DealtRounds()
        self._safe = self._follower.after, self._follower.head
        self._since_safe = 0
        self._skip = int(at.get("skip", 0))

    def new_rounds(self) -> Iterator[SeenRound]:
        for record in self._follower.new_records():
            for seen in self._rounds.take(record.entries, record.at):
                self._since_safe += 1
                if self._since_safe > self._skip:
                    yield seen
            if self._rounds.idle:
                self._safe = self._follower.after, self._follower.head
                self._since_safe = self._skip = 0

    def position(self) -> Mapping[str, Any]:
        after, head = self._safe
        return {"kind": "journal", "after": after, "head": head.hex(), "skip": max(self._since_safe, self._skip)}


class FileSource:
    """Recorded decks: the first groups of each row are taken as dealt."""

    def __init__(self, where: str, seats: int, at: Mapping[str, Any]) -> None:
        _check_kind(at, "file")
        self._recorded = Recorded(where)
        self._cards = GROUP * (seats + 1)
        self._done = int(at.get("rows", 0))
        digest = self._recorded.digest()
        if at and at["sha256"] != digest:
            raise MonitoringError(f"{where} is not the file that this state was saved from: name another state file")
        self._sha256 = digest

    def new_rounds(self) -> Iterator[SeenRound]:
        if not self._recorded.kind.standard:
            raise MonitoringError(f"{self._recorded.name} is not of one deck of 52 cards")
        row = 0
        for block in self._recorded.blocks(BLOCK):
            for piece in block.pieces:
                for deck in piece.decks.tolist():
                    row += 1
                    if row <= self._done:
                        continue
                    groups = [(first, deck[first : first + GROUP]) for first in range(0, self._cards, GROUP)]
                    yield seen_round(self._recorded.name, str(row), groups)
                    self._done = row

    def position(self) -> Mapping[str, Any]:
        return {"kind": "file", "rows": self._done, "sha256": self._sha256}


class DeviceSource:
    """A device that is dealt on: this host is the controller, since a device has one host at a time."""

    def __init__(self, client: Any, serial: str, seats: int) -> None:
        self._client = client
        self._serial = serial
        self._seats = seats

    def new_rounds(self) -> Iterator[SeenRound]:
        from shuffler.host import dealing

        waits = dealing.Waits()
        number = dealing.wait_until_on(self._client, waits).round
        while True:
            number += 1
            shuffled = dealing.ready_deck(self._client, None, waits)
            *_, dealt = dealing.deal_round(self._client, number, tuple(range(1, self._seats + 1)), shuffled, waits)
            groups = [(dealt.first[seat], cards) for seat, cards in dealt.hands.items() if cards]
            yield seen_round(self._serial, str(number), groups)

    def position(self) -> Mapping[str, Any]:
        return {"kind": "device"}


@contextmanager
def device_source(url: str, seats: int, key: bytes | None) -> Iterator[DeviceSource]:
    """A session with a device."""
    from protocol import messages as m
    from shuffler.host.client import Client

    with Client.open(url, key=key) as client:
        yield DeviceSource(client, client.ask(m.GetInfo(), m.Info).serial, seats)


@contextmanager
def serve_metrics(watch: Watch, port: int) -> Iterator[int]:
    """Prometheus metrics on a port of the loopback address, in a thread of their own; the port is given."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path != "/metrics":
                self.send_error(404, "only /metrics is here")
                return
            body = ("\n".join(metric_lines(list(watch.devices.values()))) + "\n").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
