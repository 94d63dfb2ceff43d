"""The edge: start an outside engine, feed it from a random source through a pipe, stop it in time, read its words."""

import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable

from randomness.errors import OutsideError
from randomness.outside.engines import OutsideEngine
from randomness.outside.verdicts import OutsideRun
from randomness.source import RandomSource

_REQUEST = 1 << 16  # what one request of a DRBG may carry
_PATIENCE_S = 0.1


def installed(engine: OutsideEngine) -> bool:
    """Whether the engine's program is on the PATH."""
    return shutil.which(engine.program) is not None


def missing(engine: OutsideEngine) -> OutsideRun:
    """What to report for an engine that is not there."""
    why = f"not installed: {engine.program} ({engine.package})"
    return OutsideRun(
        engine=engine.name, version="", command=engine.command, bytes_fed=0, seconds=0.0, verdicts=(), unmet=(why,)
    )


def run_engine(
    engine: OutsideEngine,
    source: RandomSource,
    *,
    limit_seconds: float = 300.0,
    progress: Callable[[int], None] | None = None,
) -> OutsideRun:
    """One call of one engine, at most `limit_seconds` long; `progress` is told the bytes fed so far.

    Verdicts printed before the limit are kept, and the run says that it was stopped.
    """
    if not installed(engine):
        raise OutsideError(f"{engine.program} is not installed: {engine.package}")
    started = time.monotonic()
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as complained:
        process = subprocess.Popen(engine.command, stdin=subprocess.PIPE, stdout=said, stderr=complained)
        feeder = _Feeder(process, source, engine.bytes_wanted)
        feeder.start()
        try:
            stopped = _wait(process, feeder, started + limit_seconds, progress)
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            feeder.join()
        said.seek(0)
        complained.seek(0)
        text, errors = (file.read().decode("utf-8", "replace") for file in (said, complained))
    if feeder.failure is not None:
        raise feeder.failure
    if not stopped and process.returncode not in engine.good_exits:
        raise OutsideError(f"{engine.program} ended with {process.returncode}: {errors.strip()[:200]}")
    unmet = (f"stopped after {limit_seconds:.0f} s",) if stopped else ()
    both = text + errors
    try:
        verdicts = engine.reads(both)
    except OutsideError:
        if not stopped:
            raise
        verdicts = ()
    return OutsideRun(
        engine=engine.name,
        version=engine.version(both),
        command=engine.command,
        bytes_fed=feeder.fed,
        seconds=time.monotonic() - started,
        verdicts=verdicts,
        unmet=unmet,
    )


def run_engines(
    engines: Iterable[OutsideEngine], source: RandomSource, *, limit_seconds: float = 300.0
) -> tuple[OutsideRun, ...]:
    """Every engine in turn; those that are not installed are reported as such, not passed over."""
    return tuple(
        run_engine(engine, source, limit_seconds=limit_seconds) if installed(engine) else missing(engine)
        for engine in engines
    )


def _wait(
    process: "subprocess.Popen[bytes]", feeder: "_Feeder", deadline: float, progress: Callable[[int], None] | None
) -> bool:
    """Wait for the end; True when the deadline came first."""
    while True:
        try:
            process.wait(timeout=_PATIENCE_S)
        except subprocess.TimeoutExpired:
            if time.monotonic() > deadline:
                process.kill()
                return True
        else:
            return False
        if progress is not None:
            progress(feeder.fed)


class _Feeder(threading.Thread):
    """Writes random bytes until enough are written or the engine closes the pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]", source: RandomSource, wanted: int | None) -> None:
        super().__init__(daemon=True)
        self.fed = 0
        self.failure: Exception | None = None
        self._pipe = process.stdin
        self._source = source
        self._wanted = wanted

    def run(self) -> None:
        assert self._pipe is not None
        try:
            while self._wanted is None or self.fed < self._wanted:
                size = _REQUEST if self._wanted is None else min(_REQUEST, self._wanted - self.fed)
                self.fed += self._pipe.write(self._source.generate(size))
        except BrokenPipeError:
            pass
        except Exception as failure:  # carried to the caller's thread
            self.failure = failure
        finally:
            with contextlib.suppress(BrokenPipeError):
                self._pipe.close()
