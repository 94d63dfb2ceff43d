"""Boots the guest and talks with it: facts and wishes come over its console, time is bounded, the log is kept."""

import asyncio
import shlex
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from proofs.guest.image import GuestError, GuestImage

# Under the guest's user-mode network this address is nobody; the forward makes it the USB/IP server.
SERVER_IN_GUEST = "10.0.2.100"
SERVER_PORT_IN_GUEST = 3240

MARK = "@@ "
LINES_MAX = 20_000

# Full emulation always: what /dev/kvm is worth differs from machine to machine, and the guest is small.
QEMU = (
    "qemu-system-x86_64", "-accel", "tcg", "-cpu", "max", "-machine", "pc", "-smp", "1", "-m", "512",
    "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-serial", "stdio", "-monitor", "none",
)  # fmt: skip

KERNEL_LINE = "console=ttyS0 quiet loglevel=3 panic=-1 oops=panic rdinit=/init"


@dataclass(kw_only=True)
class Transcript:
    """What the guest said: everything, and the facts by name."""

    lines: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    def __str__(self) -> str:
        return "\n".join(self.lines)


async def run_guest(
    image: GuestImage, *, scenario: str, port: int, timeout_s: float, grant: Callable[[str], None]
) -> Transcript:
    """Boot, let the scenario run, and return what it told; `grant` fulfils its wishes while it runs.

    The guest reaches nothing but the server on `port` of this machine's loopback.
    """
    relay = shlex.join((sys.executable, "-S", "-E", str(Path(__file__).with_name("relay.py")), str(port)))
    forward = f"guestfwd=tcp:{SERVER_IN_GUEST}:{SERVER_PORT_IN_GUEST}-cmd:{relay}".replace(",", ",,")
    command = (
        *QEMU,
        "-kernel", str(image.kernel), "-initrd", str(image.initrd),
        "-append", f"{KERNEL_LINE} scenario={scenario} hosts_port={port}",
        "-netdev", f"user,id=n0,restrict=on,{forward}",
        "-device", "virtio-net-pci,netdev=n0,romfile=",
    )  # fmt: skip
    transcript = Transcript()
    started = time.monotonic()
    machine = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    try:
        async with asyncio.timeout(timeout_s):
            await _listen(machine, transcript, grant)
            await machine.wait()
    except TimeoutError:
        raise GuestError(f"the guest was not done after {timeout_s:g} s; its console:\n{transcript}") from None
    finally:
        if machine.returncode is None:
            machine.kill()
            await machine.wait()
    transcript.seconds = time.monotonic() - started
    if "done" not in transcript.facts:
        raise GuestError(f"the guest stopped before it was done (code {machine.returncode}):\n{transcript}")
    return transcript


async def _listen(machine: asyncio.subprocess.Process, transcript: Transcript, grant: Callable[[str], None]) -> None:
    assert machine.stdout is not None
    async for raw in machine.stdout:
        line = raw.decode("utf-8", "replace").rstrip()
        if len(transcript.lines) < LINES_MAX:
            transcript.lines.append(line)
        _, mark, said = line.partition(MARK)
        if not mark:
            continue
        kind, _, rest = said.partition(" ")
        if kind == "ask":
            grant(rest)
        elif kind == "fact":
            name, _, value = rest.partition(" ")
            transcript.facts[name] = value
