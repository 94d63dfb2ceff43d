"""The sections of the report, each a function of the record that gives the HTML under its heading, or nothing.

A new part of a run gets a file here and a row in SECTIONS; the page numbers it and lists it in the contents.
"""

from collections.abc import Callable
from typing import Any

from shuffler.lab.certificate.figures import charts
from shuffler.lab.certificate.sections.closing import excluded, reproduce, seal, untested
from shuffler.lab.certificate.sections.generator import bits, controls, outside, outside_words
from shuffler.lab.certificate.sections.noise import noise
from shuffler.lab.certificate.sections.statistics import every_test, literal, places, power, retest
from shuffler.lab.certificate.sections.subject import clauses, plan, subject

# title, anchor, what draws it; one that has nothing to say is left out
SECTIONS: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("Clause by clause",                     "clauses",   clauses),
    ("Where to look",                        "places",    places),
    ("What was tested",                      "subject",   subject),
    ("Plan",                                 "plan",      plan),
    ("Re-test",                              "retest",    retest),
    ("The standards' literal readings",      "literal",   literal),
    ("Charts",                               "charts",    charts),
    ("Every test",                           "tests",     every_test),
    ("The generator's bits: SP 800-22",      "bits",      bits),
    ("The noise source: SP 800-90B",         "noise",     noise),
    ("Outside engines on the generator",     "outside",   outside),
    ("Power: what would have been found",    "power",     power),
    ("Negative controls",                    "controls",  controls),
    ("Excluded decks",                       "excluded",  excluded),
    ("Tests that could not be made",         "untested",  untested),
    ("How to repeat it",                     "reproduce", reproduce),
    ("Seal",                                 "seal",      seal),
)  # fmt: skip

__all__ = ["SECTIONS", "outside_words"]
