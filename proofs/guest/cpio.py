"""A writer of `newc` cpio archives, the form in which Linux takes an initial file system."""

import io
import stat

# Header: magic, then thirteen numbers of eight hexadecimal digits (Documentation/driver-api/early-userspace).
MAGIC = b"070701"


class CpioWriter:
    """Files, links and folders in the order they are added; parent folders appear by themselves."""

    def __init__(self) -> None:
        self._out = io.BytesIO()
        self._folders: set[str] = {""}
        self._inode = 0

    def add_file(self, path: str, data: bytes, *, executable: bool = False) -> None:
        self._entry(path, stat.S_IFREG | (0o755 if executable else 0o644), data)

    def add_link(self, path: str, target: str) -> None:
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def add_folder(self, path: str) -> None:
        if path not in self._folders:
            self._entry(path, stat.S_IFDIR | 0o755, b"")
            self._folders.add(path)

    def finish(self) -> bytes:
        self._write("TRAILER!!!", 0, b"")
        return self._out.getvalue()

    def _entry(self, path: str, mode: int, data: bytes) -> None:
        parent = path.rpartition("/")[0]
        if parent not in self._folders:
            self.add_folder(parent)
        self._write(path, mode, data)

    def _write(self, path: str, mode: int, data: bytes) -> None:
        self._inode += 1
        name = path.encode() + b"\0"
        numbers = (self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name), 0)
        self._out.write(MAGIC + b"".join(b"%08x" % number for number in numbers) + name)
        self._pad()
        self._out.write(data)
        self._pad()

    def _pad(self) -> None:
        self._out.write(bytes(-self._out.tell() % 4))
