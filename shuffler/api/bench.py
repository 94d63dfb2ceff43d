"""A bench: its devices, its tables, one stream of what happens, one audit log. Lives on one event loop."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from shuffler.api.audit import AuditLog
from shuffler.api.certifications import Certifications
from shuffler.api.devices import Devices, utc_now
from shuffler.api.hub import Hub
from shuffler.api.laboratory import Laboratory
from shuffler.api.monitors import Monitors
from shuffler.api.tables import Tables


class Bench:
    """Everything that the API shows and drives."""

    def __init__(self, *, host: str = "127.0.0.1", audit: Path | None = None) -> None:
        """New devices listen on `host`; `audit` is a file for the audit log. Raises OSError where it can't be made."""
        self.host = host
        self.hub = Hub()
        self.audit = AuditLog(utc_now, audit)
        self.devices = Devices(self.hub)
        self.tables = Tables(self.hub, self.devices)
        self.monitors = Monitors(self.tables)
        self.laboratory = Laboratory(self.hub)
        self.certifications = Certifications(self.hub, utc_now)
        self.closing = asyncio.Event()
        self.reset: Callable[[], Awaitable[None]] | None = None  # back to how it was at the start, where that is known
        self.streams = 0
        self.requests = 0
        self.started = time.monotonic()
        self.sections: list[Callable[[], list[tuple[str, str, dict[str, Any]]]]] = [
            self._devices_now,
            self.tables.now,
            lambda: [("randomness", "", self.laboratory.view())],
            self.certifications.now,
        ]

    def _devices_now(self) -> list[tuple[str, str, dict[str, Any]]]:
        return [("device", device.serial, device.view()) for device in self.devices]

    def now(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Everything as it is: kind, subject and document, as the stream would tell it."""
        return [one for section in self.sections for one in section()]

    async def close(self, *, devices: bool = True) -> None:
        """End every stream and take everything away; the devices not where they are somebody else's."""
        self.closing.set()
        self.laboratory.close()
        await self.certifications.close()
        await self.tables.close()
        if devices:
            await self.devices.close()
        self.devices.let_go()
        self.audit.close()
