"""A table's shared meters from the command line: the server's address, the sender beside the table, its end."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from round_engine.table import Table
    from shuffler.journal import SqliteJournal
    from shuffler.meters.linked import LinkedTable

VARIABLE, NAME_VARIABLE = "SHUFFLER_METERS", "SHUFFLER_TABLE"
DRAIN_S = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class MeterOptions:
    """Which server a table's meters are on, and how long it may be away."""

    url: str
    table: str
    unsent: int = 500
    away_s: float = 900.0


def address(url: str | None) -> str:
    """The server's address; refused with a password on the command line, which every user of the machine can see."""
    from shuffler.meters.database import has_password, is_address

    if not url:
        raise fail(f"say where the meters are: --meters postgresql://HOST/DATABASE, or the variable {VARIABLE}")
    if not is_address(url):
        raise fail("--meters takes an address of PostgreSQL: postgresql://HOST/DATABASE")
    if has_password(url) and url != os.environ.get(VARIABLE):
        raise fail(
            "a password on the command line is seen by every user of this machine: put it into ~/.pgpass (PGPASSFILE),"
            f" a service file, or the address into the variable {VARIABLE}"
        )
    return url


def refuse_unlinked(books: "SqliteJournal") -> None:
    """A table whose meters are shared is not played without their server."""
    if links := books.position.meters.links:
        names = ", ".join(link.meter for link in links.values())
        raise fail(f"{books.path}: its meters are shared ({names}): give their server with --meters")


@contextmanager
def joined(
    books: "SqliteJournal", table: "Table", options: MeterOptions, say: Callable[[str], None]
) -> "Iterator[LinkedTable]":
    """The table's shared meters, with a sender for as long as it is played; the outbox is sent at the end."""
    from shuffler.meters.errors import ServerAway
    from shuffler.meters.linked import LinkedTable, link
    from shuffler.meters.sender import Sender, SenderLimits
    from shuffler.meters.server import MeterServer

    moves = books.position.meters
    try:
        with closing(MeterServer(options.url)) as server:
            server.place(options.table)
            offered = [one.shown.rules for one in server.snapshots(options.table)]
        if entries := link(table, moves, offered, options.table):
            books.write(entries)
            books.flush()
    except ServerAway as problem:
        if not moves.links:
            raise
        say(f"{problem}; contributions wait, awards are pending")
    limits = SenderLimits(moves=options.unsent, seconds=options.away_s)
    sender = Sender(options.url, books.path, table=options.table, journal=books.instance(), limits=limits)
    linked = LinkedTable(moves, sender, clock=time.monotonic, say=say)
    books.listeners.append(linked.lasting)
    sender.start()
    try:
        yield linked
    finally:
        if not sender.stop(drain_s=0.1 if sender.news.trouble else DRAIN_S):
            news = sender.news
            then = "somebody must look" if news.stopped else "it is sent when the table is opened again"
            why = news.stopped or news.trouble or "the server is slow"
            say(f"not all of the outbox is on the meter server ({why}): {then}")
