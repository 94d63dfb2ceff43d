"""A certification run's record as files for people and programs: sealed, signed, stamped, checked."""

from shuffler.lab.certificate.cover import load_cover
from shuffler.lab.certificate.sealing import (
    Checked,
    SealedReport,
    Signer,
    as_csv,
    check,
    countersigned,
    imprint,
    load_key,
    load_record,
    record_digest,
    reseal,
    sealed,
    stamped,
    write,
)

__all__ = [
    "Checked", "SealedReport", "Signer", "as_csv",
    "check", "countersigned", "imprint", "load_cover", "load_key", "load_record",
    "record_digest", "reseal", "sealed", "stamped", "write",
]  # fmt: skip
