"""An assessment as plain data: what `shuffler entropy --json` prints and a certification report shows."""

import math
from dataclasses import asdict
from typing import Any

from randomness.assessment.estimate import Estimate, Of
from randomness.assessment.iid import IidAssessment
from randomness.assessment.initial import Assessment
from randomness.assessment.restart import RestartAssessment
from randomness.assessment.samples import ENOUGH, Samples
from randomness.health import HealthPolicy

STANDARD = "NIST SP 800-90B (January 2018)"
ALPHAS = (20, 30, 40)
"""False-alarm rates 2^-20 ... 2^-40, the range that 4.4 suggests."""


def section(
    samples: Samples,
    *,
    non_iid: Assessment | None = None,
    iid: IidAssessment | None = None,
    restart: RestartAssessment | None = None,
) -> dict[str, Any]:
    """Everything that was assessed, numbers unrounded; what was not is None."""
    assessed = final_entropy(non_iid=non_iid, iid=iid, restart=restart)
    return {
        "standard": STANDARD,
        "samples": len(samples),
        "bits_per_symbol": samples.width,
        "values": samples.symbols.alphabet,
        "renumbered": samples.renumbered,
        "enough_samples": len(samples) >= ENOUGH,
        "non_iid": None if non_iid is None else _non_iid(non_iid),
        "iid": None if iid is None else _iid(iid),
        "restart": None if restart is None else _restart(restart),
        "assessed": assessed,
        "passed": (iid is None or iid.passed) and (restart is None or restart.passed),
        "health_tests": health_tests(assessed, binary=samples.binary),
    }


def final_entropy(
    *, non_iid: Assessment | None = None, iid: IidAssessment | None = None, restart: RestartAssessment | None = None
) -> float:
    """Bits a sample after all that was made; an IID assessment that failed counts for nothing."""
    figures = [] if non_iid is None else [non_iid.assessed]
    if iid is not None and non_iid is None:
        figures.append(iid.assessed if iid.passed else 0.0)
    return min([*figures, *([] if restart is None else [restart.assessed])], default=0.0)


def health_tests(assessed: float, *, binary: bool) -> list[dict[str, Any]]:
    """Cut-offs of 4.4 for the assessed entropy, a row a false-alarm rate; none for a source without entropy."""
    if assessed <= 0.0:
        return []
    policies = [HealthPolicy.assessed(assessed, binary=binary, alpha_bits=float(alpha)) for alpha in ALPHAS]
    return [
        {
            "alpha_bits": int(policy.alpha_bits),
            "repetition_count": policy.repetition,
            "adaptive_proportion": policy.proportion,
            "window": policy.window,
        }
        for policy in policies
    ]


def _estimate(of: Of, estimate: Estimate) -> dict[str, Any]:
    return {
        "estimator": estimate.name,
        "section": estimate.section,
        "of": of,
        "min_entropy": estimate.min_entropy,
        "figures": {name: value for name, value in estimate.figures.items() if math.isfinite(value)},
        "unmet": estimate.unmet,
    }


def _non_iid(found: Assessment) -> dict[str, Any]:
    return {
        "estimates": [_estimate(of, estimate) for of, estimate in found.estimates()],
        "h_original": found.h_original,
        "h_bitstring": found.h_bitstring,
        "h_submitter": found.claimed,
        "assessed": found.assessed,
    }


def _iid(found: IidAssessment) -> dict[str, Any]:
    return {
        "passed": found.passed,
        "chi_square": [{**asdict(test), "p": test.p, "passed": test.passed} for test in found.chi_square],
        "longest_repeat": {**asdict(found.longest_repeat), "passed": found.longest_repeat.passed},
        "permutation": {
            "passed": found.permutation.passed,
            "shuffles": found.permutation.shuffles,
            "statistics": [{**asdict(each), "passed": each.passed} for each in found.permutation.rankings],
        },
        "estimates": [
            *([] if found.bitstring is None else [_estimate("Bitstring", found.bitstring)]),
            _estimate("Literal", found.literal),
        ],
        "h_original": found.h_original,
        "h_bitstring": found.h_bitstring,
        "assessed": found.assessed,
    }


def _restart(found: RestartAssessment) -> dict[str, Any]:
    return {
        "passed": found.passed,
        "initial": found.initial,
        "cutoff": found.cutoff,
        "most": found.most,
        "where": found.where,
        "sane": found.sane,
        "rows": [_estimate("Literal", estimate) for estimate in found.rows],
        "columns": [_estimate("Literal", estimate) for estimate in found.columns],
        "h_rows": found.h_rows,
        "h_columns": found.h_columns,
        "validated": found.validated,
        "iid": [_iid(tests) for tests in found.iid],
        "assessed": found.assessed,
    }
