"""A small record with one of everything that a report shows."""

from typing import Any


def a_record() -> dict[str, Any]:
    """Small, with one of everything that a page shows."""
    row = {
        "label": "factory: each-cell", "section": "factory", "second_level": False, "clause": "S.D. 48:02:08:02",
        "sees": "one card", "adjusted_p": 0.001, "test": "each-cell", "outcome": "tested", "samples": 100,
        "statistic": 5.0, "p": 0.0005, "null": "exact", "effect": 0.1, "effect_low": 0.0, "effect_high": 0.2,
        "effect_unit": "share", "unmet": [], "findings": [],
    }  # fmt: skip
    found = {"place": "Q♥ at <position> 7", "observed": 9.0, "expected": 2.0, "z": None}
    return {
        "verdict": {"outcome": "failed", "passed": False, "level": 0.01, "level_note": "", "family": 1,
                    "least_decks": 5, "failures": ["1 row"], "missing": ["9 tests need more decks"],
                    "rejected": [row["label"]],
                    "doubtful": [], "untested": ["x: not applicable"], "notes": ["numbered from <1>"],
                    "not_made": [{"why": "not applicable", "count": 1, "tests": ["<x>"], "reasons": ["r"]}],
                    "retest": {"tests": [row], "passed": False, "why": "w"}},
        "clauses": [{"standard": "GLI-19 v3.0", "clause": "3.2.2", "asks": "<runs>", "evidence": "1 of 2 statistics",
                     "verdict": "not met", "tests": ["each-cell"], "made": 1, "not_made": 1, "too_few": 0,
                     "least_adjusted_p": 0.001, "worst": row["label"]}],
        "cover": {"laboratory": "Lab & <Sons>", "model": "M", "serial": "7", "author": "A", "disclaimer": "D"},
        "plan_chosen": "chosen by size", "retest_of": None,
        "deck": {"cards": 52, "names": [str(face) for face in range(52)]},
        "where_to_look": [{"test": row["label"], "sees": "one card", "findings": [found]}],
        "plan": {"name": "quick", "describes": "d", "decks": 10, "decks_per_shard": 5, "starts": ["factory"],
                 "level": 0.01, "least_blocks": 5, "retest_below": 0.05, "least_decks": 5, "sha256": "ab"},
        "subject": {"kind": "recorded decks", "name": "</script><b>", "test_run": True, "provenance": {"device": "D"}},
        "sample": {"decks": 10, "sections": {"factory": {"decks": 10, "blocks": 1, "data_digest": "00"}},
                   "malformed_rows": 1, "malformed": [{"row": 3, "reason": "r"}], "excluded_rows": 0, "excluded": []},
        "tool": {"python": "3"},
        "results": [row, row | {"label": "b", "section": "generator, SP 800-22", "test": "frequency"},
                    row | {"label": "r", "section": "generator, SP 800-22", "test": "rank", "p": None},
                    row | {"label": "e", "section": "generator, outside engines", "test": "ent/mean"},
                    row | {"label": "s", "second_level": True}],
        "readings": [{"confidence": 0.99, "tests": 1, "below": [], "expected": 0.01, "chance_of_an_alarm": 0.01}],
        "position_readings": [{"section": "factory", "confidence": 0.99, "positions": 36, "below": [],
                               "chance_of_an_alarm": 0.3036}],
        "power": [{"section": "factory", "test": "each-cell", "samples": 10, "level": 0.01,
                   "least_effect": 0.5, "unit": "u"}],
        "tables": {"factory": [[10] * 52] * 52},
        "curves": [{"section": "factory", "counts": "things", "decks": 4, "observed": [1, 2, 1],
                    "expected": [0.25, 0.5, 0.25]}],
        "outside": [{"engine": "ent", "version": "1", "command": "ent -t", "verdicts": 1,
                     "worst": "failed", "unmet": []}],
        "bits": {"source": "the <generator>", "sequences": 2, "length": 100, "bits": 200, "sha256": "cd",
                 "constants": "c", "p_values": 1, "below_0_01": 0, "expected_below_0_01": 0.01,
                 "tests": [{"test": "frequency", "clause": "SP 800-22 2.1", "sees": "ones", "p_values": 1,
                            "lowest_p": 0.5, "below_0_01": 0, "lowest_share": 1.0, "share_low": 0.9,
                            "lowest_uniformity": None, "unmet": []},
                           {"test": "rank", "clause": "SP 800-22 2.5", "sees": "rank", "p_values": 0,
                            "unmet": ["too short"]}]},
        "controls": [{"mechanism": "riffle", "describes": "d", "size": 9, "of": "decks", "found": True, "by": "t",
                      "adjusted_p": 0.0},
                     {"mechanism": "<shelf>", "describes": "d", "size": 9, "of": "decks", "found": False, "by": "",
                      "adjusted_p": None}],
        "reproduce": "shuffler certify",
    }  # fmt: skip
