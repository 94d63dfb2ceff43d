"""`shuffler doctor`: what this machine has, what it lacks, and what to do about it."""

import json
import os
import platform
import shutil
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from shuffler.cli.exit_codes import FAILED

PORTS = {7001: "shuffler emulate", 7080: "shuffler live", 3240: "USB/IP"}
EXTRAS = {
    "live": (("fastapi", "uvicorn"), "the control API and the page"),
    "certify": (("numba",), "certification at full speed"),
    "usb": (("usb",), "devices on USB"),
    "formats": (("pyarrow", "zstandard"), "recorded decks in Parquet and zstd"),
    "cluster": (("distributed",), "certification on several machines"),
}
PROGRAMS = {
    "chromium": "the tests of the page, and certificates as PDF",
    "node": "the example controller in Node",
    "gcc": "the example controller in C, and a fast crcmod",
    "tshark": "reading captures on the command line",
    "dieharder": "outside tests of raw bits",
}


class Check(NamedTuple):
    """One line of the report; `needed` ones decide the exit code."""

    what: str
    fine: bool
    said: str
    needed: bool = False


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as one line of JSON.")] = False,
) -> None:
    """Check versions, optional parts, ports, permissions and programs; each with what to do where it is missing.

    Exit code 1 where something that every command needs is missing.
    """
    found = [one for check in CHECKS for one in check()]
    if as_json:
        typer.echo(json.dumps([one._asdict() for one in found]))
    else:
        for one in found:
            typer.echo(f"{'ok  ' if one.fine else 'MISS' if one.needed else 'no  '} {one.what:<24} {one.said}")
    if any(one.needed and not one.fine for one in found):
        raise typer.Exit(FAILED)


def _versions() -> Iterator[Check]:
    fine = sys.version_info >= (3, 11)
    said = platform.python_version() + ("" if fine else "; Python 3.11 or newer is needed")
    yield Check("Python", fine, said, needed=True)
    for name in ("shuffler-bench", "numpy", "cryptography", "construct", "crcmod", "pyserial"):
        try:
            yield Check(name, True, version(name), needed=True)
        except PackageNotFoundError:
            yield Check(name, False, f"pip install {name}", needed=True)
    from protocol.crc import is_compiled
    from shuffler.cli.compiled import MODULES, build, compiled_modules

    yield Check("build", len(compiled_modules()) in (0, len(MODULES)), build())
    compiled = is_compiled()
    slow = "install a compiler and reinstall crcmod: without it checks run 18 times slower"
    yield Check("crcmod's extension", compiled, "compiled" if compiled else slow)


def _extras() -> Iterator[Check]:
    for name, (modules, use) in EXTRAS.items():
        missing = [module for module in modules if find_spec(module) is None]
        said = use if not missing else f"{use}: pip install 'shuffler-bench[{name}]'"
        yield Check(f"extra {name}", not missing, said)


def _ports() -> Iterator[Check]:
    for port, use in PORTS.items():
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                yield Check(f"port {port}", True, f"free, for {use}")
            except OSError as problem:
                yield Check(f"port {port}", False, f"{problem.strerror}: {use} needs another one by its option")


def _permissions() -> Iterator[Check]:
    try:
        master, slave = os.openpty()
        os.close(master)
        os.close(slave)
        yield Check("pseudo-terminals", True, "a device can be served as a serial port")
    except OSError as problem:
        yield Check("pseudo-terminals", False, f"{problem.strerror}: serve devices with --tcp instead of --pty")
    if find_spec("fastapi") is not None:
        from shuffler.api.access import token_folder

        folder = token_folder()
        while not folder.exists():
            folder = folder.parent
        fine = os.access(folder, os.W_OK)
        said = str(token_folder()) if fine else f"{folder} can't be written: give --token-file"
        yield Check("token folder", fine, said)
    ports = sorted(Path("/dev").glob("tty[AU][CS][MB]*"))
    if ports:
        usable = [path for path in ports if os.access(path, os.R_OK | os.W_OK) and stat.S_ISCHR(path.stat().st_mode)]
        said = ", ".join(map(str, usable)) if usable else f"{ports[0]} may not be opened: join its group (dialout)"
        yield Check("serial ports", bool(usable), said)


def _programs() -> Iterator[Check]:
    for name, use in PROGRAMS.items():
        where = shutil.which(name)
        yield Check(name, where is not None, where or f"not installed; needed for {use}")


CHECKS: tuple[Callable[[], Iterator[Check]], ...] = (_versions, _extras, _ports, _permissions, _programs)
