"""`shuffler monitor`: evidence about a shuffler in service, from its journal, the device or a file."""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shuffler.cli.exit_codes import DONE, FAILED, MISUSED
from shuffler.cli.keys import read_key
from shuffler.cli.output import device_failed, fail, say
from shuffler.cli.stopping import stopping

if TYPE_CHECKING:
    from shuffler.monitoring import SeenRound, Watch, Watched

LEVEL = 0.001
POLL_S = 0.5
SAVE_EVERY_S = 10.0
SHOWN = 3


def monitor(
    url: Annotated[
        str | None, typer.Argument(help="Deal on this device and watch it: serial port, socket://HOST:PORT, usb://….")
    ] = None,
    journal: Annotated[Path | None, typer.Option(help="Watch the table that writes this journal.")] = None,
    source: Annotated[
        str | None, typer.Option("--from", help="Watch recorded decks: a file that `shuffler certify --from` takes.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Read the journal to its end, then stop.")] = False,
    level: Annotated[
        float, typer.Option(min=1e-12, max=0.5, help="Chance that a fair shuffler ever raises the alarm.")
    ] = LEVEL,
    seats: Annotated[int, typer.Option(min=1, max=7, help="Players a round, for a device and for recorded decks.")] = 7,
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after this many rounds.")] = None,
    state: Annotated[
        Path | None, typer.Option(help="Keep the evidence in this file and continue from it after a restart.")
    ] = None,
    every: Annotated[int, typer.Option(min=1, help="Report after every N rounds.")] = 100,
    stop_on_alarm: Annotated[bool, typer.Option("--stop-on-alarm", help="Stop at the alarm.")] = False,
    metrics: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Serve Prometheus metrics on this port of 127.0.0.1.")
    ] = None,
    metrics_file: Annotated[
        Path | None, typer.Option(help="Write Prometheus metrics to this file, for a textfile collector.")
    ] = None,
    secure: Annotated[Path | None, typer.Option(help="Key file, for a device in secure mode.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON for each report.")] = False,
) -> None:
    """Watch the cards that a shuffler deals and raise the alarm when they can't be fair.

    A fair shuffler raises the alarm with a probability of at most --level, however long it is watched.

    Examples: `shuffler monitor --journal books.db --state books.monitor` follows a table until Ctrl-C;
    `shuffler monitor --from decks.csv --json` reads a file.

    Exit code 0: no alarm. 1: alarm. 2: the source can't be read, or an option is wrong.
    """
    from randomness.errors import RandomnessError
    from shuffler.errors import ShufflerError
    from shuffler.journal import JournalError
    from shuffler.monitoring import sources

    if sum(one is not None for one in (url, journal, source)) != 1:
        raise fail("name one source: a device's address, --journal FILE or --from FILE")
    if once and journal is None:
        raise fail("--once is for --journal")
    with ExitStack() as stack:
        try:
            stop = stack.enter_context(stopping("stopping after this round"))
            kept, at = sources.resume(state, level)
            desk = _Desk(kept, every=every, as_json=as_json, metrics_file=metrics_file)
            if metrics is not None:
                desk.tell_port(stack.enter_context(sources.serve_metrics(kept, metrics)))
            found: sources.RoundSource
            if journal is not None:
                found = sources.JournalSource(journal, at)
            elif source is not None:
                found = sources.FileSource(source, seats, at)
            else:
                key = None if secure is None else read_key(secure)
                found = stack.enter_context(sources.device_source(str(url), seats, key))
            _run(desk, found, state, follow=journal is not None and not once, rounds=rounds, stop=stop,
                 stop_on_alarm=stop_on_alarm)  # fmt: skip
        except (RandomnessError, JournalError) as problem:
            raise fail(str(problem), MISUSED) from None
        except ShufflerError as problem:
            raise device_failed(problem) from None
        except OSError as problem:
            raise fail(f"{problem.filename or 'output'}: {problem.strerror}", MISUSED) from None
    raise typer.Exit(FAILED if desk.watch.alarmed else DONE)


