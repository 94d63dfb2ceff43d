"""The PostgreSQL end of shared meters: addresses without secrets, connections, numbered migrations.

Isolation is READ COMMITTED, set on every connection: each function locks the rows that it will change before it reads
them, so what it reads is what is there. Higher levels would refuse (40001) where this one waits.
"""

import hashlib
import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import resources
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from shuffler.meters.errors import JournalForked, MeterLocked, MeterMisuse, MeterRefused, ServerAway, ServerBehind

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

SCHEMES = ("postgresql", "postgres")
CONNECT_TIMEOUT_S = 5
LOCK_TIMEOUT_MS = 10_000
STATEMENT_TIMEOUT_MS = 15_000
IDLE_TIMEOUT_MS = 10_000  # of a transaction that is left open
ANSWER_TIMEOUT_S = 20  # for a server that accepts a question and never answers: none of its own time-outs runs
MIGRATION_LOCK = 0x5348464C  # of `pg_advisory_lock`, so that two programs never migrate at once
FORKED = frozenset({"ME002"})
BEHIND = "ME008"
REFUSED = re.compile(r"ME\d{3}|2[23].{3}")  # ours, bad data, broken constraints
# What a person did who ran into a constraint; the others are only met by programs.
SENTENCES = {
    "meter_pkey": "there is a meter of that name already: `shuffler meters list` shows them",
    "meter_name": "a meter's name is up to 63 lower-case letters, digits and . _ -, a letter or digit first",
    "table_name": "a table's name is up to 63 letters, digits and . _ -, a letter or digit first",
    "cap_not_below_seed": "a cap is not below the seed",
    "proposal_table_name_fkey": "no table of that name is enrolled",
    "proposal_meter_fkey": "there is no meter of that name: `shuffler meters list` shows them",
}
SECRETS = frozenset({"password", "sslpassword", "passfile", "sslkey"})


# --- addresses ---


def has_password(url: str) -> bool:
    """Whether a password is written in the address."""
    parts = urlsplit(url)
    return parts.password is not None or any(key in ("password", "sslpassword") for key, _ in parse_qsl(parts.query))


def masked(url: str) -> str:
    """The address for a log or a screen: no password, no path of a key."""
    if not is_address(url):
        return "(not an address)"
    parts = urlsplit(url)
    where = parts.netloc.rpartition("@")
    user = quote(parts.username or "", safe="%") if where[1] else ""
    query = urlencode([(key, "hidden" if key in SECRETS else value) for key, value in parse_qsl(parts.query)], safe="/")
    return f"{parts.scheme}://{user}{where[1]}{where[2]}{parts.path}" + (f"?{query}" if query else "")


def is_address(url: str) -> bool:
    """Whether it is one of PostgreSQL."""
    return url.split("://")[0] in SCHEMES and "://" in url


def verify_address(url: str) -> None:
    """Refuse what is no address of PostgreSQL, or a server on another machine whose certificate is not checked."""
    if not is_address(url):
        raise MeterMisuse("a meter server is given as postgresql://HOST/DATABASE (libpq's URL)")
    found = driver().conninfo.conninfo_to_dict(url)
    hosts = [one for key in ("host", "hostaddr") for one in str(found.get(key) or "").split(",") if one]
    mode = found.get("sslmode") or os.environ.get("PGSSLMODE", "")
    if mode != "verify-full" and not all(map(_is_here, hosts)):
        raise MeterMisuse(
            f"{masked(url)} is on another machine: add ?sslmode=verify-full&sslrootcert=FILE to the address, so that"
            " nobody else can answer for it"
        )


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a socket's folder, localhost or a loopback address."""
    if host.startswith(("/", "@")) or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# --- connections ---


def driver() -> Any:
    """psycopg 3, or a sentence where it is not installed."""
    try:
        import psycopg
    except ImportError:
        raise MeterMisuse("shared meters need psycopg: pip install 'shuffler-bench[linked]'") from None
    return psycopg


def settings() -> dict[str, Any]:
    """How every connection is opened."""
    return {
        "autocommit": True,
        "connect_timeout": CONNECT_TIMEOUT_S,
        "prepare_threshold": 1,
        "application_name": "shuffler",
        "keepalives_idle": 5,
        "keepalives_interval": 2,
        "keepalives_count": 3,
        "tcp_user_timeout": 15_000,
        "options": f"-c lock_timeout={LOCK_TIMEOUT_MS} -c statement_timeout={STATEMENT_TIMEOUT_MS}"
        f" -c idle_in_transaction_session_timeout={IDLE_TIMEOUT_MS}"
        " -c default_transaction_isolation=read\\ committed",
    }


def connect(url: str) -> "Connection":
    """One connection; raises ServerAway."""
    verify_address(url)
    with sentences(url):
        connection: Connection = _bounded().connect(url, **settings())
        return connection


