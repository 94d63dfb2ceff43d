"""What every scenario in the guest needs: telling facts, asking for wishes, waiting with a limit, usbip, dmesg."""

import contextlib
import os
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

SERVER = "10.0.2.100"
PORT = Path("/dev/ttyACM0")

ERROR_LEVEL = 3  # KERN_ERR; lower is worse


def fact(name: str, value: object = "yes") -> None:
    print(f"@@ fact {name} {value}", flush=True)


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


def attach(busid: str = "1-1") -> None:
    """Attach with Debian's usbip and wait for the kernel's serial port."""
    run("usbip", "attach", "-r", SERVER, "-b", busid)
    until(PORT.exists, f"{PORT}")


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


def detach(port: int = 0) -> None:
    run("usbip", "detach", "-p", str(port))
    until(lambda: not PORT.exists(), f"{PORT} to go")


def kernel_log() -> list[tuple[int, str]]:
    """Level and text of every line so far."""
    reader = os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK)
    found = []
    with contextlib.suppress(BlockingIOError):
        while True:
            head, _, text = os.read(reader, 8192).decode("utf-8", "replace").partition(";")
            found.append((int(head.split(",")[0]) & 7, text.split("\n")[0]))
    os.close(reader)
    return found


@contextlib.contextmanager
def scenario() -> Iterator[None]:
    """Run a scenario: its end or its traceback is told, then the kernel's errors and whether it is tainted."""
    try:
        yield
    except Exception:
        traceback.print_exc(file=sys.stdout)
        for level, text in kernel_log()[-60:]:
            print(f"dmesg <{level}> {text}")
        raise SystemExit(1) from None
    errors = [text for level, text in kernel_log() if level <= ERROR_LEVEL]
    fact("kernel_errors", len(errors))
    for text in errors:
        print(f"dmesg error: {text}")
    fact("tainted", Path("/proc/sys/kernel/tainted").read_text().strip())
    fact("done")
