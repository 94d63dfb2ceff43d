"""A second, slow settlement, written from the documents with their numbers in it, to hold the engine against.

Knows nothing of the engine: own hand ranking, own paytables, nets per player instead of postings.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

RANKS = "23456789TJQKA"


def three_card_key(cards: Sequence[int]) -> tuple[int, ...]:
    """A key that compares as the hands do."""
    ranks = sorted((card % 13 for card in cards), reverse=True)
    flush = len({card // 13 for card in cards}) == 1
    wheel = ranks == [12, 1, 0]
    straight = wheel or (ranks[0] - 1 == ranks[1] and ranks[1] - 1 == ranks[2])
    if wheel:
        ranks = [1, 0, -1]
    groups = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    ordered = tuple(rank for n, rank in groups for _ in range(n))
    if straight and flush:
        return 5, *ordered
    if groups[0][0] == 3:
        return 4, *ordered
    if straight:
        return 3, *ordered
    if flush:
        return 2, *ordered
    return (1 if groups[0][0] == 2 else 0), *ordered


def five_card_kind(cards: Sequence[int]) -> str:
    """The kind of five cards, as the 6 Card Bonus names it."""
    ranks = sorted(card % 13 for card in cards)
    flush = len({card // 13 for card in cards}) == 1
    straight = len(set(ranks)) == 5 and (ranks[4] - ranks[0] == 4 or ranks == [0, 1, 2, 3, 12])
    counts = sorted(Counter(ranks).values(), reverse=True)
    if straight and flush:
        return "royal" if ranks[0] == 8 else "sf"
    if counts[0] == 4:
        return "quads"
    if counts[:2] == [3, 2]:
        return "full"
    if flush:
        return "flush"
    if straight:
        return "straight"
    return "trips" if counts[0] == 3 else "less"


LADDER = ("royal", "sf", "quads", "full", "flush", "straight", "trips", "less")

# Straight flush, three of a kind, straight, flush, pair: odds to 1 by category 5, 4, 3, 2, 1.
ANTE_BONUS = {"A": {5: 5, 4: 4, 3: 1}, "B": {5: 5, 4: 3, 3: 1}, "C": {5: 4, 4: 3, 3: 1}}
PAIR_PLUS = {
    "A": {5: 40, 4: 30, 3: 6, 2: 4, 1: 1},
    "B": {5: 40, 4: 25, 3: 6, 2: 4, 1: 1},
    "C": {5: 40, 4: 30, 3: 5, 2: 4, 1: 1},
    "D": {5: 40, 4: 30, 3: 6, 2: 3, 1: 1},
}
SIX_CARD = {
    "TCP-6B1": dict(zip(LADDER, (1000, 200, 50, 25, 20, 10, 5), strict=False)),
    "TCP-6B2": dict(zip(LADDER, (1000, 200, 50, 25, 15, 10, 5), strict=False)),
    "TCP-6B3": dict(zip(LADDER, (1000, 200, 100, 20, 15, 9, 8), strict=False)),
    "TCP-6B4": dict(zip(LADDER, (1000, 200, 100, 20, 15, 10, 7), strict=False)),
}
PROGRESSIVE = {"1": {5: 70, 4: 60, 3: 6}, "2": {5: 100, 4: 90}}
BAD_BEAT = {4: 200_000, 3: 5_000, 2: 2_000, 1: 400}
QUEEN_HIGH = three_card_key((10, 13 + 1, 26))


@dataclass(frozen=True, kw_only=True)
class Spot:
    """One spot as it lies on the table."""

    spot: int
    player: str
    cards: tuple[int, ...]
    folded: bool
    ante: int = 0
    pair_plus: int = 0
    six_card_bonus: int = 0
    progressive: int = 0
    bad_beat: int = 0
    tip_ante: int = 0
    tip_pair_plus: int = 0
    tip_play: int = 0


@dataclass(frozen=True, kw_only=True)
class Game:
    """Which rules are played."""

    ante_bonus: str
    pair_plus: str
    six_card: str
    fold_forfeits_pair_plus: bool
    cap: int | None = None
    progressive: str = ""
    folded_progressive_lives: bool = True
    envy_to_own_spot: bool = False


@dataclass
class Result:
    """What everybody gained, and the meters after it."""

    players: dict[str, int] = field(default_factory=dict)
    tips: int = 0
    meter: int = 0
    bad_beat_meter: int = 0

    def give(self, player: str, amount: int) -> None:
        self.players[player] = self.players.get(player, 0) + amount


def settle(game: Game, spots: Sequence[Spot], dealer: tuple[int, ...], meter: int, bad_beat_meter: int) -> Result:
    """Net gain of each player over the whole round; meters come in with the round's contributions already added."""
    result = Result(meter=meter, bad_beat_meter=bad_beat_meter)
    for spot in spots:
        result.give(spot.player, _table_wagers(game, spot, dealer, result))
    for spot in sorted(spots, key=lambda one: -one.spot):
        _progressive(game, spot, spots, result)
        _bad_beat(spot, spots, dealer, result)
    return result


