"""A certification run's record as files for people and programs: sealed, signed, drawn, checked."""

from shuffler.certificate.page import page
from shuffler.certificate.sealing import Checked, as_csv, canonical, check, load_key, sealed, write

__all__ = ["Checked", "as_csv", "canonical", "check", "load_key", "page", "sealed", "write"]
