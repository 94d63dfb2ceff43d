"""Kernels by name and by text."""

from fractions import Fraction

import pytest

from randomness.errors import BadParameter, KernelError, RandomnessError, UnknownKernel
from randomness.kernels import MECHANISMS, make, parse


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_is_made_with_its_defaults(name: str) -> None:
    assert make(name).name == name
    assert make(name).parameters == {}


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(UnknownKernel, match="no mechanism 'faro': there are ideal, ejection, rack, shelf, riffle"):
        make("faro")


def test_an_unknown_parameter_says_what_there_is() -> None:
    with pytest.raises(BadParameter, match=r"'shelf' has no parameter 'racks'; it takes: shelves \(10\), placement"):
        make("shelf", racks=3)


def test_a_mechanism_without_places_has_no_dead_one() -> None:
    for name in ("ideal", "riffle"):
        with pytest.raises(BadParameter, match="has no parameter 'dead'"):
            make(name, dead=1)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("shelf", {"shelves": 0}),
        ("shelf", {"shelves": "many"}),
        ("shelf", {"shelves": 2.5}),
        ("shelf", {"shelves": None}),
        ("shelf", {"shelves": True}),
        ("shelf", {"passes": 0}),
        ("shelf", {"passes": 101}),
        ("shelf", {"placement": "left"}),
        ("shelf", {"placement": 1}),
        ("shelf", {"dead": 10}),
        ("shelf", {"dead": -1}),
        ("shelf", {"shelves": 1, "dead": 0}),
        ("riffle", {"passes": 0}),
        ("ejection", {"dead": -2}),
        ("rack", {"compartments": 0}),
        ("rack", {"group": 0}),
        ("rack", {"sizes": ()}),
        ("rack", {"sizes": (3, 0)}),
        ("rack", {"sizes": "3+x"}),
        ("rack", {"order": "sorted"}),
        ("ideal", {"sticky": 1.5}),
        ("ideal", {"sticky": -0.1}),
        ("ideal", {"sticky": "1/0"}),
        ("ideal", {"sticky": 1e-9}),
        ("ideal", {"sticky": float("nan")}),
        ("ideal", {"weak_feed_cards": 0}),
        ("ideal", {"source_bias": 0.6}),
        ("ideal", {"source_stuck": 64}),
        ("ideal", {"source_stuck_at": 2}),
    ],
)
def test_values_that_make_no_sense_are_refused(name: str, parameters: dict[str, object]) -> None:
    with pytest.raises(BadParameter):
        make(name, **parameters)


def test_sizes_that_do_not_fit_the_deck_are_refused_when_it_comes() -> None:
    from randomness.sources import seeded_source

    with pytest.raises(BadParameter, match="a rack of 60 places is not filled by 52 cards"):
        make("rack", compartments=20).permutations(52, 1, seeded_source(1))
    with pytest.raises(BadParameter, match="there is no compartment 10"):
        make("rack", dead=10).permutations(52, 1, seeded_source(1))
    with pytest.raises(BadParameter, match="cannot hold back 53 of 52"):
        make("ideal", weak_feed=0.5, weak_feed_cards=53).permutations(52, 1, seeded_source(1))


def test_a_line_of_text_makes_the_same_kernel() -> None:
    kernel = parse("rack:sizes=3+3+4, order=feed ,sticky=1/1000,dead=none")
    assert repr(kernel) == repr(make("rack", sizes=(3, 3, 4), order="feed", sticky=Fraction(1, 1000)))
    assert parse("shelf").describe() == make("shelf").describe()


@pytest.mark.parametrize("text", ["shelf:shelves", "shelf:=3", "shelf:shelves=3,shelves=4", "shelf:shelves="])
def test_a_line_that_cannot_be_read_says_so(text: str) -> None:
    with pytest.raises(BadParameter):
        parse(text)


def test_errors_share_a_root() -> None:
    assert issubclass(BadParameter, KernelError)
    assert issubclass(KernelError, RandomnessError)
