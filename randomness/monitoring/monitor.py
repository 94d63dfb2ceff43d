"""The monitor: takes one deal after another and keeps the capital of every bet."""

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from randomness.extras import numba_installed
from randomness.monitoring.bets import MISS, ODDS, TILT, reserve
from randomness.monitoring.deals import CARDS, DEALT, GROUP, GROUPS, MonitoringError, SeenDeal
from randomness.monitoring.questions import LAGS, QUESTIONS, RANKS, WEIGHT, By, Question, Where
from randomness.monitoring.targets import BEGINNING, NOTHING, past_of, trials

Capital = NDArray[np.float64]
Labels = NDArray[np.int64]
Evidences = NDArray[np.float64]

LEVEL = 0.001
"""The chance that a fair shuffler ever raises the alarm."""
DEALS_KEPT = 1 << 16
"""Rounds that are remembered to find a deal that comes twice."""
PRIORS = np.array([60.0, 600.0])
"""Pseudo-counts for each card: deviations of about 13 % and 4 % are learnt."""
KEPT_A_ROUND = 0.5 ** (1 / 20_000)
"""Learnt counts lose half their weight in 20,000 rounds."""
CURVE_POINTS = 512
CEILING = 1e100
"""Capital above this is given away: the numbers stay finite, and the guarantee holds."""
VERSION = 1
STEPS = {Where.POSITION: 1, Where.GROUP: GROUP, Where.ANYWHERE: 0}
"""Positions that share a place; 0 for all."""

_CELLS = [0 if one.overall else one.shape[0] * one.shape[1] for one in QUESTIONS]
CELL_STARTS = np.cumsum([0, *_CELLS])
CAPITAL_STARTS = np.cumsum([0, *(len(ODDS) * cells or len(PRIORS) for cells in _CELLS)])

