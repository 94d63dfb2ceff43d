"""Who may drive the bench: a token, the right host name, no other web page; and how much of it at a time.

The token opens every undealt card, so it is never in a path, a query or a log: the page's address carries it behind #,
which a browser keeps to itself, and requests carry it in the Authorization header.
"""

import asyncio
import errno
import hmac
import json
import os
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException

from shuffler.api.problems import MEDIA_TYPE, problem
from strict_toml import read_bounded

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

API = "/api/"
TOKEN_BYTES = 32
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
CLOSE = {"connection": "close"}

# For what the page is made of: everything from here, nothing framed, nothing guessed.
PAGE_HEADERS = (
    (b"content-security-policy", b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none';"
     b" frame-ancestors 'none'; form-action 'none'"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
)  # fmt: skip


_OPENER = "<!doctype html><title>Shuffler bench</title>"
_OURS = re.compile(rb"[\w-]{16,64}\n?|" + re.escape(_OPENER.encode()) + rb"<script>[^<]*</script>\n")


def new_token() -> str:
    """A token nobody can guess."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def write_token(path: Path, token: str) -> None:
    """Write a new file that only its owner can read; raises OSError. Replaces only what this function wrote before."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        if not path.is_file() or not _OURS.fullmatch(read_bounded(path)):
            raise FileExistsError(errno.EEXIST, "exists and is not a token file: name another one", str(path))
        path.unlink()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(token + "\n")


def write_opener(path: Path, address: str) -> None:
    """A page that leads a browser to an address: on a command line the token would be open to every user."""
    quoted = json.dumps(address)
    write_token(path, f"{_OPENER}<script>location.replace({quoted})</script>")


def token_folder() -> Path:
    """Where tokens go unless told otherwise: the user's own runtime folder, or the home's state folder."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    base = Path(runtime) if runtime else Path.home() / ".local" / "state"
    return base / "shuffler-bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of the bench a client may have."""

    body_bytes: int = 1 << 20
    body_s: float = 10.0  # for the whole body to arrive
    rate_a_second: float = 200.0
    burst: float = 400.0
    wrong_tokens_a_minute: float = 30.0
    streams: int = 128


class Bucket:
    """A token bucket: so many at once, so many a second."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float]) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left, self._at = burst, clock()

    def take(self) -> bool:
        """Whether one more is in order."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class Guard:
    """Stands before the application and lets through what may pass; everything else gets a problem document."""

    def __init__(
        self,
        app: App,
        *,
        token: str,
        hosts: Iterable[str],
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`hosts` are the values of the Host header that are ours, with the port."""
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset(host.lower() for host in hosts)
        self._limits = limits
        self._requests = Bucket(limits.rate_a_second, limits.burst, clock)
        self._wrong = Bucket(limits.wrong_tokens_a_minute / 60, limits.wrong_tokens_a_minute, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError("the bench speaks HTTP alone")
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        refusal = self._refusal(scope["path"], headers)
        if refusal is not None:
            await _answer(send, scope["path"], *refusal)
            return
        is_api = scope["path"].startswith(API)

        async def passed(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(b"cache-control", b"no-store"), PAGE_HEADERS[1]] if is_api else list(PAGE_HEADERS)
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        await self._app(scope, _BoundedBody(receive, self._limits).receive, passed)

    def _refusal(self, path: str, headers: dict[str, str]) -> tuple[int, str] | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return 403, f"this bench is not called {host!r}: use {min(self._hosts)}"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{name}" for name in self._hosts}:
            return 403, "this comes from another web page: only the bench's own may drive it"
        if not self._requests.take():
            return 429, "too many requests: wait a second"
        if not path.startswith(API):
            return None  # the page holds no secret, and a link may lead to it
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return 403, "this comes from another site: only the bench's own page may drive it"
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode("utf-8", "replace"), self._token):
            length = headers.get("content-length", "0")
            if not length.isdigit() or int(length) > self._limits.body_bytes:
                return 413, f"a body has at most {self._limits.body_bytes:,} bytes"
            return None
        if not self._wrong.take():
            return 429, "too many wrong tokens: wait a minute"
        return 401, "send the token of this bench: Authorization: Bearer TOKEN"


class _BoundedBody:
    """A request's body as it comes, no longer and no slower than allowed."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._left = limits.body_bytes
        self._ends: float | None = None
        self._whole = False

    async def receive(self) -> Message:
        if self._whole:  # all that can come now is the end of the connection
            return await self._receive()
        loop = asyncio.get_running_loop()
        if self._ends is None:
            self._ends = loop.time() + self._limits.body_s
        try:
            message = await asyncio.wait_for(self._receive(), max(0.001, self._ends - loop.time()))
        except TimeoutError:
            raise HTTPException(408, f"the body took more than {self._limits.body_s:g} s", CLOSE) from None
        if message["type"] == "http.request":
            self._left -= len(message.get("body", b""))
            self._whole = not message.get("more_body", False)
            if self._left < 0:
                raise HTTPException(413, f"a body has at most {self._limits.body_bytes:,} bytes", CLOSE)
        return message


async def _answer(send: Send, path: str, status: int, detail: str) -> None:
    body = json.dumps(problem(status, detail, path)).encode()
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode()), PAGE_HEADERS[1]]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413):
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
