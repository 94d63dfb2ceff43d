"""Certification: plans, runs over any number of shuffles, one decision, one record of everything."""

from randomness.certification.decision import Decision, Judged, decide
from randomness.certification.engines import Engine, local_engine
from randomness.certification.errors import (
    CertificationError,
    CheckpointError,
    Interrupted,
    PlanError,
    RecordedError,
    ReportError,
)
from randomness.certification.generator_bits import BitSource
from randomness.certification.plan import PLANS, Plan, load_plan, parse_plan
from randomness.certification.recorded import Recorded
from randomness.certification.runs import KernelSubject, RecordedSubject, Run
from randomness.certification.whole_run import certify

__all__ = [
    "PLANS",
    "BitSource",
    "CertificationError",
    "CheckpointError",
    "Decision",
    "Engine",
    "Interrupted",
    "Judged",
    "KernelSubject",
    "Plan",
    "PlanError",
    "Recorded",
    "RecordedError",
    "RecordedSubject",
    "ReportError",
    "Run",
    "certify",
    "decide",
    "load_plan",
    "local_engine",
    "parse_plan",
]
