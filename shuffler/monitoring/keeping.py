"""The monitor's state as a file: arrays in a NumPy archive, the rest as JSON in it. Replaced whole, never half."""

import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from randomness.monitoring import MonitoringError
from shuffler.monitoring.watch import Watch

PLAIN = "plain"
ARRAYS = "arrays"


class KeptWatch(NamedTuple):
    """What was watched, and where in which source."""

    watch: Watch
    source: Mapping[str, Any]


def save(path: Path, watch: Watch, source: Mapping[str, Any]) -> None:
    """Write the state; a reader finds the old or the new one."""
    state = watch.to_state()
    arrays = {}
    for number, device in enumerate(state["devices"]):
        for name, array in device["monitor"].pop(ARRAYS).items():
            arrays[f"{number}/{name}"] = array
    plain = np.frombuffer(json.dumps({"watch": state, "source": dict(source)}).encode(), np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **{PLAIN: plain}, **arrays)  # type: ignore[arg-type]
    fresh = path.with_name(path.name + ".new")
    with fresh.open("wb") as out:
        out.write(buffer.getvalue())
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(path)


def load(path: Path, *, compiled: bool | None = None) -> KeptWatch:
    """Read a state; raises MonitoringError where it is none."""
    try:
        with path.open("rb") as data, np.load(data, allow_pickle=False) as archive:
            plain = json.loads(archive[PLAIN].tobytes())
            state = plain["watch"]
            for number, device in enumerate(state["devices"]):
                head = f"{number}/"
                device["monitor"][ARRAYS] = {
                    name.removeprefix(head): archive[name] for name in archive.files if name.startswith(head)
                }
        return KeptWatch(Watch.from_state(state, compiled=compiled), plain["source"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as problem:
        raise MonitoringError(f"{path} is not a saved state of the monitor ({problem}): name another file") from None
