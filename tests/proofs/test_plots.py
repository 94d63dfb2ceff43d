"""Charts are whole SVG documents that show every point."""

import math
from xml.etree import ElementTree

import numpy as np

from proofs import plots

SVG = "{http://www.w3.org/2000/svg}"


def test_every_test_has_its_curve() -> None:
    p = np.random.default_rng(1).random((500, 3))
    tree = ElementTree.fromstring(plots.quantiles(["one", "two", "three"], p))
    assert [title.text for title in tree.iter(SVG + "title")] == ["one", "two", "three"]


def test_every_defect_has_its_dot_and_what_was_not_found_is_hollow() -> None:
    points = [("riffle", 27.0, 32), ("too fine", 1.5e9, None), ("unseen", math.inf, None)]
    tree = ElementTree.fromstring(plots.predicted_and_found(points, (10, 32, 100, 316, 1000)))
    dots = list(tree.iter(SVG + "circle"))
    assert [dot[0].text for dot in dots] == [
        "riffle: predicted 27, found at 32",
        "too fine: predicted 1,500,000,000, not found",
        "unseen: predicted inf, not found",
    ]
    assert [dot.get("fill") == "white" for dot in dots] == [False, True, True]
    assert float(dots[1].get("cx", "0")) == float(dots[2].get("cx", "0"))
