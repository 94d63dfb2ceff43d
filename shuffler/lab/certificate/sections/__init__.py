"""The sections of the report, each a function of the record that gives the HTML under its heading, or nothing.

A new part of a run gets a file here and a row in SECTIONS; the page numbers it and lists it in the contents.
"""

from collections.abc import Callable

from randomness.certification.model import RunRecord
from shuffler.lab.certificate.figures import charts
from shuffler.lab.certificate.sections.closing import excluded, reproduce, seal, untested
from shuffler.lab.certificate.sections.generator import bits, controls, outside, outside_words
from shuffler.lab.certificate.sections.noise import noise
from shuffler.lab.certificate.sections.statistics import every_test, literal, places, power, practical, retest
from shuffler.lab.certificate.sections.subject import clauses, plan, subject

# title, anchor, what draws it; one that has nothing to say is left out
SECTIONS: tuple[tuple[str, str, Callable[[RunRecord], str]], ...] = (
    ("Requirements",                         "clauses",   clauses),
    ("Findings",                             "places",    places),
    ("Practical effect",                     "practical", practical),
    ("Item tested",                          "subject",   subject),
    ("Method",                               "plan",      plan),
    ("Re-test",                              "retest",    retest),
    ("Each test alone",                      "literal",   literal),
    ("Charts",                               "charts",    charts),
    ("Results",                              "tests",     every_test),
    ("Generator: SP 800-22",                 "bits",      bits),
    ("Noise source: SP 800-90B",             "noise",     noise),
    ("Generator: external programs",         "outside",   outside),
    ("Power",                                "power",     power),
    ("Negative controls",                    "controls",  controls),
    ("Excluded rows",                        "excluded",  excluded),
    ("Tests not performed",                  "untested",  untested),
    ("Reproduction",                         "reproduce", reproduce),
    ("Seal",                                 "seal",      seal),
)  # fmt: skip

__all__ = ["SECTIONS", "outside_words"]
