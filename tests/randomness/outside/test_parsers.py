"""What engines print becomes verdicts; what they do not print becomes an error."""

import pytest

from randomness.errors import OutsideError
from randomness.outside import ToolAssessment, parsers

DIEHARDER = """\
#=============================================================================#
#            dieharder version 3.31.1 Copyright 2003 Robert G. Brown          #
#=============================================================================#
   rng_name    |rands/second|   Seed   |
stdin_input_raw|  1.40e+07  |4246723555|
#=============================================================================#
        test_name   |ntup| tsamples |psamples|  p-value |ToolAssessment
#=============================================================================#
        diehard_runs|   0|    100000|     100|0.92303613|  PASSED
        diehard_runs|   0|    100000|     100|0.99812345|   WEAK
          sts_serial|   5|    100000|     100|0.00000000|  FAILED
"""


def test_dieharder_rows() -> None:
    passed, weak, failed = parsers.dieharder(DIEHARDER)
    assert (passed.test, passed.p, passed.assessment) == ("diehard_runs", 0.92303613, ToolAssessment.PASSED)
    assert (weak.p, weak.assessment) == (0.99812345, ToolAssessment.WEAK)
    assert (failed.test, failed.p, failed.assessment) == ("sts_serial/5", 0.0, ToolAssessment.FAILED)
    assert parsers.dieharder_version(DIEHARDER) == "3.31.1"


@pytest.mark.parametrize("text", ["", "no such test\n", "a|b|c\n"])
def test_dieharder_without_a_verdict_is_an_error(text: str) -> None:
    with pytest.raises(OutsideError, match="no verdict"):
        parsers.dieharder(text)


ENT = """\
0,File-bytes,Entropy,Chi-square,Mean,Monte-Carlo-Pi,Serial-Correlation
1,3000000,7.999931,286.162944,127.414865,3.146040,-0.001151
"""


def test_ent_figures_get_the_p_values_of_their_laws() -> None:
    """ent itself prints 8.74 % for this chi-square."""
    chi_square, mean, pi, correlation = parsers.ent(ENT)
    assert chi_square.p == pytest.approx(0.0874, abs=5e-5)
    assert mean.p == pytest.approx(0.023, abs=1e-3)  # 2.0 deviations low
    assert pi.p == pytest.approx(0.97, abs=0.02)
    assert correlation.p == pytest.approx(0.023, abs=1e-3)
    assert {verdict.assessment for verdict in (chi_square, mean, pi, correlation)} == {ToolAssessment.PASSED}


@pytest.mark.parametrize("text", ["", "Entropy = 8 bits\n", ENT.replace("286.162944", "many"), ENT.splitlines()[0]])
def test_other_text_of_ent_is_an_error(text: str) -> None:
    with pytest.raises(OutsideError, match="ent -t"):
        parsers.ent(text)


def rngtest_text(successes: int, failures: int) -> str:
    return (
        "rngtest 5\nrngtest: starting FIPS tests...\n"
        f"rngtest: FIPS 140-2 successes: {successes}\nrngtest: FIPS 140-2 failures: {failures}\n"
        f"rngtest: FIPS 140-2(2001-10-10) Monobit: {failures}\nrngtest: FIPS 140-2(2001-10-10) Long run: 0\n"
    )


@pytest.mark.parametrize(
    ("successes", "failures", "word"),
    [
        (10_000, 0, ToolAssessment.PASSED),
        (9_992, 8, ToolAssessment.PASSED),
        (9_980, 20, ToolAssessment.WEAK),
        (9_900, 100, ToolAssessment.FAILED),
    ],
)
def test_rngtest_is_judged_by_how_many_blocks_fail(successes: int, failures: int, word: ToolAssessment) -> None:
    (verdict,) = parsers.rngtest(rngtest_text(successes, failures))
    assert verdict.assessment is word
    assert f"{failures} of 10,000 blocks failed, 8.0 expected (monobit {failures}, long run 0)" in verdict.detail
    assert parsers.rngtest_version(rngtest_text(1, 0)) == "5"


@pytest.mark.parametrize("text", ["", "rngtest: entropy source drained\n", rngtest_text(0, 0)])
def test_rngtest_without_blocks_is_an_error(text: str) -> None:
    with pytest.raises(OutsideError, match="rngtest"):
        parsers.rngtest(text)


PRACTRAND = """\
RNG_test using PractRand version 0.93
RNG = RNG_stdin32, seed = 0x1
test set = normal, folding = standard (32 bit)

rng=RNG_stdin32, seed=0x1
length= 128 megabytes (2^27 bytes), time= 2.3 seconds
  no anomalies in 117 test result(s)

"""
ANOMALIES = (
    PRACTRAND
    + """\
rng=RNG_stdin32, seed=0x1
length= 256 megabytes (2^28 bytes), time= 5.1 seconds
  Test Name                         Raw       Processed     Evaluation
  [Low1/32]Gap-16:B                 R=  -4.6  p =1-7.0e-4   unusual
  BCFN(2+2,13-3U)                   R=  +9.0  p =  4.5e-4   mildly suspicious
  BRank(12):12K(1)                  R=+583.3  p~=  1.2e-176   FAIL !!!!!
  ...and 123 test result(s) without anomalies

"""
)


def test_practrand_without_anomalies() -> None:
    (verdict,) = parsers.practrand(PRACTRAND)
    assert (verdict.assessment, verdict.p) == (ToolAssessment.PASSED, None)
    assert "no anomalies in 117 results, 128 megabytes" in verdict.detail
    assert parsers.practrand_version(PRACTRAND) == "0.93"


def test_practrand_anomalies_of_the_last_length() -> None:
    unusual, suspicious, failed = parsers.practrand(ANOMALIES)
    assert (unusual.test, unusual.assessment) == ("[Low1/32]Gap-16:B", ToolAssessment.WEAK)
    assert unusual.p == pytest.approx(1 - 7e-4)
    assert (suspicious.p, suspicious.assessment) == (4.5e-4, ToolAssessment.WEAK)
    assert (failed.test, failed.assessment) == ("BRank(12):12K(1)", ToolAssessment.FAILED)
    assert failed.p == 1.2e-176


@pytest.mark.parametrize("text", ["", "RNG_test using PractRand version 0.93\n", "length= 1 megabyte, time= 1 s\n\n"])
def test_practrand_without_a_result_is_an_error(text: str) -> None:
    with pytest.raises(OutsideError, match="RNG_test"):
        parsers.practrand(text)
