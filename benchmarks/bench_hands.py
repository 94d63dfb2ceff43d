"""Ranking hands: look-ups over arrays against the evaluators that Python users reach for."""

from collections.abc import Callable, Sequence
from typing import Any

import eval7
import numpy as np
import pokerkit
from phevaluator import _pheval
from phevaluator.evaluator import evaluate_6cards

from benchmarks import Section, best_rate
from round_engine.hands import best_five, best_five_array, rank3, rank3_array

MANY = 4_000_000
FEW = 100_000
FEWEST = 10_000
TEXTS = ["23456789TJQKA"[face % 13] + "cdhs"[face // 13] for face in range(52)]
PHEVALUATOR_CARD = [face % 13 * 4 + face // 13 for face in range(52)]


def hands(count: int, width: int) -> np.ndarray:
    """Random hands, the same in every run."""
    return np.random.default_rng(7).random((count, 52), dtype=np.float32).argsort(axis=1)[:, :width].astype(np.uint8)


def each(evaluate: Callable[[Any], object], many: Sequence[Any]) -> Callable[[], int]:
    """A loop over prepared hands: how these evaluators are used."""

    def work() -> int:
        for hand in many:
            evaluate(hand)
        return len(many)

    return work


def arrays(evaluate: Callable[..., np.ndarray], faces: np.ndarray, *, compiled: bool) -> Callable[[], int]:
    """All hands at once."""

    def work() -> int:
        evaluate(faces, compiled=compiled)
        return len(faces)

    work()
    return work


def six_cards() -> Section:
    faces = hands(MANY, 6)
    single = [tuple(map(int, row)) for row in faces[:FEW]]
    cards = [[eval7.Card(TEXTS[face]) for face in hand] for hand in single]
    numbers = [tuple(PHEVALUATOR_CARD[face] for face in hand) for hand in single]
    peer = best_rate(each(eval7.evaluate, cards))
    rates = {
        "eval7 0.1.11, `evaluate` on its own cards": peer,
        "phevaluator 0.6.0, `evaluate_6cards` on card numbers": best_rate(each(lambda n: evaluate_6cards(*n), numbers)),
        "phevaluator 0.6.0, its C function directly": best_rate(each(lambda n: _pheval.evaluate_6cards(*n), numbers)),
        "`best_five`, one set at a time": best_rate(each(best_five, single)),
        "`best_five_array`, numpy": best_rate(arrays(best_five_array, faces, compiled=False)),
        "`best_five_array`, numba": best_rate(arrays(best_five_array, faces, compiled=True)),
    }
    return _section("Best five of six cards", "eval7", peer, rates, "Reach: 8 × eval7 in batch.")


def three_cards() -> Section:
    faces = hands(MANY, 3)
    single = [tuple(map(int, row)) for row in faces[:FEW]]
    texts = ["".join(TEXTS[face] for face in hand) for hand in single[:FEWEST]]
    parsed = [tuple(pokerkit.Card.parse(text)) for text in texts]
    peer = best_rate(each(pokerkit.RhodeIslandHoldemHand, parsed))
    rates = {
        "pokerkit 0.7.7, `RhodeIslandHoldemHand` from its own cards": peer,
        "pokerkit 0.7.7, the same from text": best_rate(each(pokerkit.RhodeIslandHoldemHand, texts)),
        "`rank3`, one hand at a time": best_rate(each(lambda hand: rank3(*hand), single)),
        "`rank3_array`, numpy": best_rate(arrays(rank3_array, faces, compiled=False)),
        "`rank3_array`, numba": best_rate(arrays(rank3_array, faces, compiled=True)),
    }
    return _section("Three-card hands", "pokerkit", peer, rates, "Reach: 300 × pokerkit in batch.")


def _section(title: str, peer_name: str, peer: float, rates: dict[str, float], note: str) -> Section:
    return Section(
        title=title,
        columns=("evaluator", "million hands a second", f"× {peer_name}"),
        rows=tuple((name, f"{rate / 1e6:.2f}", f"{rate / peer:,.1f}") for name, rate in rates.items()),
        note=f"{note} {MANY:,} random hands as an array, {FEW:,} singly; best of five runs, one thread.",
    )


def run() -> list[Section]:
    return [six_cards(), three_cards()]
