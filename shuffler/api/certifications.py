"""Certification runs on the bench: one at a time, each in a process of its own; reports stay while the bench does."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from shuffler.api.hub import Hub
from shuffler.api.problems import conflict, not_found
from shuffler.lab.certifying import Request, run_of

KEEP = 20
LINE_MAX = 1 << 16
COMMAND = (sys.executable, "-P", "-m", "shuffler.lab.certifying")


@dataclass
class Certification:
    """One run: what was asked for, how far it is, what came of it."""

    id: str
    request: Request
    device: str
    started: str
    state: str = "running"
    ended: str = ""
    stage: str = "starting"
    done: int = 0
    total: int | None = None
    verdict: dict[str, Any] | None = None
    problem: str = ""
    task: "asyncio.Task[None] | None" = field(default=None, repr=False)

    @property
    def has_report(self) -> bool:
        return self.verdict is not None

    def view(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "id": self.id, "mechanism": self.request.mechanism, "profile": self.request.profile, "device": self.device,
            "plan": self.request.plan, "decks": self.request.decks, "state": self.state, "started": self.started,
            "ended": self.ended, "stage": self.stage, "done": self.done, "total": self.total, "verdict": self.verdict,
            "problem": self.problem, "report": self.has_report,
        }  # fmt: skip


class Certifications:
    """All runs of a bench, oldest first."""

    def __init__(self, hub: Hub, clock: Callable[[], str]) -> None:
        self._hub = hub
        self._clock = clock
        self._all: dict[str, Certification] = {}
        self._made = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def get(self, number: str) -> Certification:
        """By its id; a problem where there is none."""
        found = self._all.get(number)
        if found is None:
            raise not_found(f"there is no certification run {number!r} on this bench")
        return found

    def start(self, request: Request, *, device: str = "") -> Certification:
        """Begin a run; raises RandomnessError where plan or mechanism are not known. Files are named here."""
        if (busy := next((one for one in self._all.values() if one.state == "running"), None)) is not None:
            raise conflict(f"{busy.id} is under way: wait for it, or stop it with DELETE /certifications/{busy.id}")
        run_of(request)
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="shuffler-bench-")
        self._made += 1
        number = f"C{self._made}"
        at = Path(self._folder.name) / number
        request = replace(request, json_file=f"{at}.json", html_file=f"{at}.html")
        made = self._all[number] = Certification(number, request, device, self._clock())
        made.task = asyncio.get_running_loop().create_task(self._follow(made))
        while len(self._all) > KEEP:
            self._forget(next(iter(self._all)))
        self._publish(made)
        return made

    async def remove(self, number: str) -> None:
        """Stop a run where it goes on, and forget it with its files."""
        made = self.get(number)
        await _ended(made)
        self._forget(number)
        self._hub.publish("certifications", "", list(self._all))

    async def close(self) -> None:
        """Stop and forget all."""
        for made in self._all.values():
            await _ended(made)
        self._all.clear()
        if self._folder is not None:
            self._folder.cleanup()

    def now(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Every run as it is, for a stream that begins."""
        return [("certification", one.id, one.view()) for one in self._all.values()]

    def views(self) -> list[dict[str, Any]]:
        """Every run as it is."""
        return [one.view() for one in self._all.values()]

    async def _follow(self, made: Certification) -> None:
        """Start the process and take in what it says until it ends."""
        process: asyncio.subprocess.Process | None = None
        try:
            process = await asyncio.create_subprocess_exec(
                *COMMAND, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, start_new_session=True,
                limit=LINE_MAX,
            )  # fmt: skip
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(made.request.to_line())
            async for line in process.stdout:
                self._take(made, json.loads(line))
            code = await process.wait()
            if made.state == "running":
                made.state, made.problem = "broken", made.problem or f"the run ended by itself (exit code {code})"
        except OSError as problem:
            made.state, made.problem = "broken", f"the run can't be started: {problem.strerror or problem}"
        except ValueError:
            made.state, made.problem = "broken", "the run said something that can't be read"
        finally:
            if made.state == "running":
                made.state = "stopped"
            if process is not None and process.returncode is None:
                process.kill()
                await process.wait()
            made.ended = made.ended or self._clock()
            self._publish(made)

    def _take(self, made: Certification, said: dict[str, Any]) -> None:
        if "stage" in said:
            made.stage, made.total, made.done = said["stage"], said["total"], 0
        elif "done" in said:
            made.done = said["done"]
        elif "verdict" in said:
            made.verdict, made.state, made.ended = said["verdict"], said["verdict"]["outcome"], self._clock()
        elif "problem" in said:
            made.problem, made.state, made.ended = said["problem"], "broken", self._clock()
        self._publish(made)

    def _publish(self, made: Certification) -> None:
        if made.id in self._all:
            self._hub.publish("certification", made.id, made.view(), latest=True)

    def _forget(self, number: str) -> None:
        gone = self._all.pop(number)
        for path in (gone.request.json_file, gone.request.html_file):
            Path(path).unlink(missing_ok=True)


async def _ended(made: Certification) -> None:
    if made.task is not None and not made.task.done():
        made.task.cancel()
        await asyncio.wait([made.task])
