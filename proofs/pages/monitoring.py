"""docs/monitoring.md: its table of questions is made from the monitor's own; the rest is written by hand."""

from proofs.pages.markdown import replaced, table
from proofs.pages.registry import DOCS
from randomness.monitoring import QUESTIONS


def page() -> str:
    """The page with its questions fresh."""
    rows = [
        [f"`{one.name}`", one.asks, "all cells together" if one.overall else f"{one.shape[0] * one.shape[1]:,}"]
        for one in QUESTIONS
    ]
    made = table(["question", "asks", "cells"], rows)
    return replaced((DOCS / "monitoring.md").read_text(encoding="utf-8"), {"questions": made})
