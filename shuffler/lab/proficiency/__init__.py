"""The proficiency kit as files: sets for a laboratory, a sealed key that stays at home, answers that come back."""

from shuffler.lab.proficiency.files import answers_of, make_kit, read_answers, score_kit, write_answers

__all__ = ["answers_of", "make_kit", "read_answers", "score_kit", "write_answers"]
