"""Monitoring in service: dealt rounds from a journal, a device or a file, watched by `randomness.monitoring`."""

from shuffler.monitoring.seen import DealtRounds, SeenRound
from shuffler.monitoring.watch import Watch, Watched

__all__ = ["DealtRounds", "SeenRound", "Watch", "Watched"]
