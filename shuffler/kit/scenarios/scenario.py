"""A scenario file, read and checked to its last key; every refusal names file, line and reason.

about = "a card sticks at the exit, nobody looks, and the controller goes on asking"
profile = "i-deal-style"         # which device; hands = "manual" for one that nobody but the scenario touches
seed = 1

[table]                          # a whole table plays; without it the scenario's own steps are the controller
rules = "light-and-wonder"
seats = 3
strategy = "always"

[[step]]                         # one verb a step, in order: docs/kit.md has them all
inject = { name = "jam_exit", when = "group=1", by_hand = true }

[[step]]
wait = "FaultRaised"
fields = { code = "JAM_EXIT" }
within_s = 60

[[step]]
expect = { panel = { top = "JAM AT EXIT", red = true } }
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from firmware_sim.machine import profile as profiles
from shuffler.kit.errors import BadScenario, BadSettings
from shuffler.kit.scenarios.reading import read_step
from shuffler.kit.scenarios.steps import ScenarioStep
from shuffler.kit.settings import HANDS
from shuffler.kit.table import TableSettings
from strict_toml import Document, Section, Source, read_source
from strict_toml.lines import Path, key_lines

SEED_MOST = (1 << 63) - 1
STEPS_MOST = 1000
SUFFIX = ".scenario.toml"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One scenario."""

    name: str
    about: str
    profile: str
    hands: str
    seed: int
    table: TableSettings | None
    steps: tuple[ScenarioStep, ...]


def names() -> list[str]:
    """The scenarios that come with the product."""
    folder = resources.files("shuffler.kit.scenarios") / "library"
    return sorted(path.name.removesuffix(SUFFIX) for path in folder.iterdir() if path.name.endswith(SUFFIX))


def load(name_or_path: str) -> Scenario:
    """One of the product's scenarios by name, or a file; raises BadScenario."""
    if name_or_path in names():
        return _of_the_product(name_or_path)
    try:
        return parse(name_or_path, read_source(name_or_path, BadScenario).text)
    except FileNotFoundError:
        known = ", ".join(names())
        raise BadScenario(name_or_path, None, f"no file and no scenario is called so; there are {known}") from None


@cache
def _of_the_product(name: str) -> Scenario:
    path = resources.files("shuffler.kit.scenarios") / "library" / f"{name}{SUFFIX}"
    return parse(name, path.read_text(encoding="utf-8"))


def parse(name: str, text: str) -> Scenario:
    """A scenario from its text; what can't be meant is refused with file and line."""
    document = Document(BadScenario)
    document.add(Source(name, text))
    lines: Mapping[Path, int] = key_lines(text)
    top = Section(document, (), document.data)
    about = top.text("about")
    profile = top.choice("profile", profiles.names()) if top.has("profile") else "i-deal-style"
    hands = top.choice("hands", HANDS) if top.has("hands") else "auto"
    seed = top.whole("seed", 0, SEED_MOST, 1)
    table = _table(top.section("table")) if top.has("table") else None
    rows = top.rows("step")
    if not 0 < len(rows) <= STEPS_MOST:
        top.refuse(f"a scenario has 1 to {STEPS_MOST} steps, written as [[step]]; this one has {len(rows)}")
    steps = tuple(read_step(row, lines.get(row.path, 1), at_table=table is not None) for row in rows)
    top.finish()
    return Scenario(name=name, about=about, profile=profile, hands=hands, seed=seed, table=table, steps=steps)


def _table(section: Section) -> TableSettings:
    settings = TableSettings(
        rules=section.text("rules", "light-and-wonder"), seats=section.whole("seats", 1, 7, 3),
        strategy=section.text("strategy", "Q-6-4"),
    )  # fmt: skip
    for key, make in (("strategy", settings.players), ("rules", settings.table)):
        try:
            make()
        except BadSettings as problem:
            section.refuse(str(problem), key)
    section.finish()
    return settings
