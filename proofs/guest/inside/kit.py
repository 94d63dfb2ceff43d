"""What every scenario in the guest needs: telling facts, asking for wishes, waiting with a limit, usbip, dmesg."""

import contextlib
import os
import re
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

SERVER = "10.0.2.100"
PORT = Path("/dev/ttyACM0")

ERROR_LEVEL = 3  # KERN_ERR; lower is worse

# What Linux says when a cable is pulled while a program writes: -ENODEV to the driver, -EPIPE on the connection.
GONE = re.compile(r"usb_submit_urb\(.*\) failed: -19|sendmsg failed!, ret=-(32|104)|enqueue for inactive port")

# vhci_hcd calls a full-speed device an error when its port is reset: its driver has no case for that speed.
FULL_SPEED = re.compile(r"vhci_device speed not set")

EXPECTED: list["Expected"] = []


def fact(name: str, value: object = "yes") -> None:
    print(f"@@ fact {name} {value}", flush=True)


def parameter(name: str) -> int:
    """A number that the kernel's command line gives."""
    return int(dict(word.partition("=")[::2] for word in Path("/proc/cmdline").read_text().split())[name])


def ask(wish: str) -> None:
    print(f"@@ ask {wish}", flush=True)


def until(condition: Callable[[], object], what: str, *, seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:g} s for {what}")
        time.sleep(0.01)


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def attach(busid: str = "1-1", port: Path = PORT) -> None:
    """Attach with Debian's usbip and wait for the kernel's serial port."""
    run("usbip", "attach", "-r", SERVER, "-b", busid)
    until(port.exists, f"{port}")


def attach_when_there(busid: str = "1-1", *, seconds: float = 30.0) -> None:
    """Attach as soon as the server has the device."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return attach(busid)
        except RuntimeError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def detach(number: int = 0, port: Path = PORT) -> None:
    run("usbip", "detach", "-p", str(number))
    until(lambda: not port.exists(), f"{port} to go")


def is_reached(host: str, port: int, *, seconds: float = 1.0) -> bool:
    """Whether somebody takes a connection there."""
    try:
        socket.create_connection((host, port), timeout=seconds).close()
    except OSError:
        return False
    return True


class Line(NamedTuple):
    """A line of the kernel's log."""

    number: int
    level: int
    text: str


def kernel_log() -> list[Line]:
    """Everything the kernel has said so far."""
    reader = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            head, _, text = os.read(reader, 8192).decode("utf-8", "replace").partition(";")
            level, number, *_ = head.split(",")
            found.append(Line(int(number), int(level) & 7, text.split("\n")[0]))
    os.close(reader)
    return found


class Expected(NamedTuple):
    """Lines of the log that may have these complaints in them."""

    lines: range
    what: re.Pattern[str]


@contextlib.contextmanager
def expecting(what: re.Pattern[str]) -> Iterator[None]:
    """Let the kernel complain so inside the block."""
    start = last_number()
    yield
    EXPECTED.append(Expected(range(start + 1, last_number() + 1), what))


def last_number() -> int:
    return kernel_log()[-1].number


@contextlib.contextmanager
def cable_pulled() -> Iterator[None]:
    """Have the cable pulled, and plugged in and attached again after the block."""
    with expecting(GONE):
        ask("unplug")
        yield
        until(lambda: not PORT.exists(), "the port to go")
        ask("plug")
        attach_when_there()


def errors_since(start: int) -> list[str]:
    """What the kernel called an error, but for what was expected where it was."""
    return [
        line.text
        for line in kernel_log()
        if line.number > start
        and line.level <= ERROR_LEVEL
        and not any(line.number in one.lines and one.what.search(line.text) for one in EXPECTED)
    ]


@contextlib.contextmanager
def scenario() -> Iterator[None]:
    """Run a scenario: its end or its traceback is told, then the kernel's errors and whether it is tainted."""
    start = last_number()
    try:
        yield
    except Exception:
        traceback.print_exc(file=sys.stdout)
        for line in kernel_log()[-60:]:
            print(f"dmesg <{line.level}> {line.text}")
        raise SystemExit(1) from None
    fact("kernel", f"{os.uname().release} {os.uname().version}")
    fact("kernel_errors", errors_since(start))
    fact("tainted", Path("/proc/sys/kernel/tainted").read_text().strip())
    fact("done")
