"""Files of other decks than 52 cards: read, refused, certified, and what the record says of the deck."""

import json
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from randomness.certification import (
    Recorded,
    RecordedError,
    RecordedSubject,
    RetestError,
    Run,
    certify,
    load_plan,
    local_engine,
    retest,
)
from randomness.certification.controls import fitted, run_controls
from randomness.certification.engines import Here
from randomness.certification.judging import judge
from randomness.certification.recorded import Block, card_code
from randomness.certification.runs import KernelSubject, count_all
from randomness.decks.kinds import DeckKind, KindSettings, deck_kind

PLAN = replace(load_plan("quick"), controls=(), bit_sequences=0, decks_per_shard=300, least_decks=100)
RANKS, SUITS = "23456789TJQKA", "CDHS"


def ideal(kind: DeckKind, decks: int = 40, seed: int = 2) -> np.ndarray:
    return np.random.default_rng(seed).permuted(np.tile(kind.factory, (decks, 1)), axis=1)


def name(face: int) -> str:
    return ("RJ", "BJ")[face - 52] if face >= 52 else RANKS[face % 13] + SUITS[face // 13]


def read(record: Recorded) -> np.ndarray:
    blocks: list[Block] = list(record.blocks(16))
    return np.concatenate([piece.decks for block in blocks for piece in block.pieces])


def csv(rows: np.ndarray, cell=str) -> str:
    return "".join(",".join(cell(card) for card in row) + "\n" for row in rows.tolist())


SHORT, JOKERS, SHOE = deck_kind(36), deck_kind(54), deck_kind(52, shoe=6)
APART = deck_kind(52, shoe=6, told_apart=True)
FORMS = {
    "a short deck by names": (SHORT, lambda rows: csv(rows, name)),
    "a short deck by faces": (SHORT, csv),
    "a short deck from 0": (SHORT, lambda rows: csv(SHORT.lookup[rows])),
    "a short deck from 1": (SHORT, lambda rows: csv(SHORT.lookup[rows] + 1)),
    "jokers by name": (JOKERS, lambda rows: csv(rows, name)),
    "jokers from 1": (JOKERS, lambda rows: csv(rows + 1)),
    "jokers that are alike": (
        deck_kind(54, jokers_alike=True), lambda rows: csv(rows, lambda face: "Joker" if face == 52 else name(face)),
    ),
    "a shoe": (SHOE, lambda rows: csv(rows, name)),
    "a shoe as JSON": (SHOE, lambda rows: "".join(json.dumps(row) + "\n" for row in rows.tolist())),
    "a shoe told apart by number": (APART, lambda rows: csv(rows.astype(int) + 1)),
    "a shoe told apart by name": (
        APART, lambda rows: csv(rows, lambda card: f"{name(card % 52)}#{card // 52 + 1}"),
    ),
    "card1 to card36 beside a time": (
        SHORT,
        lambda rows: "time," + ",".join(f"card{n}" for n in range(1, 37)) + "\n"
        + "".join(f"10:00,{line}\n" for line in csv(rows, name).splitlines()),
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_file_of_another_deck_is_told_and_read(form: str, tmp_path: Path) -> None:
    kind, write = FORMS[form]
    rows = ideal(kind)
    (tmp_path / "d.txt").write_text(write(rows), encoding="utf-8")
    record = Recorded(str(tmp_path / "d.txt"))
    assert record.kind == kind
    assert np.array_equal(read(record), rows)
    assert record.deck_known.startswith("told by the first rows")


def test_arrays_and_columns_of_other_decks(tmp_path: Path) -> None:
    rows = ideal(APART)
    np.save(tmp_path / "d.npy", rows)
    np.savez(tmp_path / "d.npz", decks=rows, inputs=rows[::-1])
    for path in ("d.npy", "d.npz"):
        record = Recorded(str(tmp_path / path))
        assert record.kind == APART
        assert np.array_equal(read(record), rows)
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    short = ideal(SHORT)
    parquet.write_table(pyarrow.table({"deck": [[name(c) for c in row] for row in short.tolist()]}), tmp_path / "d.pq")
    record = Recorded(str(tmp_path / "d.pq"))
    assert record.kind == SHORT
    assert np.array_equal(read(record), short)


def test_a_header_or_an_option_says_how_it_is_dealt(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("# deck=36 group=5 seats=6 dealer=no\n" + csv(ideal(SHORT), name))
    assert Recorded(str(path)).kind == deck_kind(36, group=5, seats=6, dealer=False)
    assert Recorded(str(path)).deck_known == "as given"
    over = Recorded(str(path), said=KindSettings(seats=3, dealer=True))
    assert over.kind == deck_kind(36, group=5, seats=3)
    (tmp_path / "d.jsonl").write_text(
        '{"deck_kind": {"deck": 36, "group": 2}}\n' + "".join(json.dumps(row) + "\n" for row in ideal(SHORT).tolist())
    )
    record = Recorded(str(tmp_path / "d.jsonl"))
    assert record.kind == deck_kind(36, group=2)
    assert len(read(record)) == 40


def test_52_cards_may_be_dealt_another_way(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", ideal(deck_kind(52)))
    assert Recorded(str(tmp_path / "d.npy")).kind.standard
    other = Recorded(str(tmp_path / "d.npy"), said=KindSettings(group=5, seats=6, dealer=False))
    assert other.kind == deck_kind(52, group=5, seats=6, dealer=False)


@pytest.mark.parametrize(
    ("text", "said", "why"),
    [
        (csv(np.arange(37)[None, :].repeat(9, 0)), KindSettings(), "a deck is 52 columns, not 37"),
        (csv(np.arange(37)[None, :].repeat(9, 0)), KindSettings(), "--deck"),
        (csv(ideal(SHORT), name), KindSettings(deck=54), "the rows have 36 cards: not 1 deck of 54"),
        (csv(ideal(SHORT), name), KindSettings(deck=36, shoe=2), "a deck is 72 columns, not 36"),
        (csv(ideal(SHORT), name), KindSettings(deck=36, group=9, seats=7), "can't be dealt from 36 cards"),
        ("# deck=36 colour=red\n" + csv(ideal(SHORT), name), KindSettings(), "has 'colour'"),
        (csv(ideal(SHORT), name) + "6C,what\n", KindSettings(), "at line 41"),
        (csv(ideal(SHORT, 9), name) + csv(ideal(SHORT, 1), name).replace("6C", "Joke"), KindSettings(), "'Joke' is no"),
    ],
)
def test_what_does_not_fit_is_unreadable_and_no_fault_of_a_device(text, said, why, tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text(text)
    with pytest.raises(RecordedError, match=why):
        read(Recorded(str(tmp_path / "d.csv"), said=said))


@pytest.mark.parametrize(
    ("text", "code"),
    [("joker", 52), ("JK", 52), ("red joker", 52), ("Joker2", 53), ("BJ", 53), ("QH#3", 3 * 1024 + 36),
     ("10c#12", 12 * 1024 + 8)],
)  # fmt: skip
def test_jokers_and_the_decks_of_a_shoe_have_names(text: str, code: int) -> None:
    assert card_code(text) == code


def certified(rows: np.ndarray, tmp_path: Path, said: KindSettings | None = None) -> dict:
    np.save(tmp_path / "d.npy", rows)
    subject = RecordedSubject(recorded=Recorded(str(tmp_path / "d.npy"), said=said))
    return certify(Run(plan=PLAN, subject=subject), local_engine(1))


@pytest.mark.parametrize("kind", [SHORT, JOKERS, SHOE], ids=["36", "54", "6 × 52"])
def test_ideal_files_pass_and_the_record_says_which_deck_was_assumed(kind: DeckKind, tmp_path: Path) -> None:
    record = certified(ideal(kind, 600), tmp_path)
    assert record.verdict.outcome != "failed"
    assert record.deck.words == kind.words()
    assert record.deck.known == f"told by the first rows, of {kind.cards} cards"
    assert record.deck.copies == kind.copies
    table = record.tables["recorded"]
    assert (len(table), len(table[0])) == (kind.cards, kind.distinct)


@pytest.mark.parametrize("kind", [SHORT, JOKERS, SHOE], ids=["36", "54", "6 × 52"])
def test_a_card_missing_and_another_doubled_fails_with_its_row(kind: DeckKind, tmp_path: Path) -> None:
    rows = ideal(kind, 300)
    rows[41, int(np.flatnonzero(rows[41] == kind.faces[0])[0])] = kind.faces[1]
    record = certified(rows, tmp_path)
    assert record.verdict.outcome == "failed"
    assert any("row 42" in finding.place for finding in record.where_to_look[0].findings)


def test_tests_without_a_law_are_not_applicable_and_the_cover_can_say_why(tmp_path: Path) -> None:
    record = certified(ideal(deck_kind(52, shoe=2), 300), tmp_path)
    reasons = [reason for group in record.verdict.not_performed for reason in group.reasons]
    assert any("not told apart" in reason for reason in reasons)


def test_the_command_that_repeats_it_names_the_deck(tmp_path: Path) -> None:
    record = certified(ideal(SHORT, 300), tmp_path, KindSettings(deck=36, group=5, seats=6, dealer=False))
    assert record.reproduce.endswith("--deck 36 --group 5 --seats 6 --no-dealer")


def test_a_second_file_of_another_deck_is_no_re_test(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", ideal(SHORT, 300))
    plan = replace(PLAN, retest_below=0.999999)
    run = Run(plan=plan, subject=RecordedSubject(recorded=Recorded(str(tmp_path / "d.npy"))))
    first = certify(run, local_engine(1))
    other = msgspec.structs.replace(first.deck, words="54 cards with 2 jokers")
    with pytest.raises(RetestError, match="another deck: 54 cards"):
        retest(msgspec.structs.replace(first, deck=other), "1", run, local_engine(1), claim=lambda _: None)


def test_a_mechanism_can_be_certified_on_another_deck() -> None:
    plan = replace(PLAN, decks=900)
    subject = KernelSubject(mechanism="defect:sticky:rate=1/10", seed=1, kind=SHOE, deck_options=("--shoe 6",))
    record = certify(Run(plan=plan, subject=subject), local_engine(1))
    assert record.verdict.outcome == "failed"
    assert "--shoe 6" in record.reproduce


def test_controls_are_planted_in_decks_of_the_kind() -> None:
    controls = load_plan("quick").controls
    assert fitted(controls, deck_kind(52)) == controls
    short = [control.mechanism for control in fitted(controls, SHORT)]
    assert "defect:favoured-cell:card=35,position=6,relative=1" in short
    shoe = [control.mechanism for control in fitted(controls, SHOE)]
    assert not any("favoured" in mechanism for mechanism in shoe)
    assert "riffle:passes=4" in shoe


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "control", "kind"),
    [("quick", "defect:memory:rate=1/4", SHOE), ("gli-style", "defect:naive-swap", deck_kind(32, shoe=8))],
)
def test_what_a_shoe_shows_less_of_is_found_by_more_shuffles(name: str, control: str, kind: DeckKind) -> None:
    plan = load_plan(name)
    plan = replace(plan, controls=tuple(one for one in plan.controls if one.mechanism == control))
    rows = run_controls(plan, lambda run: judge(run, count_all(run, Here())), kind=kind)
    assert rows is not None
    assert [(row.size, row.found, row.adjusted_p < 1e-6) for row in rows] == [(12_000, True, True)]
