"""The file that a device's memory lies in: its owner's alone to read, replaced in one step."""

import os
from hashlib import sha256
from pathlib import Path
from string import ascii_letters, digits

CLOSE_ON_EXEC = getattr(os, "O_CLOEXEC", 0)
OWNER_ONLY = 0o600
OWNER_FOLDER = 0o700
_PLAIN = frozenset(ascii_letters + digits + "-_")
_LONGEST = 200  # a file name has at most 255 bytes, with .nv and .new
_HEAD = 100


def make_folder(folder: Path) -> None:
    """A folder for memory files that only its owner may enter; one that is there already is closed to others."""
    folder.mkdir(mode=OWNER_FOLDER, parents=True, exist_ok=True)
    folder.chmod(OWNER_FOLDER)


def file_name(serial: str) -> str:
    """The memory file of a device: its serial number, with whatever else than letters, digits, - and _ spelt %XX.

    So a serial is a name and never a path, and no two serials share a file.
    """
    encoded = "".join(chr(code) if chr(code) in _PLAIN else f"%{code:02X}" for code in serial.encode())
    if len(encoded) > _LONGEST:
        encoded = f"{encoded[:_HEAD]}%{sha256(serial.encode()).hexdigest()}"
    return f"{encoded}.nv"


class FileMedium:
    """Bytes in a file; `durable=False` leaves flushing to the operating system (a process kill loses nothing)."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self._path = path
        self._durable = durable
        self._descriptor = self._opened()

    def read(self) -> bytes:
        return self._path.read_bytes()

    def append(self, data: bytes) -> None:
        end = os.fstat(self._descriptor).st_size
        try:
            _write_all(self._descriptor, data)
            if self._durable:
                os.fsync(self._descriptor)
        except OSError:
            os.ftruncate(self._descriptor, end)  # a half-written record must not stand in the way of the next
            raise

    def replace(self, data: bytes) -> None:
        beside = self._path.with_name(self._path.name + ".new")
        try:
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | CLOSE_ON_EXEC, OWNER_ONLY)
            try:
                _keep_private(descriptor)
                _write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            os.replace(beside, self._path)
        except OSError:
            beside.unlink(missing_ok=True)
            raise
        _sync_folder(self._path.parent)
        os.close(self._descriptor)
        self._descriptor = self._opened()

    def close(self) -> None:
        """Let the file go."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _opened(self) -> int:
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | CLOSE_ON_EXEC, OWNER_ONLY)
        _keep_private(descriptor)
        return descriptor


def _keep_private(descriptor: int) -> None:
    """Let its owner alone read a file, also one that was open to others before."""
    if hasattr(os, "fchmod"):  # Windows has other rights
        os.fchmod(descriptor, OWNER_ONLY)


def _sync_folder(path: Path) -> None:
    """Make a new name durable; on Windows a folder can't be opened, and the name is."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _write_all(descriptor: int, data: bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left) :]
