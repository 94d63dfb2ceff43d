"""Words of the command line as values, without pydantic: typer loads it for the first value of any command, which takes
longer than many a command. What is plainly a word, a number within its limits or a path that may be used is taken here;
everything else, and every refusal, is typer's. A typer that keeps no converter beside a parameter is left as it is."""

import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args, get_origin

NUMBER: dict[type, re.Pattern[str]] = {
    int: re.compile(r"-?[0-9]{1,18}"),
    float: re.compile(r"-?[0-9]{1,15}(\.[0-9]{1,15})?"),
}


def spare_pydantic(params: Iterable[Any]) -> None:
    """Let the parameters of a command take plain values by themselves."""
    for param in params:
        if getattr(param, "_runtime_param", param) is None and (read := _reader(param.type_descriptor)) is not None:
            param._runtime_param = _PlainFirst(read)


class _PlainFirst:
    """Stands where typer keeps a parameter's converter, and makes way for it when a value is not plain."""

    def __init__(self, read: Callable[[Any], Any]) -> None:
        self._read = read

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        try:
            return self._read(value)
        except _NotPlain:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)


class _NotPlain(Exception):
    """A value that typer must convert or refuse."""


def _reader(descriptor: Any) -> Callable[[Any], Any] | None:
    """How a plain value of this kind is read; None for kinds that are typer's business."""
    kind, info = descriptor.annotation, descriptor.parameter_info
    if get_origin(kind) is list:
        one = _one(get_args(kind)[0], info)
        return None if one is None else lambda value: [one(item) for item in _several(value)]
    return _one(kind, info)


def _one(kind: Any, info: Any) -> Callable[[Any], Any] | None:
    if info.parser is not None:
        return None
    if kind in (bool, str):
        return lambda value: _as_given(kind, value)
    if kind in NUMBER and not info.clamp:
        return lambda value: _number(kind, info.min, info.max, value)
    if kind is Path and not (info.exists or info.writable or info.resolve_path or info.allow_dash or info.path_type):
        return _path if info.file_okay and info.dir_okay else None
    return None


def _several(value: Any) -> Any:
    if not isinstance(value, list | tuple):
        raise _NotPlain
    return value


def _as_given(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise _NotPlain
    return value


def _number(kind: type[int] | type[float], least: float | None, most: float | None, value: Any) -> float:
    number = kind(value) if isinstance(value, str) and NUMBER[kind].fullmatch(value) else value
    if type(number) is not kind:
        raise _NotPlain
    if (least is not None and number < least) or (most is not None and number > most) or number != number:
        raise _NotPlain
    return number


def _path(value: Any) -> Path:
    if not isinstance(value, str | Path) or "\0" in str(value):
        raise _NotPlain
    if os.path.exists(value) and not os.access(value, os.R_OK):
        raise _NotPlain
    return Path(value)
