"""The kit: which set has what, decided from one secret; its key, and the hash that commits to the key beforehand."""

import hashlib
import hmac
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.kernels import parse
from randomness.proficiency.errors import ProficiencyError
from randomness.proficiency.plants import CARDS, PLANTS, plant
from randomness.sources import make_source

VERSION = 1
FAIR_SHARE = 0.4
POWERS = (0.5, 0.8, 0.95)
LEAST_DECKS = 4_000
"""Fewer would take defects larger than their mechanisms allow."""
CHUNK = 1 << 14

Decks = NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class SetKey:
    """What one set is."""

    name: str
    plant: str
    """Empty for a fair set."""
    mechanism: str
    power: float
    """Predicted for the battery's test of this defect; 0 for a fair set."""
    seed: int


@dataclass(frozen=True, kw_only=True)
class KitKey:
    """What every set is, and how many decks each has."""

    decks: int
    sets: tuple[SetKey, ...]


def compose(
    sets: int, decks: int, secret: int, *, fair: float = FAIR_SHARE, plants: Sequence[str] = (),
    powers: Sequence[float] = POWERS,
) -> KitKey:  # fmt: skip
    """Decide every set from the secret: each fair with probability `fair`, else with one of the plants (all)."""
    if sets < 1 or decks < LEAST_DECKS:
        raise ProficiencyError(f"a kit has at least 1 set of {LEAST_DECKS:,} decks, not {sets:,} of {decks:,}")
    names = [one.name for one in PLANTS]
    if unknown := sorted(set(plants) - set(names)):
        raise ProficiencyError(f"no defect is called {unknown[0]}: there are {', '.join(names)}")
    if not 0 <= fair <= 1 or not all(0 < wanted < 1 for wanted in powers):
        raise ProficiencyError("shares and powers lie between 0 and 1")
    chance = Random(secret)
    chosen = [name for name in names if not plants or name in plants]
    made = []
    for number in range(1, sets + 1):
        seed = chance.getrandbits(128)
        name = f"set-{number:0{len(str(sets))}d}"
        if chance.random() < fair:
            made.append(SetKey(name=name, plant="", mechanism="ideal", power=0.0, seed=seed))
            continue
        kind = plant(chance.choice(chosen))
        sized = kind.size(decks, chance.choice(powers), chance.randrange)
        made.append(SetKey(name=name, plant=kind.name, mechanism=sized.mechanism, power=sized.power, seed=seed))
    return KitKey(decks=decks, sets=tuple(made))


def set_decks(one: SetKey, decks: int) -> Iterator[Decks]:
    """The decks of a set, in blocks; every deck is shuffled from factory order."""
    kernel, source = parse(one.mechanism), make_source("ctr", seed=one.seed)
    for start in range(0, decks, CHUNK):
        yield kernel.permutations(CARDS, min(CHUNK, decks - start), source).astype(np.uint8)


# ----- the key as data ------------------------------------------------------------------------------------------------


def key_to_json(key: KitKey) -> dict[str, Any]:
    """As plain data; seeds as text, since JSON readers round them."""
    sets = [{**asdict(one), "seed": f"{one.seed:032x}"} for one in key.sets]
    return {"version": VERSION, "decks": key.decks, "sets": sets}


def key_from_json(data: Mapping[str, Any]) -> KitKey:
    """From plain data; raises ProficiencyError."""
    try:
        if data["version"] != VERSION:
            raise ProficiencyError(f"this key is of version {data['version']}; this program reads version {VERSION}")
        sets = tuple(_set_key(one) for one in data["sets"])
        return KitKey(decks=int(data["decks"]), sets=sets)
    except (AttributeError, KeyError, TypeError, ValueError) as problem:
        raise ProficiencyError(f"not the key of a kit: {problem}") from None


def _set_key(data: Mapping[str, Any]) -> SetKey:
    one = SetKey(**{**data, "seed": int(data["seed"], 16), "power": float(data["power"])})
    if not all(isinstance(text, str) for text in (one.name, one.plant, one.mechanism)) or not 0 <= one.power <= 1:
        raise ValueError(f"a set of the key is not one: {data}")
    return one


def commitment(key: KitKey, salt: bytes) -> str:
    """The salted hash of the key: published with the sets, checked when they are scored."""
    plain = json.dumps(key_to_json(key), sort_keys=True, separators=(",", ":")).encode()
    return hmac.new(salt, b"shuffler-proficiency\0" + plain, hashlib.sha256).hexdigest()
