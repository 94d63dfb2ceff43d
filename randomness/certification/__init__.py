"""Certification: plans, runs over any number of shuffles, one decision, one record of everything."""

from randomness.certification.choosing import Choice, strongest
from randomness.certification.decision import Decision, Judged, Verdict, decide
from randomness.certification.engines import ShardEngine, local_engine
from randomness.certification.errors import (
    CertificationError,
    CheckpointError,
    PartialError,
    PlanError,
    RecordedError,
    ReportError,
    RetestError,
    RunInterrupted,
    UnreadableError,
)
from randomness.certification.generator_bits import BitSource
from randomness.certification.model import Cover, EarlierRun, RunRecord, RunSettings
from randomness.certification.plan import PLANS, Plan, load_plan, parse_plan
from randomness.certification.recorded import FileLayout, Recorded
from randomness.certification.retest import check_due, retest
from randomness.certification.runs import KernelSubject, RecordedSubject, Run
from randomness.certification.whole_run import certify

__all__ = [
    "PLANS",
    "BitSource",
    "CertificationError",
    "CheckpointError",
    "Choice",
    "Cover",
    "Decision",
    "EarlierRun",
    "FileLayout",
    "Judged",
    "KernelSubject",
    "PartialError",
    "Plan",
    "PlanError",
    "Recorded",
    "RecordedError",
    "RecordedSubject",
    "ReportError",
    "RetestError",
    "Run",
    "RunInterrupted",
    "RunRecord",
    "RunSettings",
    "ShardEngine",
    "UnreadableError",
    "Verdict",
    "certify",
    "check_due",
    "decide",
    "load_plan",
    "local_engine",
    "parse_plan",
    "retest",
    "strongest",
]
