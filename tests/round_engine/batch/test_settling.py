"""Batches: known rounds to the cent, strategies, patterns, both engines, and what is refused."""

from collections.abc import Sequence

import numpy as np
import pytest

from round_engine.batch import BatchError, Settlement, Stakes, settle_rounds
from round_engine.errors import RuleError, WagerRefused
from round_engine.hands import rank3
from round_engine.hands.cards import parse_hand
from round_engine.hands.strategy import ALWAYS, NEVER, parse
from round_engine.money import Cents
from round_engine.odds import odds_of
from round_engine.rules.rulebook import load
from round_engine.rules.ruleset import RuleSet

ANTE = Stakes.of(ante=Cents(1000))
THREE = Stakes.of(ante=Cents(1000), pair_plus=Cents(500), six_card_bonus=Cents(500))
Q_6_4 = parse("Q-6-4")

engines = pytest.mark.parametrize(
    "compiled", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["numpy", "numba"]
)


@pytest.fixture(scope="module")
def house() -> RuleSet:
    return load("ten-dollar-house")


def deal(*rounds: str) -> np.ndarray:
    """Decks that begin with the hands written, the dealer's last: "A♠ K♠ Q♠ / 2♣ 3♦ 7♥"."""
    return np.array([parse_hand(one.replace("/", " ")) for one in rounds], dtype=np.uint8)


def random_decks(rounds: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(np.arange(52, dtype=np.uint8), (rounds, 1)), axis=1)


@engines
@pytest.mark.parametrize(
    ("cards", "ante", "play", "bonus", "pair_plus", "six_card"),
    [
        # Dealer jack high does not qualify: ante paid, play pushed.
        pytest.param("A♠ 9♦ 4♥ / J♣ 7♦ 2♥", 1000, 0, 0, -500, -500, id="dealer does not qualify"),
        pytest.param("A♠ 9♦ 4♥ / Q♣ 7♦ 2♥", 1000, 1000, 0, -500, -500, id="player wins"),
        pytest.param("A♠ 9♦ 4♥ / A♣ 9♥ 4♣", 0, 0, 0, -500, -500, id="tie"),
        pytest.param("K♠ 9♦ 4♥ / A♣ 7♦ 2♥", -1000, -1000, 0, -500, -500, id="player loses"),
        pytest.param("Q♠ 6♦ 3♥ / A♣ 7♦ 2♥", -1000, 0, 0, -500, -500, id="fold"),
        # A straight that loses to a higher one still has its bonus, and with the dealer's cards five in a row.
        pytest.param("6♠ 5♦ 4♥ / 9♣ 8♦ 7♥", -1000, -1000, 1000, 3000, 5000, id="bonus on a losing straight"),
        pytest.param("9♠ 9♦ 9♥ / 9♣ 8♦ 2♥", 1000, 0, 3000, 15000, 25000, id="four of a kind in six cards"),
        pytest.param("A♠ K♠ Q♠ / J♠ T♠ 2♥", 1000, 0, 4000, 20000, 475000, id="the cap cuts what is settled last"),
    ],
)
def test_a_round_to_the_cent(
    house: RuleSet, cards: str, ante: int, play: int, bonus: int, pair_plus: int, six_card: int, compiled: bool
) -> None:
    settled = settle_rounds(house, deal(cards), [THREE], strategy=Q_6_4, compiled=compiled)
    found = [int(settled.net_of(wager)[0, 0]) for wager in ("ante", "play", "ante_bonus")]
    assert [*found, int(settled.net_of("pair_plus")[0, 0]), int(settled.net_of("six_card_bonus")[0, 0])] == [
        ante, play, bonus, pair_plus, six_card,
    ]  # fmt: skip
    assert settled.net[0, 0] == ante + play + bonus + pair_plus + six_card


