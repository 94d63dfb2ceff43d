"""A device or a host whose frames pass through other hands: how a rule is broken without touching the product."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body, encode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import Frame, Framer, pack_header, wrap
from shuffler.virtual.bench import DeviceEnd

Change = Callable[[Frame], Frame | None]
Written = Callable[[Frame], bytes]


def same(frame: Frame) -> Frame:
    """Nothing changed."""
    return frame


def written(frame: Frame) -> bytes:
    """As every frame is written."""
    return wrap(pack_header(*frame[1:7], version=frame.version), frame.body)


def fields(kind: type[m.Message], **changes: Any) -> Change:
    """Frames of that message with other values in their bodies; a value may be a function of the message."""

    def change(frame: Frame) -> Frame:
        entry = BY_NUMBER.get(frame.message)
        if entry is None or entry.body is not kind:
            return frame
        try:
            message = decode_body(frame.message, frame.body)
        except RemoteProtocolError:
            return frame
        values = {name: value(message) if callable(value) else value for name, value in changes.items()}
        return frame._replace(body=encode_body(replace(message, **values)))

    return change


def header(wanted: Callable[[Frame], bool] = lambda _: True, **changes: Any) -> Change:
    """Frames with other values in their headers; a value may be a function of the frame."""

    def change(frame: Frame) -> Frame:
        if not wanted(frame):
            return frame
        return frame._replace(**{name: value(frame) if callable(value) else value for name, value in changes.items()})

    return change


def without(wanted: Callable[[Frame], bool]) -> Change:
    """Those frames are lost."""
    return lambda frame: None if wanted(frame) else frame


class Rewired:
    """A device end with something between it and its line."""

    def __init__(
        self, inner: Any, *, out: Change = same, into: Change = same, write: Written = written,
        each: Callable[[Any, int], None] = lambda _inner, _now: None,
    ) -> None:  # fmt: skip
        """`each` is called with the device before and after every step, to bend what is inside."""
        self.inner: DeviceEnd = inner
        self._out, self._into, self._write, self._each = out, into, write, each
        self._from_device, self._to_device = Framer(), Framer()

    def receive(self, data: bytes, now: int) -> None:
        self._each(self.inner, now)
        if self._into is same:
            self.inner.receive(data, now)
        else:
            for frame in self._to_device.feed(data):
                changed = self._into(frame)
                if changed is not None:
                    self.inner.receive(written(changed), now)
        self._each(self.inner, now)

    def data_to_send(self, now: int) -> bytes:
        data = self.inner.data_to_send(now)
        if not data or (self._out is same and self._write is written):
            return data
        changed = [self._out(frame) for frame in self._from_device.feed(data)]
        return b"".join(self._write(frame) for frame in changed if frame is not None)

    def tick(self, now: int) -> None:
        self._each(self.inner, now)
        self.inner.tick(now)
        self._each(self.inner, now)

    def next_deadline(self) -> int | None:
        return self.inner.next_deadline()

    def pull_cable(self) -> None:
        self.inner.pull_cable()
