"""Certificates: a run's record as files, sealed with a digest and, on request, a laboratory's Ed25519 signature.

A report carries its whole record. The seal has a digest of the record and one of the page, taken with the seal itself
left blank, and the signature is over both: a page changed in one character is not intact, and any later version of the
program can tell, for nothing is drawn again.
"""

import csv
import hashlib
import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from randomness.certification.errors import ReportError
from shuffler.lab.certificate.page import OPENING, identity, inside, page, record_in, without_record
from strict_toml import read_bounded, read_bounded_text

MOST_BYTES = 1 << 30  # of a report, HTML or JSON

_COLUMNS = (
    "section", "test", "second_level", "clause", "outcome", "samples", "statistic", "p", "adjusted_p", "null",
    "effect", "effect_low", "effect_high", "effect_unit",
)  # fmt: skip


PAGE = "page_sha256"
# What stands for the values of a seal while the page is digested.
BLANKS = {"sha256": "0" * 64, PAGE: "1" * 64, "public_key": "2" * 64, "signature": "3" * 128}


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check found, in sentences, and whether it is good."""

    good: bool
    said: tuple[str, ...]


# ----- sealing --------------------------------------------------------------------------------------------------------


def canonical(record: dict[str, Any]) -> bytes:
    """The bytes that are sealed: the record without its seal, keys in order."""
    bare = {key: value for key, value in record.items() if key != "seal"}
    return json.dumps(bare, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sealed(record: dict[str, Any], key: Ed25519PrivateKey | None) -> dict[str, Any]:
    """The record with its digests and, with a key, its signature."""
    said = canonical(record)
    # As it will be read back: the page is drawn from the record in this order.
    bare = json.loads(said)
    seal: dict[str, str] = {"sha256": hashlib.sha256(said).hexdigest()}
    if key is not None:
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        seal |= {"algorithm": "Ed25519", "public_key": public.hex(), "signature": BLANKS["signature"]}
    blank = page({**bare, "seal": {**seal, **{name: BLANKS[name] for name in BLANKS if name in seal or name == PAGE}}})
    seal[PAGE] = hashlib.sha256(without_record(blank).encode()).hexdigest()
    if key is not None:
        seal["signature"] = key.sign(_signed(said, seal)).hex()
    return {**bare, "seal": seal}


def _signed(said: bytes, seal: dict[str, str]) -> bytes:
    """What a signature is over."""
    return said + b"\n" + seal[PAGE].encode()


def page_digest(text: str, record: dict[str, Any]) -> str:
    """The digest of a page as it was before its seal was known."""
    seal = record["seal"]
    shown = without_record(text)
    blank_seal = {name: BLANKS[name] for name in BLANKS if name in seal}
    if any(blank in shown for blank in (*BLANKS.values(), identity({"seal": BLANKS}))):
        return ""  # a page that shows no seal where it should
    for name, blank in blank_seal.items():
        shown = shown.replace(str(seal[name]), blank)
    return hashlib.sha256(shown.replace(identity(record), identity({"seal": blank_seal})).encode()).hexdigest()


def load_key(path: Path) -> Ed25519PrivateKey:
    """A private key from an unencrypted PEM file."""
    try:
        key = load_pem_private_key(read_bounded(path), password=None)
    except OSError as error:
        raise ReportError(f"can't read the key {path}: {error.strerror}") from None
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ReportError(f"{path} is no unencrypted private key in PEM form") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise ReportError(f"{path} is not an Ed25519 key: openssl genpkey -algorithm ed25519 makes one")
    return key


def load_public_key(path: Path) -> bytes:
    """A public key from a PEM file, as its 32 bytes."""
    try:
        key = load_pem_public_key(read_bounded(path))
    except OSError as error:
        raise ReportError(f"can't read the key {path}: {error.strerror}") from None
    except (ValueError, UnsupportedAlgorithm):
        raise ReportError(f"{path} is no public key in PEM form") from None
    if not isinstance(key, Ed25519PublicKey):
        raise ReportError(f"{path} is not an Ed25519 key")
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


# ----- files ----------------------------------------------------------------------------------------------------------


def write(
    record: dict[str, Any],
    key: Ed25519PrivateKey | None,
    *,
    json_file: Path | None = None,
    html_file: Path | None = None,
    csv_file: Path | None = None,
) -> None:
    """The files that were asked for."""
    whole = sealed(record, key)
    for path, text in ((json_file, as_json), (html_file, page), (csv_file, as_csv)):
        if path is not None:
            path.write_text(text(whole), encoding="utf-8", newline="")


def as_json(record: dict[str, Any]) -> str:
    """The record as a file."""
    return json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def as_csv(record: dict[str, Any]) -> str:
    """One line a test."""
    out = io.StringIO()
    rows = csv.DictWriter(out, _COLUMNS, extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    rows.writerows(record["results"])
    return out.getvalue()


# ----- checking -------------------------------------------------------------------------------------------------------


def load_record(path: Path) -> dict[str, Any]:
    """The record in a report, JSON or HTML; `check` says whether it is intact."""
    return _read(path)[1]


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = read_bounded_text(path, MOST_BYTES)
    except OSError as error:
        raise ReportError(f"can't read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ReportError(f"{path} is no report: {error}") from None
    try:
        record = json.loads(record_in(text) if OPENING in text else text)
    except ValueError:
        raise ReportError(f"{path} is no report, or its record is damaged beyond reading") from None
    if not isinstance(record, dict) or not isinstance(record.get("seal"), dict):
        raise ReportError(f"{path} is no report of this program")
    return text, record


def check(path: Path, key: Path | None = None) -> Checked:
    """Whether a report is what it was when it was written, and who signed it."""
    text, record = _read(path)
    html = OPENING in text
    seal = record["seal"]
    if hashlib.sha256(canonical(record)).hexdigest() != seal.get("sha256"):
        return Checked(good=False, said=("CHANGED: the record does not match its digest",))
    if html and (record_in(text) != inside(record) or page_digest(text, record) != seal.get(PAGE)):
        return Checked(good=False, said=("CHANGED: the page is not as it was written",))
    if not html and as_json(record) != text:
        return Checked(good=False, said=("CHANGED: the file is not as it was written",))
    return _signature(record, seal, None if key is None else load_public_key(key))


def _signature(record: dict[str, Any], seal: dict[str, str], expected: bytes | None) -> Checked:
    intact = f"intact: sha256 {seal['sha256']}"
    if "signature" not in seal:
        if expected is not None:
            return Checked(good=False, said=(intact, "NOT SIGNED"))
        return Checked(good=True, said=(intact, "not signed: anyone can have written it"))
    try:
        signer = bytes.fromhex(seal["public_key"])
        Ed25519PublicKey.from_public_bytes(signer).verify(
            bytes.fromhex(seal["signature"]), _signed(canonical(record), seal)
        )
    except (InvalidSignature, ValueError, KeyError, TypeError, AttributeError):
        return Checked(good=False, said=(intact, "BAD SIGNATURE"))
    if expected is not None and signer != expected:
        return Checked(good=False, said=(intact, f"signed by ANOTHER key: {signer.hex()}"))
    whose = "the given key" if expected is not None else f"key {signer.hex()} (give --key to check whose that is)"
    return Checked(good=True, said=(intact, f"signed by {whose}"))
