"""SP 800-90B: how much entropy raw noise samples have, whether they are independent, and whether restarts matter."""

from randomness.assessment.estimate import Estimate
from randomness.assessment.iid import IidAssessment, assess_iid
from randomness.assessment.initial import Assessment, assess
from randomness.assessment.restart import RestartAssessment, assess_restarts
from randomness.assessment.samples import ENOUGH, Samples, Series
from randomness.assessment.section import final_entropy, health_tests, section

__all__ = [
    "ENOUGH",
    "Assessment",
    "Estimate",
    "IidAssessment",
    "RestartAssessment",
    "Samples",
    "Series",
    "assess",
    "assess_iid",
    "assess_restarts",
    "final_entropy",
    "health_tests",
    "section",
]
