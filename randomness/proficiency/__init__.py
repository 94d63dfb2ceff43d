"""Blind proficiency test: decks that are fair or have a planted defect of predicted power, and how answers score."""

from randomness.proficiency.answering import LabVerdict, SetAnswer, answer_set
from randomness.proficiency.composing import (
    KitKey,
    SetKey,
    commitment,
    compose,
    key_from_json,
    key_to_json,
    set_decks,
)
from randomness.proficiency.errors import ProficiencyError
from randomness.proficiency.plants import PLANTS, Plant, plant
from randomness.proficiency.scoring import KitScore, PlantScore, score

__all__ = [
    "PLANTS",
    "KitKey",
    "KitScore",
    "LabVerdict",
    "Plant",
    "PlantScore",
    "ProficiencyError",
    "SetAnswer",
    "SetKey",
    "answer_set",
    "commitment",
    "compose",
    "key_from_json",
    "key_to_json",
    "plant",
    "score",
    "set_decks",
]
