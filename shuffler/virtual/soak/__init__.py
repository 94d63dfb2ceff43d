"""Tables run for a long time with every injection of the catalogue: what happened, and whether the books hold."""

from shuffler.virtual.soak.crew import SoakPlan, soak
from shuffler.virtual.soak.report import InjectionRow, SoakReport, merged, signs_text
from shuffler.virtual.soak.table import Soak

__all__ = ["InjectionRow", "Soak", "SoakPlan", "SoakReport", "merged", "signs_text", "soak"]
