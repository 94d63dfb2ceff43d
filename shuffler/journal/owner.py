"""One process writes a journal: a lock beside the file that the operating system lets go when the process ends."""

import os
import socket
from pathlib import Path

from shuffler.journal.errors import JournalInUse, JournalUnwritable

MAX_NOTE_BYTES = 200
ATTEMPTS = 100  # each fails only if another process ended between two calls


class JournalOwner:
    """Holds the lock of a journal until `release`; raises JournalInUse if another process holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(path.name + "-lock")
        try:
            self._file: int | None = self._locked(path)
        except OSError as problem:
            raise JournalUnwritable(f"{self._path}: can't be locked ({problem.strerror})") from None

    def release(self) -> None:
        """Let others write the journal."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = None

    def _locked(self, path: Path) -> int:
        for _ in range(ATTEMPTS):
            file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                _lock(file)
            except OSError:
                note = os.read(file, MAX_NOTE_BYTES).decode(errors="replace")
                os.close(file)
                raise JournalInUse(
                    f"{path}: another program is writing this journal ({note or 'it has just started'}): close it"
                    " or name another journal"
                ) from None
            if _is_at(file, self._path):
                os.truncate(file, 0)
                os.write(file, f"process {os.getpid()} on {socket.gethostname()}".encode())
                return file
            os.close(file)  # its owner removed it between our two calls
        raise JournalInUse(f"{path}: other programs open and close this journal all the time: close them first")


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
else:

    def _lock(file: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
