"""Published answers: those carried in the product, and whole CAVP files where a folder of them is given."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from randomness.drbg import KNOWN_ANSWERS, MECHANISMS, CtrMechanism, DrbgMechanism, HmacMechanism, KnownAnswer
from randomness.drbg.selftest import answer, power_up_self_test
from randomness.errors import SelfTestFailure

CARRIED = [(kind, vector) for kind in MECHANISMS.values() for vector in KNOWN_ANSWERS[kind.name]]

FOLDER = os.environ.get("SHUFFLER_VECTORS")
needs_vectors = pytest.mark.skipif(
    not FOLDER, reason="SHUFFLER_VECTORS names no folder with ctr_drbg_aes256_no_df.txt and hmac_drbg_sha256.txt"
)


@pytest.mark.parametrize(("kind", "vector"), CARRIED, ids=lambda value: getattr(value, "source", ""))
def test_a_carried_vector_is_answered(kind: type[CtrMechanism], vector: KnownAnswer) -> None:
    assert answer(kind(), vector).hex() == vector.output


@pytest.mark.parametrize("kind", MECHANISMS.values())
def test_every_mechanism_passes_at_power_up(kind: type[CtrMechanism]) -> None:
    assert power_up_self_test(kind, again=True) == len(KNOWN_ANSWERS[kind.name]) > 0


def test_together_the_vectors_cover_every_move() -> None:
    vectors = [vector for _, vector in CARRIED]
    assert any(vector.reseed for vector in vectors)
    assert any(vector.reseed_input for vector in vectors)
    assert any(vector.fresh for vector in vectors)
    assert any(vector.personalization for vector in vectors)
    assert any(all(vector.additional) for vector in vectors)


class OneBitWrong(CtrMechanism):
    """A mechanism whose output has one bit flipped."""

    def generate_into(self, out: memoryview, n: int, additional: bytes) -> None:
        super().generate_into(out, n, additional)
        out[n - 1] ^= 1


class ReseedIgnored(HmacMechanism):
    """A mechanism that throws its fresh entropy away."""

    def reseed(self, entropy: bytes, additional: bytes) -> None:
        pass


class Unknown(CtrMechanism):
    """A mechanism nobody has published answers for."""

    name = "home-made"


@pytest.mark.parametrize("kind", [OneBitWrong, ReseedIgnored, Unknown])
def test_a_broken_mechanism_fails_at_power_up_and_again(kind: type[DrbgMechanism]) -> None:
    for _ in range(2):
        with pytest.raises(SelfTestFailure):
            power_up_self_test(kind)


def records(name: str) -> Iterator[dict[str, str]]:
    """The blocks of one file of `Key = hex` lines."""
    assert FOLDER is not None
    for block in (Path(FOLDER) / name).read_text(encoding="ascii").split("\n\n"):
        lines = [line.partition("=") for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            yield {key.strip(): value.strip().lower() for key, _, value in lines}


@needs_vectors
def test_every_ctr_drbg_vector_of_the_folder() -> None:
    checked = 0
    for record in records("ctr_drbg_aes256_no_df.txt"):
        vector = KnownAnswer(
            source="file",
            entropy=record["EntropyInput"],
            personalization=record["PersonalizationString"],
            reseed=record["EntropyInputReseed"],
            reseed_input=record["AdditionalInputReseed"],
            additional=(record["AdditionalInput1"], record["AdditionalInput2"]),
            output=record["ReturnedBits"],
        )
        assert answer(CtrMechanism(), vector).hex() == vector.output
        checked += 1
    assert checked == 180


@needs_vectors
def test_every_hmac_drbg_vector_of_the_folder() -> None:
    """The file joins nonce and personalisation to the entropy, and the reseed's additional input to its entropy."""
    checked = 0
    for record in records("hmac_drbg_sha256.txt"):
        vector = KnownAnswer(
            source="file",
            entropy=record["EntropyInput"],
            reseed=record["EntropyInputReseed"],
            additional=(record.get("AdditionalInput1", ""), record.get("AdditionalInput2", "")),
            output=record["Out"],
        )
        assert answer(HmacMechanism(), vector).hex() == vector.output
        checked += 1
    assert checked == 180
