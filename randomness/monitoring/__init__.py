"""Monitoring in service: evidence against a fair shuffle from dealt cards alone, valid however long it runs. Pure."""

from randomness.monitoring.deals import CARDS, DEALT, GROUP, GROUPS, MonitoringError, SeenDeal, deal_of_groups
from randomness.monitoring.monitor import Monitor
from randomness.monitoring.questions import QUESTIONS, Question
from randomness.monitoring.report import MonitorEvidence, Named, QuestionEvidence, evidence_of

__all__ = [
    "CARDS",
    "DEALT",
    "GROUP",
    "GROUPS",
    "QUESTIONS",
    "Monitor",
    "MonitorEvidence",
    "MonitoringError",
    "Named",
    "Question",
    "QuestionEvidence",
    "SeenDeal",
    "deal_of_groups",
    "evidence_of",
]
