"""Tables run for a long time with every trouble of the catalogue: what happened, and whether the books hold."""

from shuffler.soak.crew import SoakPlan, soak
from shuffler.soak.report import SoakReport, TroubleRow, merged, signs_text
from shuffler.soak.table import Soak

__all__ = ["Soak", "SoakPlan", "SoakReport", "TroubleRow", "merged", "signs_text", "soak"]