@engines
def test_cards_in_rotation(house: RuleSet, compiled: bool) -> None:
    groups = deal("A♠ 9♦ 4♥ / 2♣ 2♦ 8♥ / Q♣ 7♦ 2♥")
    rotation = groups.reshape(1, 3, 3).transpose(0, 2, 1).reshape(1, 9)
    one = settle_rounds(house, groups, [THREE, THREE], strategy=Q_6_4, compiled=compiled)
    other = settle_rounds(house, rotation, [THREE, THREE], strategy=Q_6_4, dealing="rotation", compiled=compiled)
    assert one.net.tolist() == other.net.tolist()
    assert one.dealer_ranks[0] == rank3(*parse_hand("Q♣ 7♦ 2♥"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["south-dakota", "ten-dollar-house", "light-and-wonder"])
def test_numba_and_numpy_give_the_same(name: str) -> None:
    rules = load(name, sides=("bad-beat",), changes={"house": {"limit_ceiling": "$100"}})
    lit = {"bad_beat": Cents(100), "progressive": Cents(100 if "progressive" in rules.progressives else 0)}
    more = Stakes.of(ante=Cents(700), six_card_bonus=Cents(600), **lit)
    ways = [ANTE, THREE, Stakes.of(pair_plus=Cents(500), **lit), more]
    decks = random_decks(20_000, seed=11)
    chosen = np.random.default_rng(12).integers(len(ways), size=(len(decks), 7))
    one, other = (
        settle_rounds(rules, decks, ways, chosen=chosen, strategy=Q_6_4, compiled=compiled)
        for compiled in (False, True)
    )
    for left, right in (
        (one.net, other.net), (one.ranks, other.ranks), (one.dealer_ranks, other.dealer_ranks),
        (one.folded, other.folded), (one.cells, other.cells),
    ):  # fmt: skip
        assert np.array_equal(left, right)
    assert (one.meters, one.meter_wins) == (other.meters, other.meter_wins)


@pytest.mark.slow
def test_the_mean_of_many_rounds_is_the_exact_one(house: RuleSet) -> None:
    settled = settle_rounds(house, random_decks(200_000, seed=13), [ANTE] * 7, strategy=Q_6_4, compiled=False)
    (exact,) = odds_of(house, "ante", stake=Cents(1000))
    # One spot's standard deviation is 1.6 stakes, and even if all seven moved as one, 0.0036 for the mean of 200,000.
    assert settled.net.mean() / 1000 == pytest.approx(-float(exact.house_advantage), abs=0.01)


def test_strategies(house: RuleSet) -> None:
    decks = random_decks(500, seed=14)
    assert settle_rounds(house, decks, [ANTE], strategy=ALWAYS).folded.sum() == 0
    never = settle_rounds(house, decks, [ANTE], strategy=NEVER)
    assert never.folded.all()
    assert (never.net == -1000).all()


def test_a_strategy_of_ones_own_sees_faces_and_ranks(house: RuleSet) -> None:
    decks = random_decks(500, seed=15)

    def with_an_ace(faces: np.ndarray, ranks: np.ndarray) -> np.ndarray:
        assert faces.shape == (*ranks.shape, 3)
        return (faces % 13 == 12).any(axis=2)

    settled = settle_rounds(house, decks, [ANTE, ANTE], strategy=with_an_ace)
    assert (settled.folded == ~(decks[:, :6].reshape(-1, 2, 3) % 13 == 12).any(axis=2)).all()


def test_a_pair_plus_alone_below_a_pair_is_folded_where_the_rules_force_it() -> None:
    rules = load("south-dakota")
    decks = deal("A♠ 9♦ 4♥ / Q♣ 7♦ 2♥", "9♠ 9♦ 4♥ / Q♣ 7♦ 2♥")
    settled = settle_rounds(rules, decks, [Stakes.of(pair_plus=Cents(500))], strategy=ALWAYS)
    assert settled.folded[:, 0].tolist() == [True, False]
    assert settled.net[:, 0].tolist() == [-500, 500]


def test_tips() -> None:
    tipped = Stakes.of(ante=Cents(1000), tip_ante=Cents(100), tip_play=True)
    settled = settle_rounds(load("south-dakota"), deal("A♠ 9♦ 4♥ / Q♣ 7♦ 2♥"), [tipped], strategy=Q_6_4)
    assert settled.tips()[0, 0] == 400
    assert settled.net[0, 0] == 2000 - 200


def meter_table() -> RuleSet:
    return load("light-and-wonder", sides=("bad-beat",), changes={"house": {"limit_ceiling": "$100"}})


LIT = Stakes.of(ante=Cents(1000), progressive=Cents(100), bad_beat=Cents(100))


def test_meters_run_and_are_won_in_order() -> None:
    quiet = "A♠ 9♦ 4♥ / K♠ 8♣ 3♦ / Q♣ 7♦ 2♥"
    royal = "A♠ K♠ Q♠ / 8♦ 8♣ 3♦ / Q♣ 7♦ 2♥"
    settled = settle_rounds(meter_table(), deal(quiet, royal, quiet), [LIT, LIT], strategy=Q_6_4)
    # $1,000 and 14 cents from each of two wagers in two rounds; after the award the seed and a round more.
    (win,) = settled.meter_wins
    assert (win.round, win.spot, win.prize) == (1, 1, 100_056)
    assert settled.meters["progressive"].amount == 100_028
    assert settled.meters["bad_beat"].amount == 1_000_000 + 3 * 52
    assert settled.net_of("progressive").tolist() == [[-100, -100], [99_956, 9_900], [-100, -100]]


def test_a_bad_beat_pays_the_lower_hand_and_envy_to_others() -> None:
    decks = deal("9♠ 9♦ 9♥ / A♠ 8♣ 3♦ / K♠ K♦ K♥", "9♠ 9♦ 9♥ / A♠ 8♣ 3♦ / K♠ K♦ 2♥")
    settled = settle_rounds(meter_table(), decks, [LIT, LIT], strategy=Q_6_4)
    assert settled.net_of("bad_beat").tolist() == [[199_900, 4_900], [300, -100]]


def test_meters_go_on_from_where_they_stood() -> None:
    quiet = deal("A♠ 9♦ 4♥ / K♠ 8♣ 3♦ / Q♣ 7♦ 2♥")
    first = settle_rounds(meter_table(), quiet, [LIT, LIT], strategy=Q_6_4)
    second = settle_rounds(meter_table(), quiet, [LIT, LIT], strategy=Q_6_4, meters=first.meters)
    assert second.meters["progressive"].amount == 100_000 + 2 * 28


def test_no_rounds_are_no_error(house: RuleSet) -> None:
    settled = settle_rounds(house, np.empty((0, 52), dtype=np.uint8), [ANTE] * 7, strategy=Q_6_4)
    assert settled.net.shape == (0, 7)


def refused(rules: RuleSet, decks: np.ndarray, ways: Sequence[Stakes], **more: object) -> Settlement:
    return settle_rounds(rules, decks, ways, **{"strategy": Q_6_4, **more})  # type: ignore[arg-type]


@engines
def test_cards_that_are_no_hands_are_refused(house: RuleSet, compiled: bool) -> None:
    decks = random_decks(10, seed=16)
    for bad in (52, int(decks[4, 0])):
        wrong = decks.copy()
        wrong[4, 1] = bad
        with pytest.raises(BatchError, match="round 4 holds a face"):
            refused(house, wrong, [ANTE] * 7, compiled=compiled)
    wrong = decks.astype(np.int16)
    wrong[4, 1] = -1
    with pytest.raises(BatchError, match="round 4 holds a face"):
        refused(house, wrong, [ANTE] * 7, compiled=compiled)


@pytest.mark.parametrize(
    ("more", "problem"),
    [
        ({"ways": []}, "at least one pattern"),
        ({"ways": [ANTE] * 8}, "spots 1 to 7, not 8"),
        ({"decks": np.zeros((3, 20), dtype=np.uint8)}, "need rounds × 24 faces"),
        ({"decks": np.zeros((3, 52))}, "need rounds × 24 faces"),
        ({"chosen": np.zeros((2, 7), dtype=np.intp)}, "10 × 7 integers"),
        ({"chosen": np.zeros((10, 7))}, "10 × 7 integers"),
        ({"chosen": np.full((10, 7), 7)}, "outside 0 … 6"),
        ({"players": ["a", "b"]}, "need as many players"),
        ({"strategy": lambda faces, ranks: ranks > 5000}, None),
        ({"strategy": lambda faces, ranks: ranks}, "of bool"),
        ({"strategy": lambda faces, ranks: ranks[:, :1] > 3}, "of bool"),
    ],
)
def test_what_does_not_fit_is_refused(house: RuleSet, more: dict[str, object], problem: str | None) -> None:
    arguments = {"decks": random_decks(10, seed=17), "ways": [ANTE] * 7, **more}
    decks, ways = arguments.pop("decks"), arguments.pop("ways")
    if problem is None:
        refused(house, decks, ways, **arguments)  # type: ignore[arg-type]
        return
    with pytest.raises(BatchError, match=problem):
        refused(house, decks, ways, **arguments)  # type: ignore[arg-type]


def test_stakes_that_the_rules_forbid_are_refused(house: RuleSet) -> None:
    with pytest.raises(WagerRefused, match="above the maximum"):
        refused(house, random_decks(2, seed=18), [Stakes.of(ante=Cents(1001))])
    with pytest.raises(WagerRefused, match="comes first"):
        refused(house, random_decks(2, seed=18), [Stakes.of(six_card_bonus=Cents(500))])


def test_a_table_that_cannot_be_opened_is_refused() -> None:
    with pytest.raises(RuleError, match="limit_ceiling"):
        refused(load("light-and-wonder"), random_decks(2, seed=19), [ANTE])
    with pytest.raises(BatchError, match="dealt as groups, not as rotation"):
        refused(meter_table(), random_decks(2, seed=19), [ANTE], dealing="rotation")


def test_a_wager_that_is_not_there_is_refused(house: RuleSet) -> None:
    settled = refused(house, random_decks(2, seed=20), [ANTE])
    with pytest.raises(BatchError, match="no progressive"):
        settled.net_of("progressive")


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("dealing", ["groups", "rotation"])
def test_a_card_in_two_hands_is_refused(compiled: bool, dealing: str) -> None:
    decks = random_decks(5, seed=3)[:, :9].copy()
    decks[3, 7] = decks[3, 0]
    with pytest.raises(BatchError, match="3"):
        settle_rounds(
            load("south-dakota"), decks, [ANTE, ANTE], strategy=Q_6_4, dealing=dealing, compiled=compiled  # type: ignore[arg-type]
        )


def test_more_spots_than_a_player_may_have_are_refused() -> None:
    decks = random_decks(2, seed=3)
    with pytest.raises(WagerRefused, match="already has 2, and a player may have 2"):
        settle_rounds(load("south-dakota"), decks, [ANTE] * 7, strategy=Q_6_4, players=["ann"] * 7)
    rules = load("light-and-wonder", changes={"house": {"limit_ceiling": "$100"}})
    with pytest.raises(WagerRefused, match="must be neighbours"):
        settle_rounds(rules, decks, [ANTE] * 3, strategy=Q_6_4, players=["ann", "bob", "ann"])
