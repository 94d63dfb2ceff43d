"""`shuffler fuzz`: malformed and out-of-order traffic, and what broke the peer as a small file that repeats it."""

import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from shuffler.cli.exit_codes import FAILED, INTERRUPTED
from shuffler.cli.output import device_failed, fail, say, warn

if TYPE_CHECKING:
    from shuffler.kit.fuzz.device import Broke
    from shuffler.kit.fuzz.steps import FuzzStep


def fuzz(
    url: Annotated[
        str | None, typer.Argument(help="A device to fuzz: serial port, socket://HOST:PORT, usb://…, usbip://…")
    ] = None,
    listen: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, help="Fuzz a controller instead: be a device on this TCP port, 0 for any free one."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    seed: Annotated[int | None, typer.Option(min=0, help="Repeat a run. Default: a fresh one, printed.")] = None,
    steps: Annotated[int, typer.Option(min=1, max=100_000, help="How much to throw.")] = 400,
    out: Annotated[Path, typer.Option(help="Where what broke it is written.")] = Path("broke.fuzz.toml"),
    repeat: Annotated[Path | None, typer.Option(help="Run such a file again instead of a seed.")] = None,
    patience: Annotated[float, typer.Option(min=1.0, max=86400.0, help="Seconds to wait for a controller.")] = 60.0,
    secure: Annotated[Path | None, typer.Option(help="Secure mode with the key in this file.")] = None,
) -> None:
    """Throw malformed and out-of-order traffic at a device, or at a controller that connects.

    It watches that the peer answers and stays right. Exit code 1 where something broke it. Commands among the traffic
    move cards and acknowledge events: never fuzz a device in play.
    """
    from protocol.catalogue import Way
    from shuffler.kit.fuzz.steps import steps as drawn

    if (url is None) == (listen is None):
        raise fail("give the URL of a device, or --listen PORT for a controller")
    seed = secrets.randbelow(1 << 32) if seed is None else seed
    way = Way.HOST if listen is None else Way.DEVICE
    thrown = drawn(seed, steps, way) if repeat is None else _read(repeat)
    warn(f"{len(thrown)} steps of {repeat}" if repeat is not None else f"seed {seed}, {len(thrown)} steps")
    broke = _run(url, listen, host, thrown, patience, secure)
    if broke is None:
        say(f"{len(thrown)} steps: it answers and is right")
        return
    _tell(broke, url, thrown[: broke.after], seed, out if repeat is None else None, secure)
    raise typer.Exit(FAILED)


def _run(
    url: str | None, listen: int | None, host: str, thrown: "Sequence[FuzzStep]", patience: float, secure: Path | None
) -> "Broke | None":
    from shuffler.cli.keys import read_key
    from shuffler.errors import ShufflerError
    from shuffler.kit.conformance.verdict import Failed, NotSeen
    from shuffler.kit.fuzz.live import fuzz_controller, fuzz_device

    key = read_key(secure) if secure is not None else None
    try:
        if url is not None:
            return fuzz_device(url, thrown, key=key)
        return fuzz_controller(
            thrown, host=host, port=listen or 0, patience_s=patience, key=key,
            ready=lambda where: warn(f"throwing from {where}: connect the controller"),
        )  # fmt: skip
    except ShufflerError as problem:
        raise device_failed(problem) from None
    except (NotSeen, Failed) as problem:
        raise fail(f"{problem}; nothing was thrown", FAILED) from None
    except OSError as problem:
        raise fail(f"can't listen on {host}: {problem.strerror or problem}") from None
    except KeyboardInterrupt:
        raise fail("stopped", INTERRUPTED) from None


def _tell(
    broke: "Broke", url: str | None, thrown: "Sequence[FuzzStep]", seed: int, out: Path | None, secure: Path | None
) -> None:
    from shuffler.cli.keys import read_key
    from shuffler.kit.fuzz.case_file import text_of
    from shuffler.kit.fuzz.live import shrink_device

    say(f"BROKEN: {broke.problem}")
    if out is None:
        return
    small = list(thrown)
    if url is not None:
        small = shrink_device(url, thrown, key=read_key(secure) if secure is not None else None)
    try:
        out.write_text(text_of(small, seed=seed, problem=broke.problem), encoding="utf-8")
    except OSError as problem:
        raise fail(f"{out}: {problem.strerror}") from None
    where = url if url is not None else "--listen PORT"
    say(f"{len(small)} of {len(thrown)} steps are in {out}: shuffler fuzz {where} --repeat {out}")


def _read(path: Path) -> "list[FuzzStep]":
    from shuffler.kit.fuzz.case_file import BadCase, read_case
    from strict_toml import read_source

    try:
        return read_case(read_source(path, lambda file, _, problem: BadCase(f"{file}: {problem}")))
    except FileNotFoundError:
        raise fail(f"{path}: no such file") from None
    except BadCase as problem:
        raise fail(str(problem)) from None
