"""Randomness live: decks shuffled by the device's own kernel, or by one made wrong, counted and judged as they come."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from randomness import system_source
from randomness.decks import DeckBattery, deck_test
from randomness.decks.hands import categories
from randomness.decks.kinds import STANDARD
from randomness.kernels import parse
from round_engine.hands import ThreeCardCategory
from shuffler.api.hub import Hub
from shuffler.api.problems import bad_input

CARDS = 52
BATCH = 256
EVERY_S = 0.25
DECKS_MAX = 2_000_000
HISTORY = 240
TESTS = (
    "card-by-position", "suit-by-position", "input-adjacencies", "input-rising-sequences", "hand-categories",
    "suit-runs",
)  # fmt: skip
_FACTORY = np.arange(CARDS, dtype=np.uint8)
ALARM = 1e-6  # a p-value below this, of any of the tests watched, is called a defect


@dataclass(frozen=True, slots=True)
class Sampled:
    """Something that shuffles."""

    title: str
    about: str
    mechanism: str


SUBJECTS: Mapping[str, Sampled] = {
    "device": Sampled("The shuffler", "random ejection, as the device deals", "ejection"),
    "rack": Sampled("A compartment rack", "cards into compartments at random", "rack:compartments=8,group=3"),
    "riffle": Sampled("Seven riffles", "what a careful hand does, seven times", "riffle:passes=7"),
    "sticky": Sampled("Sticky cards", "neighbours stay together, 1 pair in 100", "ejection:sticky=0.01"),
    "biased": Sampled("A biased generator", "its bits lean to one side", "ejection:source_bias=0.05"),
    "feed": Sampled("A weak feeder", "a card is left behind now and then", "ejection:weak_feed=0.2"),
}

class Laboratory:
    """One run at a time, over a subject; state is pushed while it runs."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._task: asyncio.Task[None] | None = None
        self.running = False
        self._begin("device")

    def _begin(self, subject: str) -> None:
        self.subject = subject
        self._kernel = parse(SUBJECTS[subject].mechanism)
        self._source = system_source()
        self._battery = DeckBattery(TESTS, compiled=False)
        self._history: list[dict[str, Any]] = []
        self._p: dict[str, float | None] = {}
        self.decks = 0

    def choose(self, subject: str) -> None:
        """Another subject, from no deck on."""
        if subject not in SUBJECTS:
            raise bad_input(f"no subject is called {subject!r}; there are {', '.join(SUBJECTS)}")
        self._begin(subject)
        self._publish()

    def run(self, running: bool) -> None:
        """Go on, or stand still."""
        self.running = running
        if running and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._work())
        self._publish()

    def close(self) -> None:
        """End it."""
        self.running = False
        if self._task is not None:
            self._task.cancel()

    async def _work(self) -> None:
        while self.running and self.decks < DECKS_MAX:
            battery = self._battery
            batch = min(32 * BATCH, max(BATCH, self.decks // 3))
            done = await asyncio.to_thread(self._count, battery, batch)
            if battery is self._battery:  # else another subject was chosen meanwhile
                self._take(*done)
                self._publish()
            await asyncio.sleep(EVERY_S)
        self.running = False
        self._publish()

    def _count(self, battery: DeckBattery, batch: int) -> tuple[dict[str, float | None], int]:
        """In a thread of its own: shuffle, count, judge."""
        battery.update(self._kernel.permutations(CARDS, batch, self._source), _FACTORY)
        return {name: battery.p_value(deck_test(name)) for name in TESTS}, batch

    def _take(self, p: dict[str, float | None], batch: int) -> None:
        self._p = p
        self.decks += batch
        self._history.append({"decks": self.decks, "p": p})
        if len(self._history) > HISTORY:  # the curve keeps its shape: every other point goes
            self._history = self._history[::2]

    def _publish(self) -> None:
        self._hub.publish("randomness", "", self.view(), latest=True)

    def view(self) -> dict[str, Any]:
        """Everything as it stands."""
        exact = categories(STANDARD).shares.tolist()
        subject = SUBJECTS[self.subject]
        cells = self._battery.tallies.cells
        dealt = cells["hands"].reshape(STANDARD.groups, -1).sum(axis=0)
        hands = int(dealt.sum())
        known = {name: value for name, value in self._p.items() if value is not None}
        worst = min(known, key=lambda name: known[name]) if known else None
        return {
            "subject": self.subject, "title": subject.title, "about": subject.about, "running": self.running,
            "subjects": [
                {"name": name, "title": one.title, "about": one.about, "mechanism": one.mechanism}
                for name, one in SUBJECTS.items()
            ],
            "decks": self.decks, "cells": cells["faces.by_position"].tolist(), "expected": self.decks / CARDS,
            "categories": [
                {
                    "name": category.name.lower(), "seen": int(dealt[int(category)]),
                    "expected": exact[int(category)] * hands, "chance": exact[int(category)],
                }
                for category in reversed(list(ThreeCardCategory))
            ],
            "tests": [{"name": name, "p": self._p.get(name)} for name in TESTS],
            "history": self._history,
            "verdict": "" if worst is None else "defect" if known[worst] * len(TESTS) < ALARM else "nothing found",
            "worst": worst,
        }  # fmt: skip
