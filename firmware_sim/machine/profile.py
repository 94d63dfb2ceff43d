"""Profiles: what kind of device is emulated, read from TOML where every value stands beside its source."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, get_type_hints

from firmware_sim.errors import BadProfile
from protocol.catalogue import CATALOGUE, Chapter, Way
from protocol.messages import GameEntry
from protocol.vocabulary import CommitKind
from strict_toml import Document, Section, Source, read_source

MAX_TEXT = 120  # of a refusal, as on the wire
MAX_NUMBER = 2**63 - 1
COMMANDS = {
    entry.name for entry in CATALOGUE if entry.way is Way.HOST and entry.chapter in (Chapter.DECK, Chapter.DEAL)
}


class MachineKind(Enum):
    """How cards leave the machine."""

    SHUFFLER = "shuffler"  # groups, from a deck it has shuffled
    SHOE = "shoe"  # one card at a time, from decks shuffled elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """What the badge says."""

    model: str
    firmware: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """What the machine is made of."""

    kind: MachineKind
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
    identity: Badge
    build: Construction
    senses: Senses
    timings: Timings
    messages: Messages
    games: tuple[GameEntry, ...]
    sources: Mapping[str, str] = field(compare=False)  # where each value comes from, by its dotted name
    text: str = field(compare=False, repr=False)  # the file itself

    @property
    def is_shoe(self) -> bool:
        return self.build.kind is MachineKind.SHOE

    def game(self, number: int) -> GameEntry | None:
        """The menu's entry of that number."""
        return next((entry for entry in self.games if entry.game == number), None)


def names() -> list[str]:
    """The profiles that come with the product."""
    folder = resources.files("firmware_sim.machine") / "profiles"
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


@cache
def load(name_or_path: str) -> Profile:
    """One of the product's profiles by name, or a file of one's own."""
    if name_or_path in names():
        path = resources.files("firmware_sim.machine") / "profiles" / f"{name_or_path}.toml"
        return parse(name_or_path, path.read_text(encoding="utf-8"))
    try:
        return parse(Path(name_or_path).stem, read_source(name_or_path, BadProfile).text)
    except FileNotFoundError:
        known = ", ".join(names())
        raise BadProfile(f"no file and no profile is called {name_or_path!r}; there are {known}") from None


def parse(name: str, text: str) -> Profile:
    """A profile from its text; unknown, missing and sourceless values are refused with file and line."""
    document = Document(BadProfile)
    document.add(Source(f"profile {name!r}", text))
    top = Section(document, (), document.data)
    sources: dict[str, str] = {}
    profile = Profile(
        name=name,
        describes=top.text("describes"),
        identity=_section(top, "identity", Badge, sources),
        build=_section(top, "build", Construction, sources),
        senses=_section(top, "senses", Senses, sources),
        timings=_section(top, "timings", Timings, sources),
        messages=_section(top, "messages", Messages, sources),
        games=_games(top, sources),
        sources=sources,
        text=text,
    )
    top.finish()
    _check_commitment(document, profile)
    _check_messages(document, profile)
    return profile


def _section(top: Section, name: str, kind: type[Any], sources: dict[str, str]) -> Any:
    section = top.section(name)
    values: dict[str, Any] = {}
    for entry in fields(kind):
        cell = section.section(entry.name)
        sources[f"{name}.{entry.name}"] = cell.text("source")
        values[entry.name] = _typed(cell, entry.type)
        cell.finish()
    section.finish()
    return kind(**values)


def _typed(cell: Section, kind: Any) -> Any:
    if kind is MachineKind or kind is CommitKind:
        words = {entry.name.lower(): entry for entry in kind}
        return words[cell.choice("value", words)]
    if kind is int:
        return cell.whole("value", 0, MAX_NUMBER)
    if kind is bool:
        return cell.flag("value")
    return cell.text("value") if kind is str else dict(cell.section("value").left)


def _check_commitment(document: Document, profile: Profile) -> None:
    """Nobody can commit to what it does not know."""
    kind, reads = profile.senses.commits, profile.senses.reads_faces
    here = ("senses", "commits")
    if profile.is_shoe and kind is not CommitKind.NOTHING:
        document.refuse(here, "a shoe learns its cards as they are drawn and commits to nothing")
    if kind is (CommitKind.SLOTS if reads else CommitKind.ORDER):
        words = "reads faces commits to the order" if reads else "reads no faces commits to slots"
        document.refuse(here, f"senses.commits: a shuffler that {words}, or to nothing")


def _check_messages(document: Document, profile: Profile) -> None:
    """Only commands can be lacking, and those that the machine can't carry out must be."""
    lacks = profile.messages.lacks
    for name, text in lacks.items():
        here = ("messages", "lacks", "value", name)
        if name not in COMMANDS:
            document.refuse(here, f"messages.lacks names {name!r}, which is no command of a table")
        if not isinstance(text, str) or not 0 < len(text) <= MAX_TEXT:
            document.refuse(here, f"messages.lacks.{name} is a text of 1 to {MAX_TEXT} characters")
    for why, impossible in (
        (profile.is_shoe, ("a shoe", "Shuffle", "Sort", "VerifyDeck", "ReadStub")),
        (not profile.senses.reads_faces, ("a device that reads no faces", "Sort", "RecallHand", "ReadStub")),
        (not profile.build.recall_rounds, ("a device that remembers no rounds", "RecallHand")),
    ):
        what, *commands = impossible
        if why and (missing := [command for command in commands if command not in lacks]):
            document.refuse(("messages", "lacks"), f"{what} can't do {missing[0]}: say so in messages.lacks")


def _games(top: Section, sources: dict[str, str]) -> tuple[GameEntry, ...]:
    games: list[GameEntry] = []
    kinds = get_type_hints(GameEntry)
    for row in top.rows("games"):
        source = row.text("source")
        entry = GameEntry(**{key: _game_value(row, key, kind) for key, kind in kinds.items()})
        row.finish()
        sources[f"games.{entry.game}"] = source
        needed = entry.cards_per_group * entry.groups + entry.dealer_cards
        if needed > entry.deck_cards:
            row.refuse(f"{entry.name} needs {needed} cards of a deck of {entry.deck_cards}", "deck_cards")
        if any(entry.game == other.game for other in games):
            row.refuse(f"game {entry.game} is there already: a number of its own for each game", "game")
        games.append(entry)
    if not games:
        top.refuse("the profile lacks 'games': a menu of at least one game")
    return tuple(games)


def _game_value(row: Section, key: str, kind: object) -> Any:
    if kind is bool:
        return row.flag(key)
    return row.text(key) if kind is str else row.whole(key, 0, 255)
