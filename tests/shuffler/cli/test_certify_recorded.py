"""Recorded decks without input order: planted defects of no list fail, and the report says where to look."""

import html
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray
from typer.testing import CliRunner

from shuffler.cli import app

pytestmark = pytest.mark.slow
Decks = NDArray[np.uint8]
DECKS = 20_000
SEATS = {"player 5": range(12, 15), "dealer": range(21, 24)}


def ideal(many: int, seed: int) -> Decks:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(52, dtype=np.uint8), (many, 1)), axis=1)


def bring(deck: Decks, card: int, to: int) -> None:
    """Swap a card to a place."""
    at = int(np.flatnonzero(deck == card)[0])
    deck[[at, to]] = deck[[to, at]]


def some(decks: Decks, rng: Generator, share: float) -> NDArray[np.int64]:
    """The rows that a defect touches."""
    return np.flatnonzero(rng.random(len(decks)) < share)


# ----- the defects ----------------------------------------------------------------------------------------------------


def one_card_at_one_position(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.01):
        bring(decks[row], 23, 40)


def aces_for_one_seat(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.08):
        bring(decks[row], int(rng.choice([12, 25, 38, 51])), int(rng.choice(SEATS["player 5"])))


def hearts_at_one_position(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.06):
        bring(decks[row], int(rng.integers(26, 39)), 25)


def pairs_for_the_dealer(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.02):
        first = int(decks[row, 21])
        bring(decks[row], (first + 13 * int(rng.integers(1, 4))) % 52, 22)


def one_card_drags_another_along(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.02):
        at = int(np.flatnonzero(decks[row] == 7)[0])
        if at < 51:
            bring(decks[row], 28, at + 1)


def two_positions_share_a_suit(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.03):
        suit, rank = divmod(int(decks[row, 4]), 13)
        bring(decks[row], 13 * suit + (rank + int(rng.integers(1, 13))) % 13, 29)


def four_cards_from_three_decks_ago(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.05):
        for place in range(30, 34) if row >= 3 else ():
            bring(decks[row], int(decks[row - 3, place]), place)


def one_card_from_the_deck_before(decks: Decks, rng: Generator) -> None:
    for row in some(decks, rng, 0.03):
        if row:
            bring(decks[row], int(decks[row - 1, 10]), 10)


def one_group_comes_sorted(decks: Decks, _: Generator) -> None:
    decks[::6, 18:21] = np.sort(decks[::6, 18:21], axis=1)


def a_stretch_comes_twice(decks: Decks, _: Generator) -> None:
    decks[10_000:10_040] = decks[9_000:9_040]


Defect = Callable[[Decks, Generator], None]
# defect, the test that must point at it, where it must point
PLANTED: tuple[tuple[Defect, str, str], ...] = (
    (one_card_at_one_position,        "each-cell",            "Q♦ at position 41"),
    (aces_for_one_seat,               "card-by-seat",         "A♠ at player 5"),
    (hearts_at_one_position,          "each-position",        "position 26"),
    (pairs_for_the_dealer,            "hands-by-seat",        "dealer, pair"),
    (one_card_drags_another_along,    "adjacent-pairs",       "9♣ followed by 4♥"),
    (two_positions_share_a_suit,      "same-suit-pairs",      "positions 5 and 30"),
    (four_cards_from_three_decks_ago, "lag-matches",          "lag 3, cards in place"),
    (one_card_from_the_deck_before,   "previous-by-position", "from the previous deck's position 11 to position 11"),
    (one_group_comes_sorted,          "group-order",          "player 7, group of 3 by face: lowest, middle, highest"),
    (a_stretch_comes_twice,           "repeated-decks",       "rows 9001 and 10001 are the same deck"),
)  # fmt: skip


# ----- the runs -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quick plan without its controls, for the sake of time."""
    text = resources.files("randomness.certification").joinpath("plans/quick.toml").read_text(encoding="utf-8")
    before, _, _ = text.partition("[bits]")
    path = tmp_path_factory.mktemp("plan") / "bare.toml"
    before = before.replace('name      = "quick"', 'name      = "bare"')
    path.write_text(before, encoding="utf-8")
    return path


def certify(source: Path, plan: Path, report: Path) -> tuple[int, str]:
    where = ("--html", report, "--checkpoint", source.with_suffix(".c"))
    arguments = ["certify", "--from", source, "--plan", plan, *where]
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.output


@pytest.mark.parametrize(("defect", "test", "place"), PLANTED, ids=[defect.__name__ for defect, _, _ in PLANTED])
def test_a_planted_defect_fails_and_its_place_is_named(
    defect: Defect, test: str, place: str, plan: Path, tmp_path: Path
) -> None:
    decks = ideal(DECKS, 77)
    defect(decks, np.random.default_rng(1))
    assert (np.sort(decks, axis=1) == np.arange(52)).all(), "a defect keeps decks whole"
    np.save(tmp_path / "decks.npy", decks)
    code, said = certify(tmp_path / "decks.npy", plan, tmp_path / "r.html")
    assert code == 1
    lines = said.splitlines()
    at = next(n for n, line in enumerate(lines) if line.strip().startswith(f"recorded: {test}: "))
    assert any(place in line for line in lines[at + 1 : at + 3]), said
    report = html.unescape((tmp_path / "r.html").read_text(encoding="utf-8"))
    where = report[report.index('<section id="places">') : report.index('<section id="practical">')]
    assert place in where


def test_a_clean_csv_file_of_50_000_decks_passes(plan: Path, tmp_path: Path) -> None:
    np.savetxt(tmp_path / "decks.csv", ideal(50_000, 78), fmt="%d", delimiter=",")
    code, said = certify(tmp_path / "decks.csv", plan, tmp_path / "r.html")
    assert code == 0, said
    assert "50,000 decks" in said
    assert "9 tests not performed (not applicable): input-successions" in said  # needs the order before