def _run(
    desk: "_Desk",
    source: Any,
    state: Path | None,
    *,
    follow: bool,
    rounds: int | None,
    stop: Callable[[], bool],
    stop_on_alarm: bool,
) -> None:
    from shuffler.monitoring.keeping import save

    saved, done = time.monotonic(), 0

    def keep() -> None:
        if state is not None:
            save(state, desk.watch, source.position())

    def enough() -> bool:
        return stop() or (rounds is not None and done >= rounds) or (stop_on_alarm and desk.watch.alarmed)

    try:
        while not enough():
            for seen in source.new_rounds():
                desk.take(seen)
                done += 1
                if enough():
                    break
            if time.monotonic() > saved + SAVE_EVERY_S:
                keep()
                saved = time.monotonic()
            if not follow:
                break
            if not enough():
                time.sleep(POLL_S)
    finally:
        keep()
        desk.end()


class _Desk:
    """Feeds the watch and reports: a line every so many rounds, the alarm at once, a summary at the end."""

    def __init__(self, watch: "Watch", *, every: int, as_json: bool, metrics_file: Path | None) -> None:
        self.watch = watch
        self._every = every
        self._json = as_json
        self._metrics_file = metrics_file

    def take(self, seen: "SeenRound") -> None:
        alarm = self.watch.take(seen)
        one = self.watch.devices[seen.device]
        if alarm:
            self._alarm(one)
        if alarm or one.monitor.rounds % self._every == 0:
            self._progress(one)

    def end(self) -> None:
        """The summary of each device."""
        for one in self.watch.devices.values():
            if self._json:
                self._line("end", one.to_json())
            else:
                _summary(one)
        self._write_metrics()

    def tell_port(self, port: int) -> None:
        """Where the metrics are."""
        typer.echo(f"metrics: http://127.0.0.1:{port}/metrics", err=True)

    def _progress(self, one: "Watched") -> None:
        if self._json:
            self._line("evidence", one.to_json(SHOWN))
        else:
            say(f"{one.device} {one.last_round}: {_evidence_text(one)}")
        self._write_metrics()

    def _alarm(self, one: "Watched") -> None:
        if self._json:
            self._line("alarm", one.to_json())
        else:
            say(f"ALARM {one.device} {one.last_round} {one.last_at}: {_reason(one)}")

    def _line(self, event: str, data: dict[str, Any]) -> None:
        typer.echo(json.dumps({"event": event, **data}, ensure_ascii=False))

    def _write_metrics(self) -> None:
        if self._metrics_file is not None:
            from shuffler.monitoring.metrics import metric_lines

            fresh = self._metrics_file.with_name(self._metrics_file.name + ".new")
            fresh.write_text("\n".join(metric_lines(self.watch.devices.values())) + "\n", encoding="utf-8")
            fresh.replace(self._metrics_file)


def _evidence_text(one: "Watched") -> str:
    monitor = one.monitor
    return f"{monitor.rounds:,} rounds, evidence {_short(monitor.evidence)} (alarm at {_short(1 / monitor.level)})"


def _reason(one: "Watched") -> str:
    if one.impossible:
        return one.impossible[0]
    top = one.evidence(1).questions[0]
    return f"{_evidence_text(one)}; {top.name}: {top.asks}"


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 100 else f"{value:,.0f}" if value < 1e6 else f"{value:.2e}"


def _summary(one: "Watched") -> None:
    say(f"{one.device}: {_evidence_text(one)}; largest {_short(one.monitor.peak)}")
    if one.alarmed:
        say(f"  ALARM in {one.alarm_name}{f' at {one.alarm_at}' if one.alarm_at else ''}")
    for text in one.impossible:
        say(f"  impossible: {text}")
    for question in one.evidence(SHOWN).questions if one.monitor.alarmed else ():
        word = "proven" if question.proven else "descriptive"
        say(f"  {question.name}: evidence {_short(question.evidence)} ({word}), rising since round {question.since:,}")
        if question.top is not None and question.top.trials:
            top = question.top
            say(
                f"    {top.cell}: {top.seen:,} seen, {top.expected:,.1f} expected; "
                f"average excess {top.excess_low:+.2%} to {top.excess_high:+.2%}"
            )
    if one.unusable:
        say(f"  {one.unusable:,} rounds not used: {one.why_unusable}")
    if one.rigged:
        say(f"  {one.rigged:,} rounds were marked as rigged by a tester")
