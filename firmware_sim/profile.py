"""Profiles: what kind of device is emulated, read from TOML where every value stands beside its source."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from firmware_sim.errors import BadProfile
from protocol.catalogue import CATALOGUE, Group, Way
from protocol.messages import GameEntry
from protocol.vocabulary import CommitKind

MAX_TEXT = 120  # of a refusal, as on the wire
COMMANDS = {entry.name for entry in CATALOGUE if entry.way is Way.HOST and entry.group in (Group.DECK, Group.DEAL)}


class Kind(Enum):
    """How cards leave the machine."""

    SHUFFLER = "shuffler"  # groups, from a deck it has shuffled
    SHOE = "shoe"  # one card at a time, from decks shuffled elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the badge says."""

    model: str
    firmware: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """What the machine is made of."""

    kind: Kind
    kernel: str  # the shuffle mechanism's name in randomness.kernels
    kernel_parameters: Mapping[str, Any]
    prestages: bool
    decks: int
    recall_rounds: int
    log_lines: int
    jam_retries: int
    progress_cards: int
    cut_card_from_end: int  # 0: no cut card


@dataclass(frozen=True, slots=True, kw_only=True)
class Senses:
    """What its sensors can tell."""

    counts: bool  # each card that passes is counted on the way in and on the way out
    reads_faces: bool  # and its face is read
    sees_backs: bool
    sees_double: bool  # two cards one upon the other are thicker than one
    commits: CommitKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """How long each motion takes, in microseconds."""

    self_test_us: int
    motor_start_us: int
    intake_card_us: int
    shuffle_card_us: int
    verify_us: int
    deliver_card_us: int
    stub_card_us: int
    sort_card_us: int
    read_card_us: int
    retry_us: int
    recover_us: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """What it does not speak of."""

    lacks: Mapping[str, str]  # commands that it answers with UNSUPPORTED, each with the text it gives


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One kind of device."""

    name: str
    describes: str
    identity: Identity
    build: Build
    senses: Senses
    timings: Timings
    messages: Messages
    games: tuple[GameEntry, ...]
    sources: Mapping[str, str] = field(compare=False)  # where each value comes from, by its dotted name
    text: str = field(compare=False, repr=False)  # the file itself

    @property
    def is_shoe(self) -> bool:
        return self.build.kind is Kind.SHOE

    def game(self, number: int) -> GameEntry | None:
        """The menu's entry of that number."""
        return next((entry for entry in self.games if entry.game == number), None)


def names() -> list[str]:
    """The profiles that come with the product."""
    folder = resources.files("firmware_sim") / "profiles"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


