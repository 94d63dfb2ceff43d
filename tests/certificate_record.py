"""A small record with one of everything that a report shows."""

from typing import Any

import msgspec

from randomness.certification import Plan
from randomness.certification import model as m

ROW = m.TestRow(
    label="factory: each-cell", section="factory", test="each-cell", second_level=False,
    clauses=("COMAR 36.05.02.17 F",), sees="one card", outcome="tested", samples=100,
    statistic=5.0, p=0.0005, adjusted_p=0.001, null="exact", effect=0.1, effect_low=0.0, effect_high=0.2,
    effect_unit="share", unmet=(), findings=(),
)  # fmt: skip
FOUND = m.PlacePart(place="Q♥ at <position> 7", observed=9.0, expected=2.0, z=None)
COVER = m.Cover(
    report="R-1", issued="2026-11-18", laboratory="Lab & <Sons>", place="here", operator="O", author="A", client="C",
    model="M", serial="7", sampling="every deck of a day", tested="2026-11-17", disclaimer="D",
)  # fmt: skip
PLAN = Plan(
    name="quick", describes="d", decks=10, decks_per_shard=5, starts=("factory",), level=0.01, readings=(0.99,),
    family="holm", least_blocks=5, most_blocks=9, retest_first=0.009, retest_below=0.05, retest_times=1,
    deck_tests=("each-cell",), draw_tests=(), least_decks=5,
)  # fmt: skip


def row(**changes: Any) -> m.TestRow:
    """The row with changes."""
    return msgspec.structs.replace(ROW, **changes)


def a_record(**changes: Any) -> m.RunRecord:
    """Small, with one of everything that a page shows."""
    record = m.RunRecord(
        format=m.FORMAT,
        verdict=m.VerdictPart(
            outcome="failed", level=0.01, first_level=0.009, level_note="", family=1, least_decks=5,
            failures=("1 row",), missing=("9 tests need more decks",), rejected=(ROW.label,), doubtful=(),
            untested=("x: not applicable",), notes=("numbered from <1>",),
            not_performed=(m.NotPerformed(why="not applicable", count=1, tests=("<x>",), reasons=("r",)),),
            retest=m.Retest(
                why="w", rule="r", passed=False,
                tests=(m.RetestRow(label=ROW.label, sees="one card", samples=10, first_adjusted_p=0.02, p=0.02,
                                   adjusted_p=0.02, combined_p=0.0097, rejected=True),),
            ),
        ),
        where_to_look=(m.Rejected(test=ROW.label, sees="one card", findings=(FOUND,)),),
        practical=(m.Practical(section="factory", figure="cards guessed", expected=4.5, found=9.5, low=9.0, high=10.0,
                               unit="cards a deck", samples=10),
                   m.Practical(section="factory", figure="Pair Plus", expected=-0.0232, found=0.01, low=-0.01,
                               high=0.03, unit="of the stake", samples=10)),
        clauses=(m.ClauseRow(
            id="c", standard="COMAR (Maryland)", number="36.05.02.17 F", applies_to="automated card shufflers",
            gist="<chi-square>", source="s", certainty="read", by_choice=False, level=0.05, tests=("each-cell",),
            performed=1, not_performed=1, least_adjusted_p=0.001, worst=ROW.label, evidence="1 of 2 statistics",
            verdict="not met",
        ),),
        plan=PLAN, plan_sha256=PLAN.digest(), plan_chosen="chosen by size", settings=m.RunSettings(),
        reproduce="shuffler certify",
        earlier_runs=(),
        subject=m.FileDescription(
            name="</script><b>", sha256="ab" * 32, bytes=9, form="CSV", read_as={}, provenance={"device": "D"},
            provenance_continued=(), test_run=True,
        ),
        deck=m.DeckPart(cards=52, names=tuple(str(face) for face in range(52)), copies=(1,) * 52, decks_mixed=1,
                    told_apart=True, group=3, seats=7, dealer=True, words="52 cards", dealing="in threes",
                    known="as given"),
        sample=m.Sample(
            decks=10, shards=1, rows_in_file=11, rows_read=11,
            sections={"factory": m.SectionPart(decks=10, not_whole=0, blocks=1, data_digest="00")},
            misreads=m.Misreads(cards=2, rows=1, share_of_rows=0.09, most=0.001),
            malformed_rows=1, malformed=(m.RowNote(row=3, reason="r"),),
        ),
        tool=m.Tool(versions={"python": "3"}, code_sha256="cd" * 32),
        results=(ROW, row(label="b", section="generator, SP 800-22", test="frequency"),
                 row(label="r", section="generator, SP 800-22", test="rank", p=None),
                 row(label="e", section="generator, outside engines", test="ent/mean"),
                 row(label="s", second_level=True)),
        readings=(m.ReadingRow(confidence=0.99, tests=1, below=(), expected=0.01, chance_of_an_alarm=0.01),),
        position_readings=(m.PositionRow(section="factory", confidence=0.99, positions=36, below=(),
                                         chance_of_an_alarm=0.3036),),
        power=(m.PowerRow(section="factory", test="each-cell", samples=10, level=0.01, power=0.99, least_effect=0.5,
                          unit="u"),),
        tables={"factory": ((10,) * 52,) * 52},
        curves=(m.Curve(section="factory", counts="things", decks=4, observed=(1, 2, 1), expected=(0.25, 0.5, 0.25)),),
        outside=(m.OutsidePart(engine="ent", version="1", command="ent -t", verdicts=1, worst="failed", unmet=()),),
        bits=m.BitsPart(
            source="the <generator>", sequences=2, length=100, bits=200, sha256="cd", constants="c", p_values=1,
            below_0_01=0, expected_below_0_01=0.01,
            tests=(m.BitRow(test="frequency", clause="SP 800-22 2.1", sees="ones", p_values=1, lowest_p=0.5,
                            lowest_share=1.0, share_low=0.9),
                   m.BitRow(test="rank", clause="SP 800-22 2.5", sees="rank", p_values=0, unmet=("too short",))),
        ),
        controls=(m.ControlPart(mechanism="riffle", describes="d", size=9, of="decks", found=True, by="t",
                                adjusted_p=0.0),
                  m.ControlPart(mechanism="<shelf>", describes="d", size=9, of="decks", found=False, by="",
                            adjusted_p=None)),
        cover=COVER,
    )  # fmt: skip
    return m.settled(msgspec.structs.replace(record, **changes))
