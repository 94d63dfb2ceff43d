"""Certificates: a run's record as files, sealed with digests and, on request, Ed25519 signatures and a timestamp.

The seal holds a digest of the record and one of the page without seal and record. Each signature is over both digests,
its role and its key. Seal, record and page are compared byte for byte with their one form: what is added is found.
"""

import base64
import csv
import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from randomness.certification.errors import ReportError
from randomness.certification.model import (
    NotARecord,
    Part,
    ReportSeal,
    RunRecord,
    Signature,
    Timestamp,
    canonical,
    decoded,
    encoded,
)
from shuffler.lab.certificate import timestamps
from shuffler.lab.certificate.cover import missing_fields
from shuffler.lab.certificate.page import OPENING, apart, drawn, joined, slots_of
from strict_toml import read_bounded, read_bounded_text

MOST_BYTES = 1 << 30  # of a report, HTML or JSON
AUTHOR = "author"

_COLUMNS = (
    "section", "test", "second_level", "clauses", "outcome", "samples", "statistic", "p", "adjusted_p", "null",
    "effect", "effect_low", "effect_high", "effect_unit",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Signer:
    """A key, and in which role it signs."""

    key: Ed25519PrivateKey
    role: str = AUTHOR


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a check found, in sentences, and whether it is good."""

    good: bool
    said: tuple[str, ...]


class _Statement(Part, frozen=True, kw_only=True):
    """What a signature is over."""

    record_sha256: str
    page_sha256: str
    role: str
    public_key: str
    algorithm: str
    format: str = "shuffler certification signature 1"


# ----- sealing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class SealedReport:
    """A record with its seal, and its page."""

    record: RunRecord
    page: str

    @property
    def html(self) -> str:
        """The report as a file."""
        return joined(self.page, self.record)

    @property
    def json(self) -> str:
        """The record as a file."""
        return as_json(self.record)


def record_digest(record: RunRecord) -> str:
    """SHA-256 of a record without its seal."""
    return hashlib.sha256(canonical(record)).hexdigest()


def sealed(record: RunRecord, signers: Sequence[Signer] = ()) -> SealedReport:
    """The record with its digests and signatures, and its page, drawn once."""
    if signers:
        check_cover(record)
    digest = record_digest(record)
    page = drawn(record, digest)
    seal = ReportSeal(record_sha256=digest, page_sha256=hashlib.sha256(page.encode()).hexdigest())
    for signer in signers:
        seal = signed(seal, signer)
    return SealedReport(record=msgspec.structs.replace(record, seal=seal), page=page)


def check_cover(record: RunRecord) -> None:
    """Raise ReportError for a cover with blanks: such a report is not signed."""
    if missing := missing_fields(record.cover):
        raise ReportError(
            f"the cover is incomplete and can't be signed: {', '.join(missing)} (--cover FILE or --about KEY=VALUE)"
        )


def signed(seal: ReportSeal, signer: Signer) -> ReportSeal:
    """The seal with one signature more."""
    if seal.timestamp is not None:
        raise ReportError("the report has a timestamp, which covers its signatures: sign before it is stamped")
    public = signer.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
    if any(one.public_key == public for one in seal.signatures):
        raise ReportError("this key has signed the report already")
    blank = Signature(role=signer.role, public_key=public, signature="")
    signature = signer.key.sign(_statement(seal, blank)).hex()
    return msgspec.structs.replace(
        seal, signatures=(*seal.signatures, msgspec.structs.replace(blank, signature=signature))
    )


def countersigned(record: RunRecord, seal: ReportSeal, signer: Signer) -> ReportSeal:
    """The seal of a record with one signature more; a cover with blanks gets none."""
    check_cover(record)
    return signed(seal, signer)


def _statement(seal: ReportSeal, one: Signature) -> bytes:
    return encoded(
        _Statement(
            record_sha256=seal.record_sha256, page_sha256=seal.page_sha256, role=one.role, public_key=one.public_key,
            algorithm=one.algorithm,
        )
    )  # fmt: skip


def imprint(seal: ReportSeal) -> bytes:
    """What a timestamp is over: SHA-256 of the seal without it."""
    return hashlib.sha256(encoded(msgspec.structs.replace(seal, timestamp=None))).digest()


def stamped(seal: ReportSeal, token: bytes) -> ReportSeal:
    """The seal with an RFC 3161 token; raises ReportError where the token is for something else."""
    if seal.timestamp is not None:
        raise ReportError("the report has a timestamp already")
    found = timestamps.parse(token)
    if found.imprint != imprint(seal):
        raise ReportError("the timestamp is for something else than this report")
    return msgspec.structs.replace(
        seal, timestamp=Timestamp(token=base64.b64encode(found.token).decode(), time=found.time)
    )


# ----- keys -----------------------------------------------------------------------------------------------------------


def load_key(path: Path, passphrase: Callable[[], str] | None = None) -> Ed25519PrivateKey:
    """A private key from a PEM file; an encrypted one asks for its pass phrase."""
    try:
        data = read_bounded(path)
    except OSError as error:
        raise ReportError(f"can't read the key {path}: {error.strerror}") from None
    try:
        try:
            key = load_pem_private_key(data, password=None)
        except TypeError:
            if passphrase is None:
                raise ReportError(f"{path} is encrypted: give its pass phrase in SHUFFLER_KEY_PASSPHRASE") from None
            key = load_pem_private_key(data, password=passphrase().encode())
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise ReportError(f"{path} is no private key in PEM form, or the pass phrase is wrong") from None
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
    record: RunRecord,
    signers: Sequence[Signer] = (),
    *,
    json_file: Path | None = None,
    html_file: Path | None = None,
    csv_file: Path | None = None,
) -> RunRecord:
    """The files that were asked for; returns the sealed record."""
    whole = sealed(record, signers)
    if json_file is not None:
        json_file.write_text(whole.json, encoding="utf-8", newline="")
    if html_file is not None:
        html_file.write_text(whole.html, encoding="utf-8", newline="")
    if csv_file is not None:
        csv_file.write_text(as_csv(whole.record), encoding="utf-8", newline="")
    return whole.record


def as_json(record: RunRecord) -> str:
    """The record as a file."""
    return msgspec.json.format(encoded(record), indent=1).decode() + "\n"


def as_csv(record: RunRecord) -> str:
    """One line a test."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(_COLUMNS)
    for row in record.results:
        values = [getattr(row, name) for name in _COLUMNS]
        rows.writerow(["; ".join(value) if isinstance(value, tuple) else value for value in values])
    return out.getvalue()


def reseal(path: Path, change: Callable[[RunRecord, ReportSeal], ReportSeal]) -> RunRecord:
    """Give an intact report another seal (a second signature, a timestamp) and write it back."""
    report = read(path)
    if (damage := _damage(report)) is not None:
        raise ReportError(f"{path}: {damage}")
    assert report.record.seal is not None
    record = msgspec.structs.replace(report.record, seal=change(report.record, report.record.seal))
    text = as_json(record) if not report.html else joined(apart(report.text).page, record)
    beside = path.with_name(path.name + ".new")
    beside.write_text(text, encoding="utf-8", newline="")
    beside.replace(path)
    return record


# ----- checking -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Report:
    """A file that holds a record, JSON or HTML."""

    text: str
    record: RunRecord

    @property
    def html(self) -> bool:
        """Whether it is a page."""
        return OPENING in self.text


def read(path: Path) -> Report:
    """A report's text and record; `check` says whether it is intact."""
    try:
        text = read_bounded_text(path, MOST_BYTES)
    except OSError as error:
        raise ReportError(f"can't read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ReportError(f"{path} is no report: {error}") from None
    try:
        record = decoded(apart(text).record if OPENING in text else text)
    except NotARecord as error:
        raise ReportError(f"{path} is no report of this program, or was changed: {error}") from None
    if record.seal is None:
        raise ReportError(f"{path} is no report: it has no seal")
    return Report(text=text, record=record)


def load_record(path: Path) -> RunRecord:
    """The record in a report; `check` says whether it is intact."""
    return read(path).record


def check(path: Path, keys: Sequence[Path] = (), *, authority: Path | None = None) -> Checked:
    """Whether a report is what it was when it was written, who signed it, and when."""
    report = read(path)
    if (damage := _damage(report)) is not None:
        return Checked(good=False, said=(damage,))
    seal = report.record.seal
    assert seal is not None
    good, said = _signatures(seal, [load_public_key(key) for key in keys])
    stamp_good, stamp_said = _stamp(seal, authority)
    intact = f"intact: sha256 {seal.record_sha256}"
    return Checked(good=good and stamp_good, said=(intact, *said, *stamp_said))


def _damage(report: Report) -> str | None:
    """What is not as it was written; None for an intact report."""
    record, seal = report.record, report.record.seal
    assert seal is not None
    if record_digest(record) != seal.record_sha256:
        return "CHANGED: the record does not match its digest"
    if not report.html:
        return None if as_json(record) == report.text else "CHANGED: the file is not as it was written"
    parts = apart(report.text)
    whole = (
        parts.record == encoded(record).decode()
        and hashlib.sha256(parts.page.encode()).hexdigest() == seal.page_sha256
        and parts.slots == slots_of(seal)
        and joined(parts.page, record) == report.text
    )
    return None if whole else "CHANGED: the page is not as it was written"


def _signatures(seal: ReportSeal, expected: Sequence[bytes]) -> tuple[bool, list[str]]:
    if not seal.signatures:
        if expected:
            return False, ["NOT SIGNED"]
        return True, ["not signed: anyone can have written it"]
    said, signers = [], []
    for one in seal.signatures:
        try:
            signer = bytes.fromhex(one.public_key)
            Ed25519PublicKey.from_public_bytes(signer).verify(bytes.fromhex(one.signature), _statement(seal, one))
        except (InvalidSignature, ValueError):
            return False, ["BAD SIGNATURE"]
        signers.append(signer)
        whose = "the given key" if signer in expected else f"key {signer.hex()} (give --key to check whose that is)"
        said.append(f"signed by {whose} as {one.role}")
    if lacking := [key for key in expected if key not in signers]:
        return False, [*said, f"NOT SIGNED by the given key {lacking[0].hex()}"]
    return True, said


def _stamp(seal: ReportSeal, authority: Path | None) -> tuple[bool, list[str]]:
    if seal.timestamp is None:
        return authority is None, [] if authority is None else ["NO TIMESTAMP"]
    try:
        token = base64.b64decode(seal.timestamp.token, validate=True)
        found = timestamps.parse(token)
    except (ValueError, ReportError):
        return False, ["BAD TIMESTAMP: the token can't be read"]
    if found.imprint != imprint(seal) or found.time != seal.timestamp.time:
        return False, ["BAD TIMESTAMP: it is for something else"]
    if authority is None:
        return True, [f"timestamp {found.time}; the authority's signature was not checked (--authority CA.pem does)"]
    good, why = timestamps.verified(token, found.imprint, authority)
    return good, [f"timestamp {found.time}, {why}"]
