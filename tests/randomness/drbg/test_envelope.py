"""SP 800-90A section 9: lengths, limits, reseeding, prediction resistance, the latch."""

import pytest

from randomness.drbg import MECHANISMS, CtrMechanism, Drbg, DrbgSource, HmacMechanism
from randomness.entropy import ReplayedEntropy, SeededEntropy
from randomness.errors import (
    DrbgError,
    EntropyUnavailable,
    GeneratorLatched,
    HealthFailure,
    InputLengthError,
    RequestTooLarge,
    ReseedRequired,
    SelfTestFailure,
)
from randomness.health import MonitoredEntropy


class Counting:
    """Seeded entropy that counts its reads."""

    name = "counting"

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._inner = SeededEntropy(1)

    def read(self, n: int) -> bytes:
        self.sizes.append(n)
        return self._inner.read(n)


@pytest.mark.parametrize("kind", MECHANISMS.values(), ids=MECHANISMS)
def test_instantiation_asks_for_what_the_mechanism_needs(kind: type[CtrMechanism]) -> None:
    entropy = Counting()
    drbg = Drbg(kind, entropy)
    assert entropy.sizes == [kind.entropy_bytes] + ([kind.nonce_bytes] if kind.nonce_bytes else [])
    assert drbg.security_strength == 256
    assert drbg.name == kind.name


@pytest.mark.parametrize("kind", MECHANISMS.values(), ids=MECHANISMS)
def test_personalisation_additional_input_and_seed_each_change_the_output(kind: type[CtrMechanism]) -> None:
    outputs = {
        Drbg(kind, SeededEntropy(1)).generate(32),
        Drbg(kind, SeededEntropy(2)).generate(32),
        Drbg(kind, SeededEntropy(1), personalization=b"unit 7").generate(32),
        Drbg(kind, SeededEntropy(1)).generate(32, additional_input=b"a"),
    }
    assert len(outputs) == 4


@pytest.mark.parametrize("kind", MECHANISMS.values(), ids=MECHANISMS)
def test_prediction_resistance_is_a_reseed_with_the_additional_input_before_the_request(
    kind: type[CtrMechanism],
) -> None:
    one, other = Drbg(kind, SeededEntropy(1)), Drbg(kind, SeededEntropy(1))
    fresh = one.generate(40, additional_input=b"more", prediction_resistance=True)
    other.reseed(b"more")
    assert fresh == other.generate(40)
    assert one.reseeds == 1


def test_prediction_resistance_can_be_set_for_every_request() -> None:
    entropy = Counting()
    drbg = Drbg(CtrMechanism, entropy, prediction_resistance=True)
    for _ in range(3):
        drbg.generate(16)
    assert entropy.sizes == [48] * 4


def test_the_reseed_interval_counts_requests() -> None:
    entropy = Counting()
    drbg = Drbg(CtrMechanism, entropy, reseed_interval=3)
    reads = []
    for _ in range(7):
        drbg.generate(1)
        reads.append(len(entropy.sizes))
    assert reads == [1, 1, 1, 2, 2, 2, 3]


def test_a_reseed_that_is_due_and_fails_gives_nothing_and_latches() -> None:
    drbg = Drbg(CtrMechanism, ReplayedEntropy([bytes(48)]), reseed_interval=1)
    drbg.generate(16)
    with pytest.raises(ReseedRequired):
        drbg.generate(16)
    with pytest.raises(GeneratorLatched, match="used up"):
        drbg.generate(16)


def test_a_stale_state_is_reseeded_before_the_next_output() -> None:
    drbg = Drbg(CtrMechanism, SeededEntropy(1))
    twin = Drbg(CtrMechanism, SeededEntropy(1))
    drbg.mark_stale()
    assert drbg.generate(16) != twin.generate(16)
    assert drbg.reseeds == 1
    drbg.generate(16)
    assert drbg.reseeds == 1


def test_one_request_carries_at_most_65536_bytes() -> None:
    drbg = Drbg(CtrMechanism, SeededEntropy(1))
    assert len(drbg.generate(65_536)) == 65_536
    assert drbg.generate(0) == b""
    for n in (65_537, -1):
        with pytest.raises(RequestTooLarge):
            drbg.generate(n)


def test_inputs_longer_than_the_seed_are_refused_without_a_derivation_function() -> None:
    with pytest.raises(InputLengthError, match="personalisation string of at most 48 bytes, not 49"):
        Drbg(CtrMechanism, SeededEntropy(1), personalization=bytes(49))
    drbg = Drbg(CtrMechanism, SeededEntropy(1))
    with pytest.raises(InputLengthError, match="additional input of at most 48"):
        drbg.generate(1, additional_input=bytes(49))
    with pytest.raises(InputLengthError):
        drbg.reseed(bytes(49))
    assert drbg.latched is None
    Drbg(HmacMechanism, SeededEntropy(1), personalization=bytes(1000)).generate(1, additional_input=bytes(1000))