@cache
def load(name_or_path: str) -> Profile:
    """One of the product's profiles by name, or a file of one's own."""
    if name_or_path in names():
        path = resources.files("firmware_sim") / "profiles" / f"{name_or_path}.toml"
        return parse(name_or_path, path.read_text(encoding="utf-8"))
    try:
        return parse(Path(name_or_path).stem, Path(name_or_path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        known = ", ".join(names())
        raise BadProfile(f"no file and no profile is called {name_or_path!r}; there are {known}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise BadProfile(f"can't read {name_or_path}: {problem}") from problem


def parse(name: str, text: str) -> Profile:
    """A profile from its text; unknown, missing and sourceless values are refused by name."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise BadProfile(f"profile {name!r} is not TOML: {problem}") from problem
    sources: dict[str, str] = {}
    known = {"describes", "identity", "build", "senses", "timings", "messages", "games"}
    if unknown := sorted(set(data) - known):
        raise BadProfile(f"profile {name!r} has no section {unknown[0]!r}; it has {', '.join(sorted(known))}")
    if missing := sorted(known - set(data)):
        raise BadProfile(f"profile {name!r} lacks {missing[0]!r}")
    profile = Profile(
        name=name,
        describes=str(data["describes"]),
        identity=_section(name, "identity", Identity, data["identity"], sources),
        build=_section(name, "build", Build, data["build"], sources),
        senses=_section(name, "senses", Senses, data["senses"], sources),
        timings=_section(name, "timings", Timings, data["timings"], sources),
        messages=_section(name, "messages", Messages, data["messages"], sources),
        games=_games(name, data["games"], sources),
        sources=sources,
        text=text,
    )
    _check_commitment(profile)
    _check_messages(profile)
    return profile


def _section(name: str, section: str, kind: type[Any], data: Mapping[str, Any], sources: dict[str, str]) -> Any:
    wanted = {entry.name: entry.type for entry in fields(kind)}
    values: dict[str, Any] = {}
    for key, cell in data.items():
        where = f"{section}.{key}"
        if key not in wanted:
            raise BadProfile(f"profile {name!r}: {where} is not a setting; {section} has {', '.join(sorted(wanted))}")
        if not isinstance(cell, dict) or set(cell) != {"value", "source"} or not cell["source"]:
            raise BadProfile(f"profile {name!r}: {where} must be {{ value = …, source = \"…\" }}")
        values[key] = _typed(name, where, wanted[key], cell["value"])
        sources[where] = cell["source"]
    if missing := sorted(set(wanted) - set(values)):
        raise BadProfile(f"profile {name!r} lacks {section}.{missing[0]}")
    return kind(**values)


def _typed(name: str, where: str, kind: Any, value: Any) -> Any:
    if kind is Kind or kind is CommitKind:
        words = {entry.name.lower(): entry for entry in kind}
        if value not in words:
            raise BadProfile(f"profile {name!r}: {where} is one of {', '.join(words)}, not {value!r}")
        return words[value]
    if kind is int and (type(value) is not int or value < 0):
        raise BadProfile(f"profile {name!r}: {where} is a whole number from 0, not {value!r}")
    if kind in (str, bool) and type(value) is not kind:
        raise BadProfile(f"profile {name!r}: {where} is a {kind.__name__}, not {value!r}")
    return value


def _check_commitment(profile: Profile) -> None:
    """Nobody can commit to what it does not know."""
    kind, reads = profile.senses.commits, profile.senses.reads_faces
    if profile.is_shoe and kind is not CommitKind.NOTHING:
        raise BadProfile(f"profile {profile.name!r}: a shoe learns its cards as they are drawn and commits to nothing")
    if kind is (CommitKind.SLOTS if reads else CommitKind.ORDER):
        words = "reads faces commits to the order" if reads else "reads no faces commits to slots"
        raise BadProfile(f"profile {profile.name!r}: senses.commits: a shuffler that {words}, or to nothing")


def _check_messages(profile: Profile) -> None:
    """Only commands can be lacking, and those that the machine can't carry out must be."""
    lacks = profile.messages.lacks
    for name, text in lacks.items():
        if name not in COMMANDS:
            raise BadProfile(f"profile {profile.name!r}: messages.lacks names {name!r}, which is no command of a table")
        if not isinstance(text, str) or not 0 < len(text) <= MAX_TEXT:
            raise BadProfile(f"profile {profile.name!r}: messages.lacks.{name} is a text of 1 to {MAX_TEXT} characters")
    for why, impossible in (
        (profile.is_shoe, ("a shoe", "Shuffle", "Sort", "VerifyDeck", "ReadStub")),
        (not profile.senses.reads_faces, ("a device that reads no faces", "Sort", "RecallHand", "ReadStub")),
        (not profile.build.recall_rounds, ("a device that remembers no rounds", "RecallHand")),
    ):
        what, *commands = impossible
        if why and (missing := [command for command in commands if command not in lacks]):
            raise BadProfile(f"profile {profile.name!r}: {what} can't do {missing[0]}: say so in messages.lacks")


def _games(name: str, rows: list[dict[str, Any]], sources: dict[str, str]) -> tuple[GameEntry, ...]:
    wanted = {entry.name for entry in fields(GameEntry)}
    games = []
    for index, row in enumerate(rows):
        row = dict(row)
        source = row.pop("source", "")
        if not source or set(row) != wanted:
            raise BadProfile(f"profile {name!r}: game {index + 1} needs exactly {', '.join(sorted(wanted))} and source")
        sources[f"games.{row['game']}"] = source
        games.append(GameEntry(**row))
    if not games or len({entry.game for entry in games}) != len(games):
        raise BadProfile(f"profile {name!r} needs a game menu with a number of its own for each game")
    for entry in games:
        needed = entry.cards_per_group * entry.groups + entry.dealer_cards
        if needed > entry.deck_cards:
            raise BadProfile(f"profile {name!r}: {entry.name} needs {needed} cards of a deck of {entry.deck_cards}")
    return tuple(games)