def _table_wagers(game: Game, spot: Spot, dealer: tuple[int, ...], result: Result) -> int:
    own, theirs = three_card_key(spot.cards), three_card_key(dealer)
    category = own[0]
    wins, losses, tip_cost = 0, 0, spot.tip_ante + spot.tip_pair_plus + spot.tip_play
    if spot.folded:
        losses += spot.ante
    elif spot.ante:
        qualified = theirs >= QUEEN_HIGH
        sign = 1 if not qualified or own > theirs else -1 if own < theirs else 0
        plays = sign if qualified else 0
        wins += spot.ante * (max(sign, 0) + max(plays, 0) + ANTE_BONUS[game.ante_bonus].get(category, 0))
        losses += spot.ante * (max(-sign, 0) + max(-plays, 0))
        bonus = spot.tip_ante * ANTE_BONUS[game.ante_bonus].get(category, 0)
        result.tips += bonus
        for stake, outcome in ((spot.tip_ante, sign), (spot.tip_play, plays)):
            if outcome > 0:
                result.tips += 2 * stake
            elif outcome == 0:
                tip_cost -= stake
    if not (spot.folded and game.fold_forfeits_pair_plus):
        odds = PAIR_PLUS[game.pair_plus].get(category)
        if odds is None:
            losses += spot.pair_plus
        else:
            wins += spot.pair_plus * odds
            if not spot.folded:
                result.tips += spot.tip_pair_plus * (odds + 1)
    else:
        losses += spot.pair_plus
    best = min((five_card_kind(five) for five in combinations(spot.cards + dealer, 5)), key=LADDER.index)
    if best in SIX_CARD[game.six_card]:
        wins += spot.six_card_bonus * SIX_CARD[game.six_card][best]
    else:
        losses += spot.six_card_bonus
    if game.cap is not None:
        wins = min(wins, game.cap)
    return wins - losses - tip_cost


def _akq(cards: Sequence[int]) -> str:
    suits = {card // 13 for card in cards}
    if {card % 13 for card in cards} != {10, 11, 12} or len(suits) != 1:
        return ""
    return "spades" if suits == {3} else "other"


def _progressive(game: Game, spot: Spot, spots: Sequence[Spot], result: Result) -> None:
    if not spot.progressive:
        return
    result.give(spot.player, -100)
    if spot.folded and not game.folded_progressive_lives:
        return
    royal, category = _akq(spot.cards), three_card_key(spot.cards)[0]
    if royal == "spades":
        result.give(spot.player, result.meter)
        result.meter = 100_000
    elif royal == "other":
        result.give(spot.player, 50_000)
    else:
        result.give(spot.player, 100 * PROGRESSIVE[game.progressive].get(category, 0))
    envy = {"spades": 10_000, "other": 2_500, "": 0}[royal]
    for other in spots:
        if other.spot != spot.spot and other.progressive and (game.envy_to_own_spot or other.player != spot.player):
            result.give(other.player, envy)


def _bad_beat(spot: Spot, spots: Sequence[Spot], dealer: tuple[int, ...], result: Result) -> None:
    if not spot.bad_beat:
        return
    result.give(spot.player, -100)
    own, theirs = three_card_key(spot.cards), three_card_key(dealer)
    low = min(own, theirs)
    if own == theirs or low[0] < 1:
        return
    envy: Mapping[int, int] = {4: 5_000}
    if low[0] == 5 and low[1] >= RANKS.index("7"):
        prize, share = result.bad_beat_meter, 100_000
        result.bad_beat_meter = 1_000_000
    elif low[0] == 5:
        prize, share = result.bad_beat_meter * 25 // 100, 25_000
        result.bad_beat_meter -= prize
    else:
        prize, share = BAD_BEAT[low[0]], envy.get(low[0], 0)
    result.give(spot.player, prize)
    for other in spots:
        if other.spot != spot.spot and other.bad_beat:
            result.give(other.player, share)