def test_a_nonce_of_a_wrong_length_is_refused() -> None:
    with pytest.raises(InputLengthError):
        Drbg(HmacMechanism, SeededEntropy(1), nonce=bytes(15))
    with pytest.raises(InputLengthError):
        Drbg(CtrMechanism, SeededEntropy(1), nonce=bytes(16))


def test_a_given_nonce_is_used() -> None:
    outputs = {Drbg(HmacMechanism, SeededEntropy(1), nonce=bytes([n] * 16)).generate(16) for n in range(3)}
    assert len(outputs) == 3


@pytest.mark.parametrize("interval", [0, 2**48 + 1])
def test_an_impossible_reseed_interval_is_refused(interval: int) -> None:
    with pytest.raises(DrbgError, match="reseed interval"):
        Drbg(CtrMechanism, SeededEntropy(1), reseed_interval=interval)


def test_a_health_failure_at_start_gives_no_generator() -> None:
    class Stuck:
        name = "stuck"

        def read(self, n: int) -> bytes:
            return b"\x55" * n

    with pytest.raises(HealthFailure):
        Drbg(CtrMechanism, MonitoredEntropy(Stuck()))


def test_a_health_failure_at_a_reseed_latches_the_generator() -> None:
    good = SeededEntropy(3)
    entropy = MonitoredEntropy(ReplayedEntropy([good.read(1024), good.read(48), bytes(48), good.read(48)]))
    drbg = Drbg(CtrMechanism, entropy)
    drbg.generate(32)
    with pytest.raises(HealthFailure):
        drbg.generate(32, prediction_resistance=True)
    for _ in range(2):
        with pytest.raises(GeneratorLatched, match="repetition count"):
            drbg.generate(32)
    with pytest.raises(GeneratorLatched):
        drbg.reseed()
    assert drbg.latched is not None


def test_a_wrong_known_answer_gives_no_generator() -> None:
    class Wrong(CtrMechanism):
        def generate_into(self, out: memoryview, n: int, additional: bytes) -> None:
            out[:n] = bytes(n)

    with pytest.raises(SelfTestFailure):
        Drbg(Wrong, SeededEntropy(1))


def test_a_self_test_on_demand_that_fails_latches(monkeypatch: pytest.MonkeyPatch) -> None:
    drbg = Drbg(CtrMechanism, SeededEntropy(1))
    drbg.self_test()
    monkeypatch.setattr(CtrMechanism, "reseed", lambda *_: None)
    with pytest.raises(SelfTestFailure):
        drbg.self_test()
    with pytest.raises(GeneratorLatched):
        drbg.generate(1)


def test_an_entropy_source_that_gives_too_little_is_refused() -> None:
    class Short:
        name = "short"

        def read(self, n: int) -> bytes:
            return bytes(n - 1)

    with pytest.raises(InputLengthError, match="short gave 47"):
        Drbg(CtrMechanism, Short())


def test_uninstantiated_is_for_good() -> None:
    drbg = Drbg(CtrMechanism, SeededEntropy(1))
    drbg.uninstantiate()
    with pytest.raises(GeneratorLatched, match="uninstantiated"):
        drbg.generate(1)


def test_no_entropy_at_start_is_an_entropy_error() -> None:
    with pytest.raises(EntropyUnavailable):
        Drbg(CtrMechanism, ReplayedEntropy([]))


@pytest.mark.parametrize("n", [0, 1, 32, 65_536, 65_537, 65_536 + 95, 65_536 + 96, 200_000])
@pytest.mark.parametrize("kind", ["ctr", "hmac"])
def test_a_source_gives_long_requests_as_full_ones_and_a_rest(kind: str, n: int) -> None:
    drbg = Drbg(MECHANISMS[kind], SeededEntropy(9))
    expected = b"".join(drbg.generate(min(65_536, n - start)) for start in range(0, n, 65_536))
    assert DrbgSource(Drbg(MECHANISMS[kind], SeededEntropy(9))).generate(n) == expected
    room = bytearray(n)
    DrbgSource(Drbg(MECHANISMS[kind], SeededEntropy(9))).fill(memoryview(room))
    assert bytes(room) == expected


def test_a_source_names_mechanism_and_origin() -> None:
    assert DrbgSource(Drbg(CtrMechanism, SeededEntropy(9))).name.startswith("CTR_DRBG AES-256; entropy: seed 9")


def test_a_source_refuses_a_negative_request() -> None:
    with pytest.raises(RequestTooLarge):
        DrbgSource(Drbg(CtrMechanism, SeededEntropy(9))).generate(-1)
