"""Every change that came through the API: who asked is always the token's holder, so when, what and what came of it."""

import json
import logging
import os
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

KEEP = 2000
TEXT_MAX = 2000

log = logging.getLogger(__name__)


def _private(path: Path) -> TextIO:
    """Open a file to append to; only its owner may read it, since bodies hold rigged cards and keys."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "a", encoding="utf-8")


class AuditLog:
    """The newest changes in memory and, where a file is given, all of them in it; bodies are cut, no token is seen."""

    def __init__(self, clock: Callable[[], str], path: Path | None = None) -> None:
        """`clock` gives the time for a line; raises OSError where the file can't be opened."""
        self._clock = clock
        self._lines: deque[dict[str, Any]] = deque(maxlen=KEEP)
        self._file: TextIO | None = None if path is None else _private(path)
        self.count = 0

    def note(self, method: str, path: str, body: bytes, status: int) -> dict[str, Any]:
        """One change, done or refused."""
        self.count += 1
        line = {
            "number": self.count, "at": self._clock(), "method": method, "path": path,
            "body": body[:TEXT_MAX].decode("utf-8", "replace"), "status": status,
        }  # fmt: skip
        self._lines.append(line)
        if self._file is not None:
            try:
                self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._file.flush()
            except OSError as problem:
                log.warning("the audit log can't be written any more: %s", problem.strerror)
                self._file = None
        return line

    def after(self, number: int, limit: int) -> list[dict[str, Any]]:
        """Lines with a higher number, oldest first."""
        return [line for line in self._lines if line["number"] > number][:limit]

    def close(self) -> None:
        """Let the file go."""
        if self._file is not None:
            self._file.close()
            self._file = None
