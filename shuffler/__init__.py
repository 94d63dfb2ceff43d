"""The host's side: clients, tables, journals, the laboratory's desk and the command line.

    from shuffler import Client
    with Client.open("socket://127.0.0.1:7001") as device: ...

Names are imported when first asked for, so that using one part does not load the others.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shuffler.errors import (
        CannotOpen,
        FateForgotten,
        HandshakeRefused,
        LinkLost,
        MemorySetBack,
        Refused,
        ShufflerError,
        TimedOut,
        WrongReply,
    )
    from shuffler.host.aio import AsyncClient
    from shuffler.host.client import Client
    from shuffler.host.store import HostStore, MemoryStore
    from shuffler.journal import SqliteJournal
    from shuffler.table.live import LiveTable

# fmt: off
_HOMES = {
    "errors": (
        "CannotOpen", "FateForgotten", "HandshakeRefused", "LinkLost", "MemorySetBack", "Refused", "ShufflerError",
        "TimedOut", "WrongReply",
    ),
    "host.aio": ("AsyncClient",),
    "host.client": ("Client",),
    "host.store": ("HostStore", "MemoryStore"),
    "journal": ("SqliteJournal",),
    "table.live": ("LiveTable",),
}
# fmt: on
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "AsyncClient",
    "CannotOpen",
    "Client",
    "FateForgotten",
    "HandshakeRefused",
    "HostStore",
    "LinkLost",
    "LiveTable",
    "MemorySetBack",
    "MemoryStore",
    "Refused",
    "ShufflerError",
    "SqliteJournal",
    "TimedOut",
    "WrongReply",
]


def __getattr__(name: str) -> object:
    if name in _HOME_OF:
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
