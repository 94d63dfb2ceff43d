"""A digest of frozen values that stays the same as long as they mean the same.

Fields that have their declared default are left out, so that a setting added by a later version changes no digest of
rules that do not use it; mappings count without their order.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any


def fingerprint(value: Any) -> str:
    """64 hexadecimal digits."""
    told = json.dumps(plain(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(told.encode()).hexdigest()


def plain(value: Any) -> Any:
    """The value as it is digested."""
    if is_dataclass(value):
        return {
            item.name: plain(inner)
            for item in fields(value)
            if item.name[0] != "_" and (inner := getattr(value, item.name)) != _default(item)
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        return [plain(inner) for inner in value]
    return value


def _default(item: Any) -> Any:
    if item.default is not MISSING:
        return item.default
    return item.default_factory() if item.default_factory is not MISSING else MISSING
