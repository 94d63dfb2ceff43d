"""Where collected data come from: the device by its own words and by its program's digest, the tool, the time."""

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from protocol import messages as m
from protocol.vocabulary import DeviceFlag
from shuffler.host.client import Client

SECRETS = ("--supervisor", "--technician", "--laboratory")


def now() -> str:
    """The time, to the second, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def provenance(client: Client, method: str, command: Sequence[str] = ()) -> dict[str, Any]:
    """What is known before the first deck. The program's digest is keyed by a challenge, so that none can be replayed:
    whoever holds the firmware's files computes the same from it. The digest for a challenge of zeros is the same from
    one collection to the next, and says whether the program is."""
    info = client.ask(m.GetInfo(), m.Info)
    challenge = os.urandom(32)
    verified = client.ask(m.Verify(challenge=challenge), m.Verified)
    program = client.ask(m.Verify(challenge=bytes(32)), m.Verified)
    counters = client.ask(m.GetCounters(), m.Counters)
    welcome = client.welcome
    flags = [flag.name for flag in DeviceFlag if flag in info.flags]
    return {
        "method": method,
        "started": now(),
        "tool": f"shuffler-bench {_version()}",
        "command": shlex.join(["shuffler", *without_secrets(command)]),
        "url": client.url,
        "device": {
            "model": info.model,
            "serial": info.serial,
            "firmware": info.firmware,
            "profile": info.profile,
            "flags": flags,
            "program_sha256": program.digest.hex(),
            "program_proof": {"challenge": challenge.hex(), "hmac_sha256": verified.digest.hex()},
            "program_files": verified.files,
            "event_epoch": "" if welcome is None else f"{welcome.epoch:016x}",
            "power_ups": counters.power_ups,
            "shuffles_before": counters.shuffles,
            "log_length": counters.log_length,
            "log_head": counters.log_head.hex(),
        },
    }


def without_secrets(command: Sequence[str]) -> list[str]:
    """A command line whose roles' words are blotted out."""
    said: list[str] = []
    secret = False
    for part in command:
        name = part.partition("=")[0]
        if secret:
            said.append("…")
        elif name in SECRETS and "=" in part:
            said.append(f"{name}=…")
        else:
            said.append(part)
        secret = not secret and part in SECRETS
    return said


def _version() -> str:
    try:
        return metadata.version("shuffler-bench")
    except metadata.PackageNotFoundError:
        return "not installed"