@cache
def _bounded() -> Any:
    """A connection that waits for no answer longer than ANSWER_TIMEOUT_S."""
    base: Any = driver().Connection

    class Bounded(base):  # type: ignore[misc]
        def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
            asked = time.monotonic()
            try:
                return super().wait(gen, interval, ANSWER_TIMEOUT_S if timeout is None else timeout)
            except driver().OperationalError:
                if timeout is not None or time.monotonic() - asked < ANSWER_TIMEOUT_S:
                    raise
                self.pgconn.finish()  # the answer may still come, to a question that nobody asks any more
                raise driver().OperationalError(f"no answer for {ANSWER_TIMEOUT_S} s") from None

    return Bounded


def open_pool(url: str, *, size: int = 2) -> Any:
    """A small pool for programs that ask now and then; connections are checked before they are given out."""
    verify_address(url)
    driver()
    from psycopg_pool import ConnectionPool

    logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())  # who asks is told: nothing beside it
    return ConnectionPool(
        url, connection_class=_bounded(), kwargs=settings(), min_size=1, max_size=size,
        timeout=CONNECT_TIMEOUT_S, open=True, check=ConnectionPool.check_connection, name="shuffler-meters",
    )  # fmt: skip


@contextmanager
def sentences(url: str) -> Iterator[None]:
    """The driver's errors as this room's."""
    psycopg = driver()
    from psycopg_pool import PoolTimeout

    try:
        yield
    except PoolTimeout:
        raise ServerAway(f"the meter server at {masked(url)} does not answer") from None
    except psycopg.OperationalError as problem:
        state = problem.sqlstate or ""
        kind = MeterLocked if state == "55P03" else ServerAway
        raise kind(f"the meter server at {masked(url)}: {_first_line(problem, state)}") from None
    except psycopg.Error as problem:
        state = problem.sqlstate or ""
        text = _first_line(problem, state)
        if state in FORKED:
            raise JournalForked(text) from None
        if state == BEHIND:
            raise ServerBehind(text) from None
        if REFUSED.fullmatch(state):
            raise MeterRefused(text) from None
        if state == "42501":
            raise MeterRefused(f"this login may not do that: {text}") from None
        if state in ("3F000", "42P01", "42883"):
            raise MeterMisuse(f"{masked(url)} has no meters yet: `shuffler meters init` makes them ({text})") from None
        if state.startswith(("40", "55", "57")):  # lock not available, cancelled, shutting down: try again
            raise ServerAway(f"the meter server at {masked(url)}: {text}") from None
        raise MeterMisuse(f"the meter server at {masked(url)}: {text}") from None


def _first_line(problem: Exception, state: str) -> str:
    detail = getattr(problem, "diag", None)
    if detail is not None and detail.constraint_name in SENTENCES:
        return SENTENCES[detail.constraint_name]
    text = (detail.message_primary if detail is not None else None) or str(problem)
    hint = f" ({detail.message_hint})" if detail is not None and detail.message_hint else ""
    return text.strip().splitlines()[0] + hint if text.strip() else f"no reason given {state}"


# --- migrations ---


class Migration(NamedTuple):
    """One numbered file."""

    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        """By which a changed file is found."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration, in order."""
    folder = resources.files("shuffler.meters") / "migrations"
    found = sorted(one.name for one in folder.iterdir() if one.name.endswith(".sql"))
    return tuple(Migration(int(name[:3]), name, (folder / name).read_text(encoding="utf-8")) for name in found)


def migrate(url: str) -> list[str]:
    """Bring a database up to this version; the files that were applied. Raises MeterMisuse where it is newer."""
    done: list[str] = []
    with connect(url) as connection, sentences(url), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        connection.execute("CREATE SCHEMA IF NOT EXISTS meters")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS meters.migration (number integer PRIMARY KEY, name text NOT NULL,"
            " digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),"
            " applied_by name NOT NULL DEFAULT session_user)"
        )
        known = _applied(connection)
        for one in migrations():
            if one.number not in known:
                connection.execute(one.text.encode(), prepare=False)
                connection.execute(
                    "INSERT INTO meters.migration (number, name, digest) VALUES (%s, %s, %s)",
                    (one.number, one.name, one.digest),
                )
                done.append(one.name)
    return done


def verify_version(connection: "Connection") -> None:
    """Refuse a database of another version than this program's."""
    known, ours = _applied(connection), migrations()
    if missing := [one.name for one in ours if one.number not in known]:
        raise MeterMisuse(f"the meters lack {', '.join(missing)}: `shuffler meters init` brings them up to date")
    if newer := sorted(set(known) - {one.number for one in ours}):
        raise MeterMisuse(f"the meters are of a newer version (migration {newer[-1]}): update this program")
    if changed := [one.name for one in ours if known[one.number] != one.digest]:
        raise MeterMisuse(f"{', '.join(changed)} was applied with another content than this program's")


def _applied(connection: "Connection") -> dict[int, str]:
    return dict(connection.execute("SELECT number, digest FROM meters.migration").fetchall())
