"""Ctrl-C in two steps: the first asks, the second breaks off."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer


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
