"""A PostgreSQL server of its own in a scratch folder, for tests, proofs and benchmarks; stopped and removed afterwards.

`initdb` and `postgres` refuse to run as root, so root drops to the user `postgres`.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PLACES = ("/usr/lib/postgresql", "/usr/pgsql")
QUICK = ("fsync=off", "full_page_writes=off", "synchronous_commit=on")


def programs() -> Path | None:
    """Where the server's programs are: Debian keeps them off the path."""
    if (found := shutil.which("initdb")) is not None:
        return Path(found).resolve().parent
    folders = [one for place in PLACES for one in Path(place).glob("*/bin") if (one / "initdb").exists()]
    return max(folders, key=lambda one: float(one.parent.name), default=None)


class Cluster:
    """One server."""

    def __init__(self, folder: Path, *, quick: bool, settings: tuple[str, ...] = ()) -> None:
        found = programs()
        assert found is not None, "PostgreSQL is not installed"
        self._programs = found
        self.folder, self.data = folder, folder / "data"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._as: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        if self.data.exists():  # of an earlier run that may have been killed
            with suppress(RuntimeError):
                self.stop()
        else:
            how = ("-A", "trust", "-U", "owner", "-E", "UTF8", "--no-locale", "--no-sync")
            self.run("initdb", "-D", str(self.data), *how)
        lines = [
            f"port={self.port}",
            "listen_addresses='127.0.0.1'",
            f"unix_socket_directories='{folder}'",
            "max_connections=200",
            "shared_buffers=64MB",
            "logging_collector=off",
            *(QUICK if quick else ()),
            *settings,
        ]
        with (self.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.start()

    def url(self, database: str = "postgres", user: str = "owner") -> str:
        """Over TCP on loopback, so that a connection can be cut."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start and wait until it answers."""
        self.run("pg_ctl", "-D", str(self.data), "-l", str(self.folder / "log"), "-w", "-t", "60", "start")

    def stop(self, mode: str = "immediate") -> None:
        """Stop and wait."""
        self.run("pg_ctl", "-D", str(self.data), "-m", mode, "-w", "-t", "60", "stop")

    def restart(self, mode: str = "immediate") -> None:
        """As after a crash of the server's processes."""
        log = str(self.folder / "log")
        self.run("pg_ctl", "-D", str(self.data), "-l", log, "-m", mode, "-w", "-t", "60", "restart")

    def run(self, program: str, *arguments: str) -> str:
        """One of the server's programs, as its user."""
        done = subprocess.run(
            [str(self._programs / program), *arguments], capture_output=program != "pg_ctl", text=True, check=False,
            cwd=self.folder, env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
            stdout=subprocess.DEVNULL if program == "pg_ctl" else None,
            stderr=subprocess.DEVNULL if program == "pg_ctl" else None, **self._as,
        )  # fmt: skip
        if done.returncode:
            log = self.folder / "log"
            told = (done.stderr or "") + (log.read_text(errors="replace")[-2000:] if log.exists() else "")
            raise RuntimeError(f"{program} ended with {done.returncode}: {told}")
        return done.stdout or ""

    def database(self, name: str, template: str = "template0") -> str:
        """A new database, empty or a copy of another; its address."""
        self.run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "owner", "-T", template, name)
        return self.url(name)


@contextmanager
def cluster(
    *, quick: bool = True, settings: tuple[str, ...] = (), folder: Path | None = None
) -> Iterator[Cluster]:
    """A server that is gone afterwards, unless it is given a `folder` to stay in; `quick` waits for no disk."""
    where = Path(tempfile.mkdtemp(prefix="shuffler-pg-")) if folder is None else folder
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    server: Cluster | None = None
    try:
        server = Cluster(where, quick=quick, settings=settings)
        yield server
    finally:
        if server is not None:
            with suppress(RuntimeError):
                server.stop()
        if folder is None:
            shutil.rmtree(where, ignore_errors=True)
