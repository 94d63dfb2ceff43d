"""Kernel and initial file system of the guest, made from Debian packages and a few files of our own.

Nothing is installed on this machine: packages are unpacked into memory, and only what the guest runs is kept.
"""

import fcntl
import hashlib
import importlib.util
import lzma
import marshal
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from proofs.guest.cpio import CpioWriter

# In the order in which they must be loaded.
MODULES = (
    "virtio_ring", "virtio", "virtio_pci_legacy_dev", "virtio_pci_modern_dev", "virtio_pci",
    "failover", "net_failover", "virtio_net",
    "usb-common", "usbcore", "usbip-core", "vhci-hcd", "cdc-acm",
)  # fmt: skip

LEFT_OUT = (
    "usr/share", "usr/lib/x86_64-linux-gnu/gconv", "usr/lib/x86_64-linux-gnu/audit", "etc", "var",
)  # fmt: skip

LEFT_OUT_OF_PYTHON = {"test", "idlelib", "lib2to3", "ensurepip", "pydoc_data", "distutils", "tkinter", "turtledemo"}

TAG = str(sys.implementation.cache_tag)

XZ_MAGIC = b"\xfd7zXZ\0"


class GuestError(Exception):
    """The guest cannot be made or did not do what was asked."""


@dataclass(frozen=True, kw_only=True)
class GuestImage:
    """What QEMU boots."""

    kernel: Path
    initrd: Path


def build_image(packages: Path, folder: Path, files: Mapping[str, bytes]) -> GuestImage:
    """Make kernel and file system in `folder`; `files` are added by their path in the guest, /init among them."""
    debian = _debian(packages)
    archive = CpioWriter()
    for path, data in files.items():
        archive.add_file(path.lstrip("/"), data, executable=data.startswith(b"#!"))
        _add_compiled(archive, path.lstrip("/"), data)
    initrd = folder / "initrd"
    initrd.write_bytes(debian.initrd.read_bytes() + archive.finish())  # Linux unpacks archives one after the other
    return GuestImage(kernel=debian.kernel, initrd=initrd)


def _debian(packages: Path) -> GuestImage:
    """What comes from Debian, unpacked once and kept beside the packages; several processes may ask at a time."""
    debs = sorted(packages.glob("*.deb"))
    recipe = hashlib.sha256(Path(__file__).read_bytes() + TAG.encode() + "".join(deb.name for deb in debs).encode())
    folder = packages / f"image-{recipe.hexdigest()[:16]}"
    image = GuestImage(kernel=folder / "kernel", initrd=folder / "initrd")
    with (packages / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            with TemporaryDirectory(dir=packages) as unfinished:
                _unpack(debs, Path(unfinished))
                Path(unfinished).rename(folder)
                Path(unfinished).mkdir()  # for the context to remove
    return image


def _unpack(debs: list[Path], folder: Path) -> None:
    kernels = [deb for deb in debs if deb.name.startswith("linux-image-")]
    if len(kernels) != 1:
        raise GuestError(f"there are {len(kernels)} kernel packages, not one: run proofs/guest/fetch-packages")
    archive = CpioWriter()
    for name in ("bin", "sbin", "lib", "lib64"):
        archive.add_link(name, f"usr/{name}")
    for name in ("proc", "sys", "dev", "tmp", "run", "var"):
        archive.add_folder(name)
    archive.add_link("var/run", "../run")
    _add_kernel(archive, kernels[0], folder / "kernel")
    for deb in debs:
        if deb not in kernels:
            _add_package(archive, deb)
    (folder / "initrd").write_bytes(archive.finish())


def _add_kernel(archive: CpioWriter, deb: Path, out: Path) -> None:
    modules: dict[str, bytes] = {}
    builtin = ""
    for member, data in _members(deb):
        name = PurePosixPath(member.name).name
        stem = name.removesuffix(".xz").removesuffix(".ko")
        if name.startswith("vmlinuz-"):
            out.write_bytes(_uncompressed(data()))
        elif name == "modules.builtin":
            builtin = data().decode()
        elif ".ko" in name and stem in MODULES:
            raw = data()
            modules[stem] = lzma.decompress(raw) if name.endswith(".xz") else raw
    lacking = [name for name in MODULES if name not in modules and f"/{name}.ko" not in builtin]
    if lacking or not out.exists():
        raise GuestError(f"{deb.name} lacks {', '.join(lacking) or 'a kernel'}")
    for name, raw in modules.items():
        archive.add_file(f"modules/{name}.ko", raw)
    archive.add_file("modules/order", "\n".join(name for name in MODULES if name in modules).encode() + b"\n")


def _add_package(archive: CpioWriter, deb: Path) -> None:
    for member, data in _members(deb):
        path = _placed(member.name)
        parts = path.split("/")
        if path.startswith(LEFT_OUT) or (len(parts) > 3 and "python3" in path and LEFT_OUT_OF_PYTHON & set(parts)):
            continue
        if member.issym():
            archive.add_link(path, member.linkname)
        elif member.isfile():
            raw = data()
            archive.add_file(path, raw, executable=member.mode & 0o100 != 0)
            _add_compiled(archive, path, raw)


def _add_compiled(archive: CpioWriter, path: str, source: bytes) -> None:
    """A module's bytecode beside it: of use where both have the same Python, since compiling is slow in the guest."""
    folder, _, name = path.rpartition("/")
    if not name.endswith(".py"):
        return
    with warnings.catch_warnings(action="ignore"):
        code = compile(source, f"/{path}", "exec", dont_inherit=True)
    # A header that says "never check the source" (PEP 552), then the code.
    header = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
    archive.add_file(f"{folder}/__pycache__/{name[:-3]}.{TAG}.pyc", header + marshal.dumps(code))


def _placed(name: str) -> str:
    """A package's path in a file system whose /bin, /sbin, /lib and /lib64 are links into /usr."""
    path = name.removeprefix("./").strip("/")
    return f"usr/{path}" if path.split("/")[0] in {"bin", "sbin", "lib", "lib64"} else path


class _Member:
    """Reads a file of the archive when asked."""

    def __init__(self, archive: tarfile.TarFile, member: tarfile.TarInfo) -> None:
        self._archive = archive
        self._member = member

    def __call__(self) -> bytes:
        reader = self._archive.extractfile(self._member)
        assert reader is not None
        return reader.read()


def _members(deb: Path) -> Iterator[tuple[tarfile.TarInfo, _Member]]:
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(deb)], stdout=subprocess.PIPE) as unpacking:
        assert unpacking.stdout is not None
        with tarfile.open(fileobj=unpacking.stdout, mode="r|") as archive:
            for member in archive:
                yield member, _Member(archive, member)
    if unpacking.returncode != 0:
        raise GuestError(f"dpkg-deb cannot read {deb.name}")


def _uncompressed(bzimage: bytes) -> bytes:
    """The ELF kernel inside a bzImage: QEMU starts it at once (PVH), where unpacking it in the guest takes seconds."""
    start = bzimage.find(XZ_MAGIC)
    if start < 0:
        return bzimage
    try:
        elf = lzma.LZMADecompressor().decompress(bzimage[start:])
    except lzma.LZMAError:
        return bzimage
    return elf if elf.startswith(b"\x7fELF") else bzimage


def read_tree(root: Path, *patterns: str) -> dict[str, bytes]:
    """Files below a folder by their path relative to it."""
    found = (path for pattern in patterns for path in root.rglob(pattern) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(found)}
