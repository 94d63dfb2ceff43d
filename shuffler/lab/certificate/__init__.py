"""A certification run's record as files for people and programs: sealed, signed, drawn, checked."""

from shuffler.lab.certificate.claims import claim
from shuffler.lab.certificate.cover import load_cover
from shuffler.lab.certificate.page import page
from shuffler.lab.certificate.sealing import Checked, as_csv, canonical, check, load_key, load_record, sealed, write

__all__ = [
    "Checked", "as_csv", "canonical", "check", "claim", "load_cover", "load_key", "load_record", "page", "sealed",
    "write",
]  # fmt: skip
