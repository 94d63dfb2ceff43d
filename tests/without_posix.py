"""Runs `shuffler` or pytest in a process that lacks what Windows lacks: python tests/without_posix.py shuffler demo

Third-party packages are imported before: on Windows they have branches of their own.
"""

import asyncio
import importlib.abc
import multiprocessing.popen_spawn_posix  # noqa: F401 - the standard library's own
import os
import runpy
import select
import selectors  # noqa: F401
import sys

import click  # noqa: F401
import fastapi  # noqa: F401
import pytest  # noqa: F401
import rich.console  # noqa: F401
import serial.rfc2217
import serial.urlhandler.protocol_socket  # noqa: F401
import typer  # noqa: F401
import uvicorn  # noqa: F401
from _pytest import config, pytester  # noqa: F401

MODULES = ("termios", "tty", "pty", "fcntl", "resource", "pwd", "grp")
ATTRIBUTES = {os: ("fchmod", "openpty", "fork", "forkpty"), select: ("poll",)}


class Missing(importlib.abc.MetaPathFinder):
    """Finds none of the modules that only POSIX has."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _no_signals(*_: object) -> None:
    raise NotImplementedError


class Msvcrt:
    """The one call of Windows' own module that the journal's lock makes there."""

    LK_NBLCK = 2

    @staticmethod
    def locking(*_: object) -> None:
        """Every lock is free."""


def block() -> None:
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Missing())
    for where, names in ATTRIBUTES.items():
        for name in names:
            delattr(where, name)
    asyncio.SelectorEventLoop.add_signal_handler = _no_signals  # type: ignore[method-assign,assignment]
    sys.modules["msvcrt"] = Msvcrt  # type: ignore[assignment]


if __name__ == "__main__":
    block()
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.getcwd())
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
