"""A plan: everything that is decided before the first deck. A TOML file in, a frozen type out."""

import hashlib
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from randomness.certification.errors import PlanError
from randomness.decks import DECK_TESTS, MOST_PHASES, PERIODS, REPEATS_KEPT
from randomness.draws import TESTS as DRAW_TESTS
from randomness.errors import RandomnessError
from randomness.kernels import parse
from strict_toml import read_bounded_text

PLANS = ("quick", "standard", "full", "gli-style")
STARTS = ("factory", "reversed", "previous")

_KEYS: dict[str, dict[str, type | tuple[type, ...]]] = {
    "": {"name": str, "describes": str},
    "sample": {"decks": int, "decks_per_shard": int, "starts": list},
    "decision": {"level": float, "readings": list, "family": str},
    "second_level": {"least_blocks": int, "most_blocks": int},
    "retest": {"first": float, "below": float, "times": int},
}
LEAST_DECKS = 10_000
"""GLI-19 3.4.2, by a published summary: at least 10,000 game outcomes of a mechanical shuffler."""
MOST_MISREAD = 0.001
"""Share of rows with a card that was not read: what is left out could hide a defect in no more rows than these."""
_OPTIONAL: dict[str, dict[str, int | float]] = {
    "bits": {"sequences": 0, "length": 1_000_000},
    "sample": {"least_decks": LEAST_DECKS, "repeats_kept": REPEATS_KEPT, "most_misread": MOST_MISREAD},
}
_TABLES = ("deck_tests", "draw_tests", "controls", "strata", *_OPTIONAL)


@dataclass(frozen=True, kw_only=True)
class NegativeControl:
    """A planted defect that the battery must find in so many decks (or bits, where it is in the generator)."""

    mechanism: str
    size: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is tested, on how much, and by which rule it is judged."""

    name: str
    describes: str
    decks: int
    decks_per_shard: int
    """Shards are the independent sequences of a run, and the blocks of the second level."""
    starts: tuple[str, ...]
    level: float
    """Family-wise level of the verdict."""
    readings: tuple[float, ...]
    """Confidence levels at which each test is also read alone, as standards have it."""
    family: str
    least_blocks: int
    most_blocks: int
    retest_first: float
    """Level of the first look, where there may be a second: what is left of `level` pays for that one."""
    retest_below: float
    """A test that is not rejected, but has an adjusted p at or below this, is run again on fresh decks."""
    retest_times: int
    deck_tests: tuple[str, ...]
    draw_tests: tuple[str, ...]
    bit_sequences: int = 0
    """Sequences of the generator's bits that go through SP 800-22; 0 for none."""
    bit_length: int = 1_000_000
    controls: tuple[NegativeControl, ...] = ()
    least_decks: int = LEAST_DECKS
    """On fewer a run can fail, but not pass: without a rejection it is inconclusive. Tests that this many decks allow
    must be made; others are made where the decks suffice, and listed where they don't."""
    repeats_kept: int = REPEATS_KEPT
    """Decks of a section that are remembered, 16 bytes each, to find those that come twice; of more, a stated part."""
    periods: tuple[int, ...] = PERIODS
    """Rows are compared by their number's remainder: 2 for two decks in turn, 8 for eight seats."""
    most_misread: float = MOST_MISREAD
    """Largest share of rows with an unread card with which a run can pass."""

    @property
    def first_level(self) -> float:
        """Family-wise level of the first look."""
        return self.retest_first if self.retest_times else self.level

    def digest(self) -> str:
        """SHA-256 over the plan's values."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def load_plan(name: str) -> Plan:
    """A plan that comes with the product by its name, or one from a TOML file by its path."""
    if name in PLANS:
        text = resources.files("randomness.certification").joinpath(f"plans/{name}.toml").read_text(encoding="utf-8")
        return parse_plan(text, name)
    path = Path(name)
    if not path.is_file():
        raise PlanError(f"no plan '{name}': there are {', '.join(PLANS)}, and TOML files by their path")
    try:
        text = read_bounded_text(path)
    except OSError as error:
        raise PlanError(f"can't read the plan {name}: {error.strerror}") from None
    except ValueError as error:
        raise PlanError(f"can't read the plan {name}: {error}") from None
    plan = parse_plan(text, path.name)
    if plan.name in PLANS and plan.digest() != load_plan(plan.name).digest():
        raise PlanError(
            f"plan {path.name} is called '{plan.name}' and differs from the plan of that name: give it another name"
        )
    return plan


def parse_plan(text: str, where: str) -> Plan:
    """The plan in a TOML text; `where` names it in errors."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise PlanError(f"plan {where}: {error}") from None
    flat = _values(data, where)
    plan = Plan(
        name=flat["name"],
        describes=flat["describes"],
        decks=flat["sample.decks"],
        decks_per_shard=flat["sample.decks_per_shard"],
        starts=tuple(flat["sample.starts"]),
        level=float(flat["decision.level"]),
        readings=tuple(float(reading) for reading in flat["decision.readings"]),
        family=flat["decision.family"],
        least_blocks=flat["second_level.least_blocks"],
        most_blocks=flat["second_level.most_blocks"],
        retest_first=float(flat["retest.first"]),
        retest_below=float(flat["retest.below"]),
        retest_times=flat["retest.times"],
        deck_tests=_tests(data, "deck_tests", list(DECK_TESTS), where),
        draw_tests=_tests(data, "draw_tests", [test.name for test in DRAW_TESTS], where),
        bit_sequences=flat["bits.sequences"],
        bit_length=flat["bits.length"],
        least_decks=flat["sample.least_decks"],
        most_misread=float(flat["sample.most_misread"]),
        repeats_kept=flat["sample.repeats_kept"],
        controls=_controls(data.get("controls", {}), where),
        periods=_periods(data.get("strata", {}), where),
    )
    _check(plan, where)
    return plan


