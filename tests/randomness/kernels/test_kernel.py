"""The contract that the device and the laboratory share."""

import numpy as np
import pytest

from randomness.errors import BadParameter, SourceStuck
from randomness.kernels import Backend, make, parse
from randomness.kernels.kernel import MAX_REDRAWS
from randomness.source import RandomSource
from randomness.sources import seeded_source

SPECS = [
    "ideal",
    "ejection",
    "ejection:dead=3",
    "ejection:dead=3,dead_rate=1/3",
    "rack",
    "rack:order=feed",
    "rack:sizes=1+2+3+4",
    "rack:dead=2",
    "rack:dead=2,dead_rate=1/2,order=feed",
    "shelf",
    "shelf:shelves=3,passes=2,placement=top",
    "shelf:placement=bottom,dead=4,dead_rate=1/5",
    "riffle",
    "riffle:passes=1,sticky=1/10",
    "ideal:sticky=1/10,weak_feed=1/3,weak_feed_cards=2",
    "rack:sticky=1/100,weak_feed=1/7,source_bias=0.01",
    "ideal:source_stuck=60",
]


class Recorded:
    """Gives a seeded source's bytes and keeps every request."""

    def __init__(self, seed: int) -> None:
        self._inner = seeded_source(seed)
        self.requests: list[bytes] = []

    def generate(self, n: int) -> bytes:
        self.requests.append(self._inner.generate(n))
        return self.requests[-1]


class Served:
    """Gives these answers, one for each request."""

    def __init__(self, answers: list[bytes]) -> None:
        self._answers = list(answers)

    def generate(self, n: int) -> bytes:
        answer = self._answers.pop(0)
        assert len(answer) == n
        return answer


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("cards", [52, 53, 417])
def test_plain_and_numpy_give_the_same_valid_orders(spec: str, cards: int) -> None:
    kernel = parse(spec)
    batch = 300 if cards < 100 else 40
    plain = kernel.permutations(cards, batch, seeded_source(1), engine=Backend.PLAIN)
    vector = kernel.permutations(cards, batch, seeded_source(1), engine=Backend.NUMPY)
    assert plain.shape == (batch, cards)
    assert plain.dtype == vector.dtype == (np.uint8 if cards <= 255 else np.uint16)
    assert (np.sort(plain, axis=1) == np.arange(cards)).all()
    assert (plain == vector).all()


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_numba_gives_the_same_orders(spec: str) -> None:
    pytest.importorskip("numba")
    kernel = parse(spec)
    for cards, batch in ((52, 3000), (417, 60)):
        reference = kernel.permutations(cards, batch, seeded_source(1), engine=Backend.NUMPY)
        compiled = kernel.permutations(cards, batch, seeded_source(1), engine=Backend.NUMBA)
        assert (reference == compiled).all()


@pytest.mark.parametrize("spec", ["ideal", "ejection", "shelf", "riffle", "rack:compartments=1,group=1"])
@pytest.mark.parametrize("cards", [1, 2, 3])
def test_the_smallest_decks_work_in_every_engine(spec: str, cards: int) -> None:
    kernel = parse(spec)
    plain = kernel.permutations(cards, 20, seeded_source(1), engine=Backend.PLAIN)
    assert (plain == kernel.permutations(cards, 20, seeded_source(1), engine=Backend.NUMPY)).all()
    assert (plain[0] == kernel.permutations(cards, 1, Served([plain_words(kernel, cards)]))[0]).all()


def plain_words(kernel: object, cards: int) -> bytes:
    """The first shuffle's slice of a request for twenty."""
    size = kernel.bytes_per_shuffle(cards)  # type: ignore[attr-defined]
    return seeded_source(1).generate(20 * size)[:size]


@pytest.mark.parametrize("spec", SPECS)
def test_one_shuffle_at_a_time_as_in_play_equals_the_laboratory_at_batch_one(spec: str) -> None:
    """Design: same seed and same batch size, same decks, in whichever engine."""
    kernel = parse(spec)
    play, laboratory = seeded_source(2), seeded_source(2)
    for _ in range(60):
        dealt = kernel.permutations(52, 1, play)
        certified = kernel.permutations(52, 1, laboratory, engine=Backend.NUMPY)
        assert (dealt == certified).all()


@pytest.mark.parametrize("spec", ["ideal", "rack", "shelf:passes=2", "riffle:sticky=1/10"])
def test_shuffle_i_uses_slice_i_of_the_request_alone(spec: str) -> None:
    kernel = parse(spec)
    source = Recorded(3)
    orders = kernel.permutations(52, 200, source)
    size = len(source.requests[0]) // 200
    assert len(source.requests[0]) == 200 * kernel.bytes_per_shuffle(52)  # type: ignore[attr-defined]
    redrawn = 0
    for i in range(200):
        piece = source.requests[0][i * size : (i + 1) * size]
        try:
            alone = kernel.permutations(52, 1, Served([piece]))
        except IndexError:  # refused, and asked for a second answer
            redrawn += 1
            continue
        assert (alone[0] == orders[i]).all()
    if len(source.requests) > 1:
        assert len(source.requests[1]) == redrawn * size
    else:
        assert redrawn == 0


