"""Outside test engines (dieharder, ent, rngtest, PractRand), driven where installed, their verdicts as values."""

from randomness.outside.drive import installed, run_engine, run_engines
from randomness.outside.engines import OutsideEngine, dieharder, engines_named, ent, practrand, quick_engines, rngtest
from randomness.outside.verdicts import OutsideRun, OutsideVerdict, ToolAssessment

__all__ = [
    "OutsideEngine",
    "OutsideRun",
    "OutsideVerdict",
    "ToolAssessment",
    "dieharder",
    "engines_named",
    "ent",
    "installed",
    "practrand",
    "quick_engines",
    "rngtest",
    "run_engine",
    "run_engines",
]
