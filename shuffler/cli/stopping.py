"""How commands end: at a signal, or by Ctrl-C in two steps of which the first asks and the second breaks off."""

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer


def on_signal(stop: asyncio.Event) -> None:
    """Set the event at Ctrl-C or SIGTERM, also on systems whose event loop takes no signals."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop.set))


@contextmanager
def stopping(said: str) -> Iterator[Callable[[], bool]]:
    """Gives a question: was a stop asked for? The first Ctrl-C says `said`; a second one breaks off at once."""
    asked = False

    def ask(_number: int, _frame: object) -> None:
        nonlocal asked
        asked = True
        signal.signal(signal.SIGINT, before)
        typer.echo(f"\n{said}; once more to break off", err=True)

    if threading.current_thread() is not threading.main_thread():  # where signals can't be had, none is waited for
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