def _values(data: Mapping[str, Any], where: str) -> dict[str, Any]:
    """All single values by dotted name; refuses what is unknown, missing or of another type."""
    flat: dict[str, Any] = {}
    known = {*_KEYS[""], *(table for table in _KEYS if table), *_TABLES}
    if unknown := [key for key in data if key not in known]:
        raise PlanError(f"plan {where}: unknown key '{unknown[0]}'; there are {', '.join(sorted(known))}")
    for table, keys in _KEYS.items():
        part = data.get(table, {}) if table else data
        if not isinstance(part, dict):
            raise PlanError(f"plan {where}: [{table}] is a table")
        known_keys = (*keys, *_OPTIONAL.get(table, ()))
        if table and (extra := [key for key in part if key not in known_keys]):
            raise PlanError(f"plan {where}: unknown key '{extra[0]}' in [{table}]; there are {', '.join(known_keys)}")
        for key, kind in keys.items():
            name = f"{table}.{key}" if table else key
            if key not in part:
                raise PlanError(f"plan {where}: '{name}' is missing")
            value = part[key]
            fits = isinstance(value, int | float) if kind is float else isinstance(value, kind)
            if isinstance(value, bool) or not fits:
                raise PlanError(f"plan {where}: '{name}' is not {value!r}")
            flat[name] = value
    for table, defaults in _OPTIONAL.items():
        part = data.get(table, {})
        if not isinstance(part, dict):
            raise PlanError(f"plan {where}: [{table}] is a table")
        if extra := [key for key in part if key not in (*defaults, *_KEYS.get(table, ()))]:
            raise PlanError(f"plan {where}: unknown key '{extra[0]}' in [{table}]; there are {', '.join(defaults)}")
        for key, default in defaults.items():
            value = part.get(key, default)
            fits = isinstance(value, int) or (isinstance(default, float) and isinstance(value, float))
            if isinstance(value, bool) or not fits:
                raise PlanError(f"plan {where}: '{table}.{key}' is not {value!r}")
            flat[f"{table}.{key}"] = value
    return flat


