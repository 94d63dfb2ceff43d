"""The control API beside devices that a command serves: opened, announced, closed."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from shuffler.cli.output import fail

if TYPE_CHECKING:
    from firmware_sim.ports.serving import Location, Served
    from shuffler.api import Address, ApiServer
    from shuffler.kit.transcript import Transcript

EXTRA = ("fastapi", "pydantic", "starlette", "uvicorn")  # what the extra `live` installs
MISSING = "the control API needs the extra `live`: pip install 'shuffler-bench[live]'"


def blame(problem: ImportError) -> BaseException:
    """The failure of a command that could not import the API: the missing extra, or the problem itself."""
    module = (problem.name or "").partition(".")[0]
    return fail(MISSING) if module in EXTRA else problem


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlOptions:
    """How the control API is to be had."""

    port: int
    token_file: Path | None = None
    audit: Path | None = None


class ControlPlane:
    """One bench over devices that somebody else serves."""

    def __init__(self, options: ControlOptions) -> None:
        """Ends the command where the extra is not installed or the audit log can't be written."""
        try:
            from shuffler.api import Bench
        except ImportError as problem:
            raise blame(problem) from None
        try:
            self._bench = Bench(audit=options.audit)
        except OSError as problem:
            raise fail(f"--audit {options.audit}: {problem.strerror}") from None
        self._options = options
        self._transcripts: dict[str, Transcript] = {}
        self._server: ApiServer | None = None

    def tapped(self, places: "Sequence[Location]") -> "list[Location]":
        """The same places with a transcript on each line."""
        from shuffler.api.devices import wall_us
        from shuffler.kit.transcript import Transcript

        made = []
        for place in places:
            transcript = self._transcripts[place.build.serial] = Transcript(place.build.serial, wall_us)
            made.append(replace(place, taps=(*place.taps, transcript), copied=True))
        return made

    async def open(self, served: "Sequence[Served]") -> "Address":
        """Serve the API over these devices."""
        from shuffler.api import ApiServer

        for one in served:
            self._bench.devices.add(one, self._transcripts[one.place.build.serial])
        try:
            self._server = await ApiServer.open(
                self._bench, port=self._options.port, token_file=self._options.token_file
            )
        except OSError as problem:
            raise fail(f"--control {self._options.port}: {problem.strerror or problem}") from None
        return self._server.address

    async def close(self) -> None:
        """End it; the devices are their owner's."""
        if self._server is not None:
            await self._server.close()
        await self._bench.close(devices=False)


def announce(address: "Address") -> None:
    """Say where it is; the token is in the page's address, on a terminal only: a redirected output is a file."""
    typer.echo(f"control API  {address.url}/api/v1  token in {address.token_file}")
    typer.echo(f"page         {address.page if sys.stdout.isatty() else address.url + '/#token=TOKEN'}")


def described(address: "Address") -> dict[str, object]:
    """The same for programs; the token is read from its file."""
    return {"control": f"{address.url}/api/v1", "token_file": str(address.token_file)}