_FACE = np.arange(CARDS)
FIXED_LABELS: Mapping[By, Labels] = {
    By.CARD: _FACE,
    By.SUIT: _FACE // RANKS,
    By.RANK: _FACE % RANKS,
    By.COLOUR: np.where((_FACE // RANKS == 1) | (_FACE // RANKS == 2), 1, 0),
}


class QuestionTally:
    """One question's bets: the capital of each cell, and what was seen there against what was expected."""

    def __init__(self, question: Question, capital: Capital, stats: Capital, learnt: Capital) -> None:
        """The arrays are views into those of the monitor."""
        shape = question.shape
        self.question = question
        self.capital: Capital = capital if question.overall else capital.reshape(*shape, len(ODDS))
        self.learnt: Capital = learnt
        self.trials, self.hits, self.expected, self.spread = (
            row[:0] if question.overall else row.reshape(shape) for row in stats
        )
        """`spread` is the sum of (hit - chance)²: what a confidence sequence needs."""
        self.since = 0
        """The last round at which this question's evidence was below 1."""

    ARRAYS = ("capital", "learnt", "trials", "hits", "expected", "spread")

    def evidence(self, rounds: int) -> float:
        """The capital of this question if it had started with 1."""
        return float(self.capital.mean()) + reserve(rounds)


class Monitor:
    """Evidence against a fair shuffle. Start one for each device, before its first round; never start again after bad
    luck: the level holds for one monitor over all its rounds."""

    def __init__(self, *, level: float = LEVEL, compiled: bool | None = None) -> None:
        """`compiled` for the compiled bets or the plain ones; left out, compiled where numba is installed."""
        if not 0 < level < 1:
            raise MonitoringError(f"a level lies between 0 and 1, not {level}")
        self.level = level
        self.compiled = numba_installed() if compiled is None else compiled
        self.rounds = 0
        self.cards = 0
        self._capital = np.zeros(int(CAPITAL_STARTS[-1]))
        self._stats = np.zeros((4, int(CELL_STARTS[-1])))
        self._learnt = np.zeros((len(QUESTIONS), DEALT, CARDS + 1))
        self.tallies = tuple(
            QuestionTally(
                question, self._capital[CAPITAL_STARTS[at] : CAPITAL_STARTS[at + 1]],
                self._stats[:, CELL_STARTS[at] : CELL_STARTS[at + 1]],
                self._learnt[at, :, : question.shape[1] + 1 if question.overall else 0],
            )
            for at, question in enumerate(QUESTIONS)
        )  # fmt: skip
        self.evidence = 1.0
        self.peak = 1.0
        self.alarm_round: int | None = None
        self.curve: list[tuple[int, float]] = [(0, 1.0)]
        """Rounds and evidence; the largest of each stretch."""
        self._stride = 1
        self._past: deque[SeenDeal] = deque(maxlen=LAGS)
        self._deals: OrderedDict[tuple[int, ...], SeenDeal] = OrderedDict()

    @property
    def alarmed(self) -> bool:
        """Whether the evidence has ever reached 1/level."""
        return self.alarm_round is not None

    # ----- one round --------------------------------------------------------------------------------------------------

    def take(self, deal: SeenDeal) -> float:
        """Bet on the cards of one round in turn; return the evidence after it."""
        return float(self.take_all((deal,))[0])

    def _take_plainly(self, deal: SeenDeal) -> float:
        fresh = reserve(self.rounds) - reserve(self.rounds + 1)
        self.rounds += 1
        self.cards += len(deal.cards)
        earlier = self._deals.get(deal.cards[:BEGINNING])
        for tally in self.tallies:
            tally.capital += fresh
            if deal.cards:
                self._bet(tally, deal, earlier)
        self._remember(deal)
        self._settle()
        return self.evidence

    def _bet(self, tally: QuestionTally, deal: SeenDeal, earlier: SeenDeal | None) -> None:
        question = tally.question
        if question.by in FIXED_LABELS or question.by in (By.OLD_POSITION, By.OLD_GROUP):
            labels = self._labels(question)
            if labels is None:
                return
            (_bet_overall if question.overall else _bet_cells)(tally, deal, labels)
        else:
            past = self._past[-question.lag] if 0 < question.lag <= len(self._past) else None
            _bet_target(tally, deal, past, earlier)

    def _labels(self, question: Question) -> Labels | None:
        """The label of each card; the number of labels where it has none. None while there is no round to look at."""
        if question.lag == 0:
            return FIXED_LABELS[question.by]
        if question.lag > len(self._past):
            return None
        old = self._past[-question.lag]
        labels = np.full(CARDS, DEALT if question.by is By.OLD_POSITION else GROUPS)
        positions = np.array(old.positions, np.int64)
        labels[list(old.cards)] = positions if question.by is By.OLD_POSITION else positions // GROUP
        return labels

    def _remember(self, deal: SeenDeal) -> None:
        self._past.append(deal)
        if len(deal.cards) > BEGINNING:
            self._deals[deal.cards[:BEGINNING]] = deal
            if len(self._deals) > DEALS_KEPT:
                self._deals.popitem(last=False)

    def _settle(self) -> None:
        total = 0.0
        for tally in self.tallies:
            own = tally.evidence(self.rounds)
            total += own
            if own < 1:
                tally.since = self.rounds
        if WEIGHT * total > CEILING:
            np.minimum(self._capital, CEILING, out=self._capital)
        self._note(WEIGHT * total)

    def _note(self, evidence: float) -> None:
        self.evidence = evidence
        self.peak = max(self.peak, self.evidence)
        if self.alarm_round is None and self.evidence >= 1 / self.level:
            self.alarm_round = self.rounds
        self._draw()

    def _draw(self) -> None:
        if self.rounds % self._stride == 1 or self._stride == 1:
            self.curve.append((self.rounds, self.evidence))
        elif self.evidence > self.curve[-1][1]:
            self.curve[-1] = (self.rounds, self.evidence)
        if len(self.curve) > CURVE_POINTS:
            pairs = (self.curve[at : at + 2] for at in range(0, len(self.curve), 2))
            self.curve = [max(pair, key=lambda point: point[1]) for pair in pairs]
            self._stride *= 2

    # ----- many rounds ------------------------------------------------------------------------------------------------

    def take_all(self, deals: Sequence[SeenDeal], *, counted: bool = True) -> Evidences:
        """Take many rounds; return the evidence after each.

        Without `counted` the observed and expected counts of each cell stay as they are: for simulations.
        """
        if not self.compiled:
            return np.array([self._take_plainly(deal) for deal in deals])
        from randomness.monitoring.compiled import KINDS, bet_rounds

        rows = [*([None] * (LAGS - len(self._past))), *self._past, *deals]
        positions, cards = np.zeros((len(rows), DEALT), np.int64), np.zeros((len(rows), DEALT), np.int64)
        lengths = np.full(len(rows), -1)
        earlier = np.full((len(deals), DEALT), -1)
        for at, deal in enumerate(rows):
            if deal is None:
                continue
            lengths[at] = many = len(deal.cards)
            positions[at, :many], cards[at, :many] = deal.positions, deal.cards
            if at >= LAGS:
                if (before := self._deals.get(deal.cards[:BEGINNING])) is not None:
                    earlier[at - LAGS, list(before.positions)] = before.cards
                self._remember(deal)
        evidence = np.empty(len(deals))
        since = np.array([tally.since for tally in self.tallies])
        bet_rounds(
            positions, cards, lengths, earlier, self.rounds, np.array([KINDS.index(one.by) for one in QUESTIONS]),
            np.array([one.lag for one in QUESTIONS]), np.array([STEPS[one.where] for one in QUESTIONS]),
            np.array([one.shape[1] for one in QUESTIONS]), np.array([one.overall for one in QUESTIONS]),
            CAPITAL_STARTS[:-1], CELL_STARTS, self._capital, self._stats, self._learnt, since, PRIORS, KEPT_A_ROUND,
            WEIGHT, CEILING, counted, evidence,
        )  # fmt: skip
        for tally, last in zip(self.tallies, since.tolist(), strict=True):
            tally.since = last
        for deal, value in zip(deals, evidence.tolist(), strict=True):
            self.rounds += 1
            self.cards += len(deal.cards)
            self._note(value)
        return evidence

    # ----- keeping ----------------------------------------------------------------------------------------------------

    def to_state(self) -> dict[str, Any]:
        """Everything, as plain values and arrays."""
        return {
            "version": VERSION, "questions": [tally.question.name for tally in self.tallies], "level": self.level,
            "rounds": self.rounds, "cards": self.cards, "evidence": self.evidence, "peak": self.peak,
            "alarm_round": self.alarm_round, "curve": self.curve, "stride": self._stride,
            "since": [tally.since for tally in self.tallies],
            "arrays": {
                "past": _packed(self._past), "deals": _packed(self._deals.values()),
                **{f"{tally.question.name}.{name}": getattr(tally, name) for tally in self.tallies
                   for name in QuestionTally.ARRAYS},
            },
        }  # fmt: skip

    @classmethod
    def from_state(cls, state: Mapping[str, Any], *, compiled: bool | None = None) -> "Monitor":
        """Go on where `to_state` was called; raises MonitoringError for a state of another version."""
        if state.get("version") != VERSION or list(state.get("questions", ())) != [one.name for one in QUESTIONS]:
            raise MonitoringError("this state was saved by another version of the monitor: start a new one")
        made = cls(level=float(state["level"]), compiled=compiled)
        made.rounds, made.cards = int(state["rounds"]), int(state["cards"])
        made.evidence, made.peak = float(state["evidence"]), float(state["peak"])
        made.alarm_round = None if state["alarm_round"] is None else int(state["alarm_round"])
        made.curve = [(int(rounds), float(value)) for rounds, value in state["curve"]]
        made._stride = int(state["stride"])
        made._past.extend(_unpacked(state["arrays"]["past"]))
        for deal in _unpacked(state["arrays"]["deals"]):
            made._deals[deal.cards[:BEGINNING]] = deal
        for tally, since in zip(made.tallies, state["since"], strict=True):
            tally.since = int(since)
            for name in QuestionTally.ARRAYS:
                found = np.asarray(state["arrays"][f"{tally.question.name}.{name}"], np.float64)
                if found.shape != getattr(tally, name).shape:
                    raise MonitoringError(f"the saved state does not fit: {tally.question.name}.{name}")
                getattr(tally, name)[...] = found
        return made


def _packed(deals: Iterable[SeenDeal]) -> NDArray[np.uint8]:
    """Each deal as its number of cards, its positions, its cards."""
    return np.frombuffer(b"".join(bytes((len(deal.cards), *deal.positions, *deal.cards)) for deal in deals), np.uint8)


def _unpacked(packed: NDArray[np.uint8]) -> Iterator[SeenDeal]:
    data, at = np.asarray(packed, np.uint8).tobytes(), 0
    while at < len(data):
        many = data[at]
        middle, end = at + 1 + many, at + 1 + 2 * many
        yield SeenDeal(tuple(data[at + 1 : middle]), tuple(data[middle:end]))
        at = end


# ----- the bets of one round ------------------------------------------------------------------------------------------


def _starts(deal: SeenDeal, where: Where) -> Labels:
    """Where in the seen cards each place begins."""
    step = {Where.POSITION: 1, Where.GROUP: GROUP, Where.ANYWHERE: len(deal.cards)}[where]
    return np.arange(0, len(deal.cards), step)


def _places(deal: SeenDeal, where: Where, starts: Labels) -> Labels:
    positions = np.array(deal.positions, np.int64)[starts]
    if where is Where.POSITION:
        return positions
    return positions // GROUP if where is Where.GROUP else np.zeros(1, np.int64)


def _bet_cells(tally: QuestionTally, deal: SeenDeal, labels: Labels) -> None:
    many = tally.question.shape[1]
    seen = np.arange(len(deal.cards))
    of_card = labels[list(deal.cards)]
    drawn = np.zeros((len(seen), many + 1), np.int64)
    drawn[seen, of_card] = 1
    totals = np.bincount(labels, minlength=many + 1)
    left = (totals - (np.cumsum(drawn, axis=0) - drawn))[:, :many]
    payoff = MISS[left, seen[:, None]]
    hit = of_card < many
    payoff[seen[hit], of_card[hit]] *= TILT
    starts = _starts(deal, tally.question.where)
    at = _places(deal, tally.question.where, starts)
    tally.capital[at] *= np.multiply.reduceat(payoff, starts, axis=0)
    chance = left / (CARDS - seen)[:, None]
    tally.trials[at] += np.add.reduceat(left > 0, starts, axis=0)
    tally.hits[at] += np.add.reduceat(drawn[:, :many], starts, axis=0)
    tally.expected[at] += np.add.reduceat(chance, starts, axis=0)
    tally.spread[at] += np.add.reduceat((drawn[:, :many] - chance) ** 2, starts, axis=0)


def _bet_target(tally: QuestionTally, deal: SeenDeal, past: SeenDeal | None, earlier: SeenDeal | None) -> None:
    made = trials(tally.question.by, deal, NOTHING if past is None else past_of(past), earlier)
    favoured, hits = np.array(made.favoured), np.array(made.hits)
    seen = np.arange(len(hits))
    payoff = MISS[favoured, seen]
    payoff[hits] *= TILT
    tally.capital[0, 0] *= payoff.prod(axis=0)
    chance = favoured / (CARDS - seen)
    tally.trials[0, 0] += np.count_nonzero(favoured)
    tally.hits[0, 0] += np.count_nonzero(hits)
    tally.expected[0, 0] += chance.sum()
    tally.spread[0, 0] += ((hits - chance) ** 2)[favoured > 0].sum()


def _bet_overall(tally: QuestionTally, deal: SeenDeal, labels: Labels) -> None:
    many = tally.question.shape[1]
    cards, seen = np.array(deal.cards), np.arange(len(deal.cards))
    sizes = np.maximum(np.bincount(labels, minlength=many + 1), 1)
    counts = (tally.learnt[list(deal.positions)] / sizes)[:, labels]
    left = np.ones((len(seen), CARDS))
    for number, card in enumerate(deal.cards):
        left[number + 1 :, card] = 0.0
    totals = (counts * left).sum(axis=1)
    remaining = CARDS - seen
    weights = PRIORS[:, None] + counts[seen, cards]
    tally.capital *= (weights * remaining / (PRIORS[:, None] * remaining + totals)).prod(axis=1)
    tally.learnt *= KEPT_A_ROUND
    tally.learnt[list(deal.positions), labels[cards]] += 1.0
