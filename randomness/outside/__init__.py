"""Outside test engines (dieharder, ent, rngtest, PractRand), driven where installed, their verdicts as values."""

from randomness.outside.drive import installed, run_engine, run_engines
from randomness.outside.engines import Engine, dieharder, engines_named, ent, practrand, quick_engines, rngtest
from randomness.outside.verdicts import Assessment, OutsideRun, Verdict

__all__ = [
    "Assessment",
    "Engine",
    "OutsideRun",
    "Verdict",
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
