"""The noise source: what SP 800-90B says of its raw samples."""

from typing import Any

from randomness.certification.model import RunRecord
from shuffler.lab.certificate.html import facts, paragraph, table


def noise(record: RunRecord) -> str:
    """The estimators, the assessed entropy and the cut-offs that follow from it."""
    given = record.noise
    if given is None:
        return ""
    found = given["non_iid"]
    few = "" if given["enough_samples"] else " Fewer samples than the million that the standard asks for."
    bits = "" if found["h_bitstring"] is None else f", H_bitstring {found['h_bitstring']:.6f} a bit"
    note = (
        f"{given['samples']:,} samples of {given['bits_per_symbol']} bits, {given['values']} different values. "
        f"H_original {found['h_original']:.6f} a sample{bits}: {given['assessed']:.6f} bits of min-entropy a sample "
        f"({given['standard']}). It is not part of the verdict.{few}"
    )
    estimates = [
        (row["estimator"], row["section"], "samples" if row["of"] == "Literal" else "bit string", _entropy(row))
        for row in found["estimates"]
    ]
    cutoffs = [
        (f"2^-{row['alpha_bits']}", str(row["repetition_count"]), f"{row['adaptive_proportion']} of {row['window']}")
        for row in given["health_tests"]
    ]
    heads = ("estimator", "section", "of", "min-entropy, bits")
    shown = table(heads, estimates, caption="SP 800-90B 6.3", numbers=frozenset({3}))
    limits = table(
        ("false alarms a sample", "repetition count", "adaptive proportion"),
        cutoffs,
        caption="Health-test cut-offs (4.4)",
        numbers=frozenset({1, 2}),
    )
    return paragraph(note) + shown + limits + facts([("noise file", given["file"]), ("SHA-256", given["sha256"])])


def _entropy(row: dict[str, Any]) -> str:
    return f"–\n{row['unmet']}" if row["min_entropy"] is None else f"{row['min_entropy']:.6f}"