def _periods(table: object, where: str) -> tuple[int, ...]:
    if not isinstance(table, dict) or set(table) - {"periods"}:
        raise PlanError(f"plan {where}: [strata] is a table with periods")
    periods = table.get("periods", list(PERIODS))
    if not isinstance(periods, list) or not periods or not all(type(one) is int and one >= 2 for one in periods):
        raise PlanError(f"plan {where}: strata.periods is a list of numbers of rows from 2 on, not {periods!r}")
    if math.lcm(*periods) > MOST_PHASES:
        raise PlanError(f"plan {where}: strata.periods have {MOST_PHASES} as their highest common multiple")
    return tuple(sorted(set(periods)))


def _controls(rows: object, where: str) -> tuple[NegativeControl, ...]:
    if not isinstance(rows, dict):
        raise PlanError(f"plan {where}: [controls] is a table of mechanisms and sizes")
    for mechanism, size in rows.items():
        if isinstance(size, bool) or not isinstance(size, int) or size < 1:
            raise PlanError(f"plan {where}: the size of control '{mechanism}' is a number of decks, not {size!r}")
        try:
            parse(mechanism)
        except RandomnessError as error:
            raise PlanError(f"plan {where}: control '{mechanism}': {error}") from None
    return tuple(NegativeControl(mechanism=mechanism, size=size) for mechanism, size in rows.items())


def _tests(data: Mapping[str, Any], key: str, known: Sequence[str], where: str) -> tuple[str, ...]:
    """Names, or `"all"`."""
    rows = data.get(key, [])
    if rows == "all":
        rows = list(known)
    if not isinstance(rows, list) or not all(isinstance(name, str) for name in rows):
        raise PlanError(f'plan {where}: {key} is "all" or a list of names')
    for name in rows:
        if name not in known:
            raise PlanError(f"plan {where}: no test '{name}' for {key}; there are {', '.join(known)}")
        if rows.count(name) > 1:
            raise PlanError(f"plan {where}: {key} names '{name}' twice")
    return tuple(rows)


def _check(plan: Plan, where: str) -> None:
    rules = (
        (plan.decks >= 1, "sample.decks is at least 1"),
        (plan.decks_per_shard >= 1, "sample.decks_per_shard is at least 1"),
        (plan.least_decks >= 1, "sample.least_decks is at least 1"),
        (1_000 <= plan.repeats_kept <= 1_000_000_000, "sample.repeats_kept is from 1,000 to 1,000,000,000"),
        (bool(plan.starts) and set(plan.starts) <= set(STARTS), f"sample.starts are of {', '.join(STARTS)}"),
        (len(set(plan.starts)) == len(plan.starts), "sample.starts has each order once"),
        (0 < plan.level < 0.5, "decision.level is above 0 and below 0.5"),
        (all(0.5 < reading < 1 for reading in plan.readings), "decision.readings are above 0.5 and below 1"),
        (plan.family == "holm", "decision.family is 'holm', the only rule there is"),
        (plan.least_blocks >= 5, "second_level.least_blocks is at least 5"),
        (plan.most_blocks >= plan.least_blocks, "second_level.most_blocks is at least least_blocks"),
        (0 < plan.retest_first < plan.level, "retest.first is above 0 and below decision.level"),
        (plan.level <= plan.retest_below < 1, "retest.below is from decision.level to below 1"),
        (0 <= plan.most_misread < 1, "sample.most_misread is from 0 to below 1"),
        (plan.retest_times in (0, 1), "retest.times is 0 or 1: a second re-test would be a search for a pass"),
        (0 <= plan.bit_sequences <= 100_000, "bits.sequences is from 0 to 100,000"),
        (1_000 <= plan.bit_length <= 100_000_000, "bits.length is from 1,000 to 100,000,000"),
        (bool(plan.deck_tests), "deck_tests names at least one test"),
    )
    for holds, rule in rules:
        if not holds:
            raise PlanError(f"plan {where}: {rule}")
