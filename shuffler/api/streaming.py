"""The bench's stream as server-sent events: everything as it is, then what happens, with resume from a number."""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from shuffler.api.bench import Bench

GATHER_S = 0.02  # what happens within this time goes out together
BEAT_S = 15.0
KINDS = (
    "device", "devices", "frame", "table", "tables", "entry", "audit", "randomness", "certification", "certifications",
    "notice",
)  # fmt: skip


class BenchStream(StreamingResponse):
    """The answer that carries a stream. It counts from the request on, so that a burst of them is held to the limit."""

    def __init__(self, bench: Bench, after: int | None, kinds: frozenset[str] | None) -> None:
        super().__init__(stream(bench, after, kinds), media_type="text/event-stream")
        self._bench = bench
        bench.streams += 1

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it until either end is gone."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._bench.streams -= 1


async def stream(bench: Bench, after: int | None, kinds: frozenset[str] | None) -> AsyncIterator[bytes]:
    """Events after a number, for ever; without one, or where it is forgotten, the state of everything comes first.

    The reader's place is a number in the hub's ring: a slow one costs no memory, and is told when it missed something.
    """
    hub = bench.hub
    woken = asyncio.Event()
    hub.wakers.add(woken.set)
    bench.devices.watch()
    try:
        yield b"retry: 1000\n\n"
        cursor = hub.last if after is None else after
        if after is None or not hub.has_all_after(after):
            cursor = hub.last
            yield _whole(bench, cursor, kinds, missed=after is not None)
        while not bench.closing.is_set():
            if not hub.has_all_after(cursor):
                cursor = hub.last
                yield _whole(bench, cursor, kinds, missed=True)
            woken.clear()
            events = hub.after(cursor, kinds=kinds)
            cursor = hub.last
            if events:
                yield b"".join(event.to_sse() for event in events)
            try:
                await asyncio.wait_for(woken.wait(), BEAT_S)
            except TimeoutError:
                yield b": still here\n\n"
            await asyncio.sleep(GATHER_S)
    finally:
        hub.wakers.discard(woken.set)


def _whole(bench: Bench, number: int, kinds: frozenset[str] | None, *, missed: bool) -> bytes:
    """The state of everything, as one piece; `begin` says whether something was missed before it."""
    parts = [_event(number, "begin", {"missed": missed, "devices": bench.devices.serials})]
    for kind, subject, data in bench.now():
        if kinds is None or kind in kinds:
            parts.append(_event(number, kind, {"subject": subject, "data": data}))
    return b"".join(parts)


def _event(number: int, kind: str, data: object) -> bytes:
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"id: {number}\nevent: {kind}\ndata: {text}\n\n".encode()