def test_refused_shuffles_are_drawn_again_in_the_order_of_their_indices() -> None:
    kernel = make("ideal")
    source = Recorded(3)
    orders = kernel.permutations(52, 1000, source)
    assert len(source.requests) >= 2, "about 17 of 1,000 decks are refused"
    refused = []
    for i in range(1000):
        try:
            kernel.permutations(52, 1, Served([source.requests[0][32 * i : 32 * i + 32]]))
        except IndexError:
            refused.append(i)
    assert len(source.requests[1]) == 32 * len(refused)
    checked = 0
    for k, i in enumerate(refused):
        try:
            again = kernel.permutations(52, 1, Served([source.requests[1][32 * k : 32 * k + 32]]))
        except IndexError:
            continue
        assert (again[0] == orders[i]).all()
        checked += 1
    assert checked


def test_consecutive_calls_consume_consecutive_requests() -> None:
    kernel = make("ideal")
    source = seeded_source(4)
    both = [kernel.permutations(52, 500, source) for _ in range(2)]
    again = seeded_source(4)
    assert (kernel.permutations(52, 500, again, engine=Backend.PLAIN) == both[0]).all()
    assert (kernel.permutations(52, 500, again, engine=Backend.PLAIN) == both[1]).all()
    assert (both[0] != both[1]).any()


def test_an_empty_batch_asks_for_nothing() -> None:
    source = Recorded(1)
    assert make("ideal").permutations(52, 0, source).shape == (0, 52)
    assert source.requests == []


def test_out_is_filled_and_returned() -> None:
    room = np.zeros((100, 52), np.uint8)
    orders = make("ideal").permutations(52, 100, seeded_source(1), out=room)
    assert orders is room
    assert (orders == make("ideal").permutations(52, 100, seeded_source(1))).all()
    single = np.zeros((1, 52), np.uint8)
    make("ideal").permutations(52, 1, seeded_source(1), out=single)
    assert (single == make("ideal").permutations(52, 1, seeded_source(1))).all()


@pytest.mark.parametrize(
    "room", [np.zeros((99, 52), np.uint8), np.zeros((100, 52), np.uint16), np.zeros((52, 100), np.uint8).T]
)
def test_out_of_a_wrong_shape_or_type_is_refused(room: np.ndarray) -> None:
    with pytest.raises(BadParameter, match="out must be"):
        make("ideal").permutations(52, 100, seeded_source(1), out=room)


@pytest.mark.parametrize(("cards", "batch"), [(0, 1), (1001, 1), (52, -1), (-1, 5)])
def test_impossible_sizes_are_refused(cards: int, batch: int) -> None:
    with pytest.raises(BadParameter):
        make("ideal").permutations(cards, batch, seeded_source(1))


@pytest.mark.parametrize("batch", [1, 100])
def test_a_dead_random_source_is_found_out_and_not_waited_for(batch: int) -> None:
    class Zeros:
        requests = 0

        def generate(self, n: int) -> bytes:
            self.requests += 1
            return bytes(n)

    zeros = Zeros()
    with pytest.raises(SourceStuck, match="the random source is not random"):
        make("ideal").permutations(52, batch, zeros)
    assert zeros.requests == MAX_REDRAWS


def test_a_kernel_says_what_it_is() -> None:
    kernel = make("rack", compartments=7, order="feed", sticky=0.001)
    assert kernel.name == "rack"
    assert kernel.describe() == (
        "compartment rack: 7 compartments of 3, in feed order inside; cards stick together at 1/1000"
    )
    assert dict(kernel.parameters) == {"compartments": 7, "order": "feed", "sticky": "1/1000"}
    assert kernel.groups(52) == (3, 3, 3, 3, 3, 3, 3, 31)
    assert make("ideal").groups(52) == (52,)
    assert repr(kernel) == "make('rack', compartments=7, order='feed', sticky='1/1000')"


@pytest.mark.parametrize("spec", SPECS)
def test_its_parameters_make_it_again(spec: str) -> None:
    kernel = parse(spec)
    again = make(kernel.name, **kernel.parameters)
    assert again.describe() == kernel.describe()
    assert (again.permutations(52, 5, seeded_source(1)) == kernel.permutations(52, 5, seeded_source(1))).all()


@pytest.mark.parametrize(
    ("spec", "exact"),
    [
        ("ideal", True), ("ejection", True), ("rack", True),
        ("rack:order=feed", False), ("rack:dead=1", False), ("ejection:dead=1", False),
        ("shelf", False), ("riffle", False), ("ideal:sticky=1/1000", False), ("ideal:source_bias=0.001", False),
    ],
)  # fmt: skip
def test_a_kernel_claims_uniformity_only_where_it_is_exact(spec: str, exact: bool) -> None:
    assert parse(spec).exact is exact


def test_a_kernel_takes_any_random_source() -> None:
    class Counter:
        def __init__(self) -> None:
            self.n = 0

        def generate(self, n: int) -> bytes:
            self.n += 1
            return bytes((i * 37 + self.n * 11) % 251 for i in range(n))

    source: RandomSource = Counter()
    assert sorted(make("ideal").permutations(52, 1, source)[0].tolist()) == list(range(52))
