"""Theory reproduced: riffle and shelf figures as published, from the formulas and from the kernels, side by side."""

import argparse
import sys
from dataclasses import dataclass

from proofs.evidence import record
from randomness.kernels import make
from randomness.sources import seeded_source
from randomness.theory import ClassLaw, riffle_law, riffle_summary, shelf_law, shelf_summary
from randomness.theory.simulate import (
    SimulatedShuffle,
    Statistic,
    guess_both_ways,
    guess_upwards,
    rising_sequences,
    simulate,
    valleys,
)

CARDS = 52
DECKS = 1_000_000
SEED = 20130701

# Bayer and Diaconis, Annals of Applied Probability 2 (1992) 294, table 1.
RIFFLE_PUBLISHED = {
    1: "1.000", 2: "1.000", 3: "1.000", 4: "1.000", 5: ".924",
    6: ".614", 7: ".334", 8: ".167", 9: ".085", 10: ".043",
}  # fmt: skip

# Diaconis, Fulman and Holmes, Annals of Applied Probability 23 (2013) 1692, table of distances by shelves.
SHELF_PUBLISHED = {10: "1", 15: ".943", 20: ".720", 30: ".391", 50: ".159", 100: ".041", 200: ".010", 300: ".005"}


@dataclass(frozen=True, kw_only=True)
class Line:
    """One shuffle: published, exact, simulated."""

    name: str
    published: str
    exact: float
    guesses: float
    simulated: SimulatedShuffle

    @property
    def agrees(self) -> bool:
        """The formula rounds to the published figure, and the kernel lies within four standard errors of it."""
        rounded = round(self.exact, len(self.published.partition(".")[2]))
        published = rounded == float(self.published)
        near = self.simulated.total_variation.agrees(self.exact) and self.simulated.guesses.agrees(self.guesses)
        return published and near


def simulated(
    spec: dict[str, int],
    name: str,
    law: ClassLaw,
    classes: Statistic,
    guesses: Statistic,
    decks: int,
    seed: int,
) -> SimulatedShuffle:
    """One kernel's decks."""
    return simulate(make(name, **spec), law, classes, guesses, decks, seeded_source(seed, len(law.sizes)))


def run(decks: int = DECKS, seed: int = SEED) -> list[Line]:
    """Every line of the table; `decks` simulated for each."""
    lines = []
    for passes, published in RIFFLE_PUBLISHED.items():
        law, figures = riffle_law(CARDS, passes), riffle_summary(CARDS, passes)
        assert figures.guesses is not None
        told = simulated({"passes": passes}, "riffle", law, rising_sequences, guess_upwards, decks, seed + passes)
        name = f"riffle, {passes} pass" + ("es" if passes > 1 else "")
        exact = float(figures.total_variation)
        lines.append(Line(name=name, published=published, exact=exact, guesses=float(figures.guesses), simulated=told))
    for shelves, published in SHELF_PUBLISHED.items():
        law, figures = shelf_law(CARDS, shelves), shelf_summary(CARDS, shelves)
        assert figures.guesses is not None
        told = simulated({"shelves": shelves}, "shelf", law, valleys, guess_both_ways, decks, seed + 1000 + shelves)
        exact = float(figures.total_variation)
        name = f"{shelves} shelves"
        lines.append(Line(name=name, published=published, exact=exact, guesses=float(figures.guesses), simulated=told))
    return lines


def table(lines: list[Line]) -> str:
    """Markdown."""
    rows = [
        "| 52 cards | TV published | TV by formula | TV by kernel | guesses by formula | guesses by kernel | agrees |",
        "|---|---|---|---|---|---|---|",
    ]
    for line in lines:
        tv, guesses = line.simulated.total_variation, line.simulated.guesses
        rows.append(
            f"| {line.name} | {line.published} | {line.exact:.7f} | {tv.value:.5f} ± {tv.error:.5f} "
            f"| {line.guesses:.4f} | {guesses.value:.4f} ± {guesses.error:.4f} | {'yes' if line.agrees else 'NO'} |"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--decks", type=int, default=DECKS)
    parser.add_argument("--seed", type=int, default=SEED)
    chosen = parser.parse_args()
    lines = run(chosen.decks, chosen.seed)
    body = (
        f"{chosen.decks:,} decks from each kernel. TV is total variation from a perfect shuffle, which gives "
        "4.5380 right guesses. Riffles are guessed upwards, shelves up and down in turn. ± is one standard error; "
        "agreement means that the formula rounds to the published figure and that both simulated figures lie within "
        "four standard errors of the formula's.\n\n" + table(lines)
    )
    command = "make proof-theory" if chosen.decks == DECKS else f"python -m proofs.theory --decks {chosen.decks}"
    record("theory", command=command, seed=chosen.seed, body=body)
    if not all(line.agrees for line in lines):
        sys.exit("a line does not agree")


if __name__ == "__main__":
    main()
