"""A recorded device on a TCP port, for the length of a block."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from shuffler.kit.recording.as_device import ReplayedDevice
from shuffler.kit.recording.conversation import ConversationStep
from shuffler.kit.recording.pace import ReplayPace
from shuffler.kit.recording.player import ReplayOutcome
from shuffler.kit.recording.ports import serve_device


@contextmanager
def replayed_device(
    steps: Sequence[ConversationStep], pace: ReplayPace | None = None, *, key: bytes | None = None
) -> Iterator[tuple[str, list[ReplayOutcome]]]:
    """The recorded device on a TCP port; the outcome is there when the block has ended."""
    player = ReplayedDevice(steps, pace or ReplayPace(), os.urandom, key=key)
    ready = threading.Event()
    urls: list[str] = []
    outcomes: list[ReplayOutcome] = []

    def told(found: list[str]) -> None:
        urls.extend(found)
        ready.set()

    def serve() -> None:
        outcomes.append(asyncio.run(serve_device(player, tcp=("127.0.0.1", 0), told=told)))

    thread = threading.Thread(target=serve)
    thread.start()
    assert ready.wait(30)
    try:
        yield urls[0], outcomes
    finally:
        thread.join(90)
        assert not thread.is_alive()
