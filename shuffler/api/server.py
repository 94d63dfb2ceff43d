"""Serves a bench over HTTP on the running event loop, with its token file; no request is logged, so no token can be."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import APIRouter
from uvicorn.protocols.http.h11_impl import H11Protocol

from shuffler.api.access import LOOPBACK_NAMES, Limits, new_token, token_folder, write_token
from shuffler.api.app import create_app
from shuffler.api.bench import Bench

HEADERS_S = 10.0  # for the first request of a connection to arrive
CONNECTIONS = 512
STOP_S = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """Where the bench is, and what opens it."""

    host: str
    port: int
    token: str
    token_file: Path

    @property
    def url(self) -> str:
        """The API's root, without the token."""
        return f"http://{_bracketed(self.host)}:{self.port}"

    @property
    def page(self) -> str:
        """For a browser: the token stays behind the #, which is never sent."""
        return f"{self.url}/#token={self.token}"


class ApiServer:
    """A running server; `close` ends it."""

    def __init__(self, bench: Bench, address: Address, server: uvicorn.Server, task: "asyncio.Task[None]") -> None:
        self.bench = bench
        self.address = address
        self._server = server
        self._task = task

    @classmethod
    async def open(
        cls,
        bench: Bench,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        token_file: Path | None = None,
        limits: Limits | None = None,
        routers: tuple[APIRouter, ...] = (),
    ) -> "ApiServer":
        """Listen, write the token file, serve; raises OSError where port or file can't be had."""
        listener = _listen(host, port)
        try:
            port = listener.getsockname()[1]
            token = token or new_token()
            path = token_file or token_folder() / f"{port}.token"
            write_token(path, token)
        except BaseException:
            listener.close()
            raise
        names = {f"{name}:{port}" for name in (*LOOPBACK_NAMES, _bracketed(host))}
        app = create_app(bench, token=token, hosts=names, limits=limits, routers=routers)
        config = uvicorn.Config(
            app, http=_Punctual, ws="none", lifespan="off", log_config=None, access_log=False, server_header=False,
            limit_concurrency=CONNECTIONS, h11_max_incomplete_event_size=32768, timeout_graceful_shutdown=STOP_S,
        )  # fmt: skip
        server = _Server(config)
        task = asyncio.get_running_loop().create_task(server.serve(sockets=[listener]))
        while not server.started and not task.done():
            await asyncio.sleep(0.005)
        return cls(bench, Address(host=host, port=port, token=token, token_file=path), server, task)

    async def close(self) -> None:
        """Let every client go and remove the token file."""
        self.bench.closing.set()
        self._server.should_exit = True
        await self._task
        self.address.token_file.unlink(missing_ok=True)


class _Server(uvicorn.Server):
    """Leaves signals to whoever owns the process."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Punctual(H11Protocol):
    """Lets a connection go that has begun a request, its first or a later one, and not sent all of it in time."""

    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._late is not None:
            self._late.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self._late is None and self._is_between_requests():
            self._late = asyncio.get_running_loop().call_later(HEADERS_S, self._check)

    def _check(self) -> None:
        self._late = None
        if self._is_between_requests():
            self.transport.close()

    def _is_between_requests(self) -> bool:
        served: Any = self.cycle  # None until a request has come
        return served is None or served.response_complete


def _listen(host: str, port: int) -> socket.socket:
    # Named as TCP: asyncio turns Nagle's algorithm off on such sockets alone, and with it on each answer takes 40 ms.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except BaseException:
        listener.close()
        raise
    return listener


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


