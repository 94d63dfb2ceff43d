"""The noise source in the report: every estimate of the record, and nothing where no noise was given."""

import numpy as np
from certificate_record import a_record

from randomness.assessment import Samples, assess, section
from randomness.certification.model import open_table
from shuffler.lab.certificate.sections.noise import noise


def test_every_estimate_is_shown_and_the_assessed_entropy() -> None:
    samples = Samples.from_bytes(np.random.default_rng(1).integers(0, 4, 3_000, dtype=np.uint8).tobytes())
    found = section(samples, non_iid=assess(samples))
    shown = noise(a_record(noise=open_table({"file": "noise.bin", "sha256": "00", **found})))
    assert f"{found['assessed']:.6f} bits of min-entropy a sample" in shown
    for row in found["non_iid"]["estimates"]:
        assert (f"{row['min_entropy']:.6f}" if row["min_entropy"] is not None else row["unmet"]) in shown


def test_no_noise_no_section() -> None:
    assert noise(a_record()) == ""
