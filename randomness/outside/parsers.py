"""Reading what outside engines print. Pure: text in, verdicts out; text of another shape is an error, not a guess."""

import math
import re

from randomness.errors import OutsideError
from randomness.outside.verdicts import OutsideVerdict, ToolAssessment, assess
from randomness.special import chi_square_tail, gamma_tail, normal_below

_DIEHARDER_ROW = re.compile(r"^\s*(?P<test>\w+)\|\s*(?P<ntup>\d+)\|\s*(?P<tsamples>\d+)\|\s*(?P<psamples>\d+)\|"
                            r"\s*(?P<p>[-+.\deEnaNAinfINF]+)\s*\|\s*(?P<word>PASSED|WEAK|FAILED)\s*$")  # fmt: skip


def dieharder(text: str) -> tuple[OutsideVerdict, ...]:
    """The table of `dieharder`: name, tuple, samples, p, word."""
    verdicts = tuple(
        OutsideVerdict(
            test=row["test"] + (f"/{row['ntup']}" if row["ntup"] != "0" else ""),
            p=_p_or_none(row["p"]),
            assessment=ToolAssessment[row["word"]],
            detail=f"{int(row['psamples']):,} p-values of {int(row['tsamples']):,} samples",
        )
        for row in (match.groupdict() for match in map(_DIEHARDER_ROW.match, text.splitlines()) if match)
    )
    if not verdicts:
        raise OutsideError(f"dieharder printed no verdict: {_beginning(text)}")
    return verdicts


def dieharder_version(text: str) -> str:
    """From the banner."""
    found = re.search(r"dieharder version (\S+)", text)
    return found.group(1) if found else ""


# Deviations of ent's figures on n ideal bytes: mean of 0 ... 255, pi from n/6 points, correlation of neighbours.
_BYTE_DEVIATION = math.sqrt((256**2 - 1) / 12.0)
_PI_DEVIATION = 4.0 * math.sqrt(math.pi / 4.0 * (1.0 - math.pi / 4.0))


def ent(text: str) -> tuple[OutsideVerdict, ...]:
    """The terse table of `ent -t`. ent judges nothing: p-values come from the laws of its figures."""
    rows = [line.split(",") for line in text.splitlines()]
    header = ["0", "File-bytes", "Entropy", "Chi-square", "Mean", "Monte-Carlo-Pi", "Serial-Correlation"]
    if len(rows) < 2 or rows[0] != header or len(rows[1]) != len(header):
        raise OutsideError(f"not the table of ent -t: {_beginning(text)}")
    try:
        n = int(rows[1][1])
        entropy, chi_square, mean, pi, correlation = (float(field) for field in rows[1][2:])
    except ValueError as wrong:
        raise OutsideError(f"not a number in the table of ent -t: {_beginning(text)}") from wrong
    root = math.sqrt(n)
    figures = (
        (
            "chi-square",
            chi_square_tail(chi_square, 255),
            f"{chi_square:.2f} with 255 degrees, {entropy:.6f} bits a byte",
        ),
        ("mean", normal_below((mean - 127.5) / _BYTE_DEVIATION * root), f"{mean:.4f}"),
        ("pi", normal_below((pi - math.pi) / _PI_DEVIATION * math.sqrt(n // 6)), f"{pi:.6f}"),
        ("serial-correlation", normal_below(correlation * root), f"{correlation:.6f}"),
    )
    return tuple(OutsideVerdict(test=test, p=p, assessment=assess(p), detail=detail) for test, p, detail in figures)


# A block of 20,000 ideal bits fails FIPS 140-2 about eight times in 10,000 (89 of 107,374 blocks of AES-CTR).
_FIPS_FALSE_ALARMS = 0.0008
_TOTALS = ("successes", "failures")


def rngtest(text: str) -> tuple[OutsideVerdict, ...]:
    """The summary of `rngtest`: one verdict on the number of FIPS 140-2 blocks that failed, and the counts by test."""
    counts = {name: int(number) for name, number in re.findall(r"rngtest: FIPS 140-2\S* ([A-Za-z ]+): (\d+)", text)}
    if not {"successes", "failures"} <= set(counts):
        raise OutsideError(f"rngtest printed no summary: {_beginning(text)}")
    failed, blocks = counts["failures"], counts["failures"] + counts["successes"]
    if blocks == 0:
        raise OutsideError("rngtest saw no whole block of 20,000 bits")
    expected = blocks * _FIPS_FALSE_ALARMS
    p = 1.0 - gamma_tail(failed, expected) if failed else 1.0  # P(Poisson >= failed)
    kinds = ", ".join(f"{name.lower()} {number}" for name, number in counts.items() if name not in _TOTALS)
    word = ToolAssessment.PASSED if p > 0.5 else assess(p)  # too few failures are no bad news
    return (
        OutsideVerdict(
            test="fips-140-2",
            p=p,
            two_sided=False,
            assessment=word,
            detail=f"{failed} of {blocks:,} blocks failed, {expected:.1f} expected ({kinds})",
        ),
    )


def rngtest_version(text: str) -> str:
    """From the first line."""
    found = re.search(r"^rngtest (\S+)", text, re.MULTILINE)
    return found.group(1) if found else ""


_PRACTRAND_ROW = re.compile(r"^\s+(?P<test>\S.*?)\s+R=\s*\S+\s+p\s*~?=\s*(?P<p>\S+)\s+(?P<word>\S.*?)\s*$")


def practrand(text: str) -> tuple[OutsideVerdict, ...]:
    """The last block of results of PractRand's `RNG_test`: anomalies by name, or one verdict that there are none."""
    blocks = re.split(r"^length= ", text, flags=re.MULTILINE)[1:]
    if not blocks:
        raise OutsideError(f"RNG_test printed no result: {_beginning(text)}")
    last = blocks[-1]
    length = last.splitlines()[0].split(",")[0]
    if clean := re.search(r"no anomalies in (\d+) test result", last):
        detail = f"no anomalies in {clean.group(1)} results, {length}"
        return (OutsideVerdict(test="all", p=None, assessment=ToolAssessment.PASSED, detail=detail),)
    rows = [match.groupdict() for match in map(_PRACTRAND_ROW.match, last.splitlines()) if match]
    if not rows:
        raise OutsideError(f"RNG_test printed no verdict: {_beginning(last)}")
    return tuple(
        OutsideVerdict(
            test=row["test"],
            p=_practrand_p(row["p"]),
            assessment=ToolAssessment.FAILED if row["word"].startswith("FAIL") else ToolAssessment.WEAK,
            detail=f"{row['word'].lower()}, {length}",
        )
        for row in rows
    )


def _practrand_p(text: str) -> float | None:
    """A p-value near one is printed as one minus a small number."""
    if text.startswith("1-"):
        small = _p_or_none(text[2:])
        return None if small is None else 1.0 - small
    return _p_or_none(text)


def practrand_version(text: str) -> str:
    """From the first line."""
    found = re.search(r"PractRand version (\S+)", text)
    return found.group(1) if found else ""


def _p_or_none(text: str) -> float | None:
    try:
        p = float(text)
    except ValueError:
        return None
    return None if math.isnan(p) else p


def _beginning(text: str) -> str:
    return repr(text.strip()[:200]) if text.strip() else "nothing at all"
