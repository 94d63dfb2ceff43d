"""The fuzzing proof at a small size, and that it can fail."""

from typing import Any

import pytest

from proofs import fuzz
from proofs.fuzz import AFTER, AFTER_FRAME, BODIES, DAMAGE, GARBAGE, Broken, flip_bits, run, sample_bodies
from protocol.catalogue import CATALOGUE
from protocol.framing import Framer
from protocol.render.examples import all_examples, examples


@pytest.mark.slow
def test_no_damage_is_taken_for_another_message() -> None:
    parts = run(seed=7, samples=2500, pairs=400)
    assert {name: parts[name].inputs for name in (*DAMAGE, GARBAGE, BODIES)} == dict.fromkeys(
        (*DAMAGE, GARBAGE, BODIES), 2500
    )
    bits = sum(8 * len(example.line) for example in all_examples())
    flipped = sum(1 for example in all_examples() if example.name != "largest")
    assert parts["1- and 2-bit errors"].inputs == bits + 400 * flipped


def test_every_pair_of_bits_of_the_shortest_frame() -> None:
    shortest = min(all_examples(), key=lambda example: len(example.line))
    bits = 8 * len(shortest.line)
    assert flip_bits(shortest, None, 7).inputs == bits + bits * (bits - 1) // 2


def test_every_kind_of_message_is_among_the_tasks() -> None:
    tasks = fuzz.tasks(seed=1, samples=1, pairs=1)
    flipped = {arguments[0].entry.number for function, arguments in tasks if function is flip_bits}
    assert flipped == {entry.number for entry in CATALOGUE}


def test_a_seed_gives_the_same_inputs_again() -> None:
    for part, damage in DAMAGE.items():
        line = all_examples()[0].line
        assert damage(line, fuzz.Random(part)) == damage(line, fuzz.Random(part)) != line


# ------------------------------------------------------------------------------------------------- the proof can fail


class Credulous(Framer):
    """Believes frames whose check is wrong."""

    def _decode(self, piece: bytes) -> Any:
        frame = super()._decode(piece)
        return AFTER_FRAME if frame is None else frame


class Deaf(Framer):
    """Loses the frame behind a damaged one."""

    def feed(self, data: bytes) -> list[Any]:
        found = super().feed(data)
        return found if self.garbage.total == 0 else []


class Hoarder(Framer):
    """Keeps what it can't use."""

    @property
    def pending(self) -> int:
        return 1_000_000


@pytest.mark.parametrize("framer", [Credulous, Deaf])
def test_a_framer_that_errs_breaks_the_proof_of_bit_errors(monkeypatch: pytest.MonkeyPatch, framer: type) -> None:
    monkeypatch.setattr(fuzz, "Framer", framer)
    with pytest.raises(Broken, match="bits"):
        flip_bits(examples(CATALOGUE[0])[0], 10, 1)


@pytest.mark.parametrize("part", DAMAGE)
def test_a_framer_that_errs_breaks_the_proof_of_sampled_damage(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setattr(fuzz, "Framer", Credulous)
    with pytest.raises(Broken, match="gave"):
        fuzz.sample_damage(part, 100, "1")


@pytest.mark.parametrize("framer", [Credulous, Deaf, Hoarder])
def test_a_framer_that_errs_breaks_the_proof_of_garbage(monkeypatch: pytest.MonkeyPatch, framer: type) -> None:
    monkeypatch.setattr(fuzz, "Framer", framer)
    with pytest.raises(Broken, match="input"):
        fuzz.sample_garbage(GARBAGE, 300, "1")


def test_a_codec_that_raises_something_else_breaks_the_proof_of_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(number: int, body: bytes) -> None:
        raise IndexError(number)

    monkeypatch.setattr(fuzz, "decode_body", careless)
    with pytest.raises(Broken, match="IndexError"):
        sample_bodies(BODIES, 10, "1")


def test_a_frame_that_is_not_accepted_undamaged_breaks_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    class Refuser(Framer):
        def feed(self, data: bytes) -> list[Any]:
            return super().feed(AFTER)

    monkeypatch.setattr(fuzz, "Framer", Refuser)
    with pytest.raises(Broken, match="undamaged"):
        flip_bits(examples(CATALOGUE[0])[0], 10, 1)
