"""What a run has counted so far: accumulators merged in the order of the shards, and the p-values of each shard."""

from dataclasses import dataclass, field
from typing import Any

from randomness.certification.plan import Plan
from randomness.certification.recorded import MOST_KEPT
from randomness.certification.shards import Counted
from randomness.decks import DeckBattery
from randomness.draws import DrawTallies


@dataclass(kw_only=True)
class RunSection:
    """One start order, or the whole of a record; first cards are drawn numbers."""

    battery: DeckBattery
    draws: DrawTallies
    blocks: dict[str, list[float]] = field(default_factory=dict)

    def merge(self, counted: Counted) -> None:
        """Add a shard's counts."""
        self.battery.merge(DeckBattery.from_state(counted.battery))
        self.draws.merge(DrawTallies.from_state(counted.draws))


class Totals:
    """Everything, by section."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.sections: dict[str, RunSection] = {}
        self.shards = 0
        self.decks = 0
        self.malformed: list[tuple[int, str]] = []
        self.excluded: list[tuple[int, str]] = []
        self.malformed_rows = 0
        self.excluded_rows = 0
        self.misread_rows = 0
        self.misread_cards = 0
        self.rows = 0

    def add(self, counted: Counted) -> None:
        """The next shard; they come in order."""
        section = self.sections.get(counted.section)
        if section is None:
            section = self.sections[counted.section] = RunSection(
                battery=DeckBattery.from_state(counted.battery),
                draws=DrawTallies.from_state(counted.draws),
            )
        else:
            section.merge(counted)
        for name, p in counted.p_values.items():
            kept = section.blocks.setdefault(name, [])
            if len(kept) < self._plan.most_blocks:
                kept.append(p)
        self.malformed = (self.malformed + counted.malformed)[:MOST_KEPT]
        self.excluded = (self.excluded + counted.excluded)[:MOST_KEPT]
        self.malformed_rows += counted.malformed_rows
        self.excluded_rows += counted.excluded_rows
        self.misread_rows += counted.misread_rows
        self.misread_cards += counted.misread_cards
        self.rows += counted.rows
        self.decks += counted.decks
        self.shards += 1

    @property
    def misread_share(self) -> float:
        """Share of the rows that have a card that was not read."""
        return self.misread_rows / self.rows if self.rows else 0.0

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        return {
            "sections": {
                name: {
                    "battery": section.battery.to_state(),
                    "draws": section.draws.to_state(),
                    "blocks": {test: list(kept) for test, kept in section.blocks.items()},
                }
                for name, section in self.sections.items()
            },
            "shards": self.shards,
            "decks": self.decks,
            "malformed": [list(row) for row in self.malformed],
            "excluded": [list(row) for row in self.excluded],
            "malformed_rows": self.malformed_rows,
            "excluded_rows": self.excluded_rows,
            "misread_rows": self.misread_rows,
            "misread_cards": self.misread_cards,
            "rows": self.rows,
        }

    @classmethod
    def from_state(cls, plan: Plan, state: dict[str, Any]) -> "Totals":
        """What gave the state."""
        made = cls(plan)
        for name, kept in state["sections"].items():
            made.sections[name] = RunSection(
                battery=DeckBattery.from_state(kept["battery"]),
                draws=DrawTallies.from_state(kept["draws"]),
                blocks={test: [float(p) for p in values] for test, values in kept["blocks"].items()},
            )
        made.shards, made.decks = int(state["shards"]), int(state["decks"])
        made.malformed = [(int(row), str(why)) for row, why in state["malformed"]]
        made.excluded = [(int(row), str(why)) for row, why in state["excluded"]]
        for name in ("malformed_rows", "excluded_rows", "misread_rows", "misread_cards", "rows"):
            setattr(made, name, int(state[name]))
        return made
