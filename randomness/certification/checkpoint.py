"""A run on disk, to go on from: one .npz with the arrays and, as JSON, everything else. Replaced in one step."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.certification.errors import CheckpointError
from randomness.certification.numpy_errors import DAMAGED

_ARRAY = "array:"


def save(path: Path, identity: str, state: dict[str, Any]) -> None:
    """Write beside the old one, then take its place: a crash leaves the old one or the new one."""
    if path.exists() and not path.is_file():
        raise CheckpointError(f"can't write the checkpoint {path}: not a regular file")
    arrays: dict[str, NDArray[Any]] = {}
    head = json.dumps({"identity": identity, "state": _taken_apart(state, arrays)})
    arrays["head"] = np.frombuffer(head.encode(), np.uint8)
    beside = path.with_name(path.name + ".new")
    try:
        with open(beside, "wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError as error:
        raise CheckpointError(f"can't write the checkpoint {path}: {error.strerror}") from None


def load(path: Path, identity: str) -> dict[str, Any]:
    """The state, if it is of the run with this identity."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            arrays = {name: kept[name] for name in kept.files}
        head = json.loads(arrays.pop("head").tobytes())
        found, state = head["identity"], _put_together(head["state"], arrays)
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint {path} to go on from") from None
    except DAMAGED as error:
        raise CheckpointError(f"the checkpoint {path} is damaged ({error}); start again without --resume") from None
    if found != identity:
        raise CheckpointError(
            f"the checkpoint {path} is of another run: plan, source, seed, decks and code must be the same"
        )
    return dict(state)


def _taken_apart(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: _taken_apart(part, arrays) for key, part in value.items()}
    if isinstance(value, list) and len(value) > 64 and all(type(part) is int for part in value):
        value = np.array(value, np.int64)
    if isinstance(value, np.ndarray):
        name = f"a{len(arrays)}"
        arrays[name] = value
        return _ARRAY + name
    if isinstance(value, list | tuple):
        return [_taken_apart(part, arrays) for part in value]
    return value.item() if isinstance(value, np.generic) else value


def _put_together(value: Any, arrays: dict[str, NDArray[Any]]) -> Any:
    if isinstance(value, dict):
        return {key: _put_together(part, arrays) for key, part in value.items()}
    if isinstance(value, list):
        return [_put_together(part, arrays) for part in value]
    if isinstance(value, str) and value.startswith(_ARRAY):
        return arrays[value.removeprefix(_ARRAY)]
    return value
