"""The submission bundle: a report, all that it rests on, and a manifest that a second laboratory ticks off.

Every file but the report, the data and the keys is derived from the record; a check derives them again and compares.
"""

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from randomness.certification.errors import ReportError
from randomness.certification.model import FileDescription, RunRecord
from shuffler.lab.certificate import Checked, check
from shuffler.lab.certificate.sealing import as_csv, as_json, read
from shuffler.lab.recomputing import recompute

FORMAT = "shuffler submission bundle 1"
MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
DATA, KEYS = "data/", "keys/"
MOST_BYTES = 1 << 33
_WHEN = (1980, 1, 1, 0, 0, 0)  # the same files give the same bundle


def make(report: Path, out: Path, *, data: Path | None = None, keys: Sequence[Path] = ()) -> None:
    """Write the bundle of an intact report; `data` goes in whole, if it is the file that was tested."""
    checked = check(report, keys)
    if not checked.good:
        raise ReportError(f"{report}: {'; '.join(checked.said)}")
    given = {_report_name(report): report.read_bytes()}
    given |= {f"{KEYS}{key.name}": key.read_bytes() for key in keys}
    if data is not None:
        given[f"{DATA}{data.name}"] = data.read_bytes()
    record = read(report).record
    _check_data(record, given)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _all_files(record, given).items():
            archive.writestr(zipfile.ZipInfo(name, _WHEN), content, zipfile.ZIP_DEFLATED)


def check_bundle(bundle: Path, *, keys: Sequence[Path] = (), rerun: bool = False, data: Path | None = None) -> Checked:
    """Whether a bundle is whole and unchanged; with `rerun` its run is made again, on its data or on `data`."""
    files = _read(bundle)
    reports = [name for name in files if name in ("report.html", "report.json")]
    if len(reports) != 1:
        raise ReportError(f"{bundle} is no bundle: it has no report")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / reports[0]
        path.write_bytes(files[reports[0]])
        checked = check(path, keys)
        if not checked.good:
            return checked
        record = read(path).record
        given = {name: files[name] for name in files if name == reports[0] or name.startswith((DATA, KEYS))}
        _check_data(record, given)
        wanted = _all_files(record, given)
        odd = [name for name in dict.fromkeys((*wanted, *files)) if wanted.get(name) != files.get(name)]
        if odd:
            return Checked(good=False, said=(*checked.said, f"CHANGED: {', '.join(odd)}"))
        said = (*checked.said, f"bundle: {len(files)} files, each as its manifest says")
        if not rerun:
            return Checked(good=True, said=said)
        inside = next((name for name in given if name.startswith(DATA)), None)
        if data is None and inside is not None:
            data = Path(folder) / Path(inside).name
            data.write_bytes(files[inside])
        again = recompute(path, data)
        return Checked(good=again.good, said=(*said, *again.said))


# ----- its files ------------------------------------------------------------------------------------------------------


def _all_files(record: RunRecord, given: Mapping[str, bytes]) -> dict[str, bytes]:
    files = {**given, **{name: text.encode() for name, text in _derived(record).items()}}
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    rows = [{"name": name, "bytes": len(files[name]), "sha256": digest} for name, digest in sums.items()]
    assert record.seal is not None
    said = {"format": FORMAT, "record_sha256": record.seal.record_sha256, "files": rows}
    files[MANIFEST] = (json.dumps(said, indent=1, ensure_ascii=False) + "\n").encode()
    files[SUMS] = "".join(f"{digest}  {name}\n" for name, digest in sums.items()).encode()
    return files


def _derived(record: RunRecord) -> dict[str, str]:
    versions = {**record.tool.versions, "code_sha256": record.tool.code_sha256}
    plan = {**asdict(record.plan), "sha256": record.plan_sha256}
    return {
        "record.json": as_json(record),
        "results.csv": as_csv(record),
        "plan.json": json.dumps(plan, indent=1) + "\n",
        "versions.json": json.dumps(versions, indent=1) + "\n",
        "CHECKLIST.md": _checklist(record),
    }


def _checklist(record: RunRecord) -> str:
    about, seal = record.subject, record.seal
    assert seal is not None
    item = f"data file {about.name}, SHA-256 {about.sha256}" if isinstance(about, FileDescription) else (
        f"mechanism {about.mechanism}, seed {about.seed}"
    )  # fmt: skip
    rows = (
        f"verdict: {record.verdict.outcome}, level {record.verdict.level:g}, {record.verdict.family} statistics",
        item,
        f"rows in the file {record.sample.rows_in_file}, rows read {record.sample.rows_read}",
        f"plan {record.plan.name}, SHA-256 {record.plan_sha256}",
        f"record, SHA-256 {seal.record_sha256}",
        *(f"signature as {one.role}, key {one.public_key}" for one in seal.signatures),
        f"timestamp {seal.timestamp.time if seal.timestamp is not None else 'none'}",
        "checksums: sha256sum -c SHA256SUMS",
        "run again: shuffler certify check-bundle BUNDLE --rerun",
        f"the original command: {record.reproduce}",
    )
    return "# Checklist for a second laboratory\n\n" + "".join(f"- [ ] {row}\n" for row in rows)


def _report_name(report: Path) -> str:
    return "report.html" if read(report).html else "report.json"


def _check_data(record: RunRecord, given: Mapping[str, bytes]) -> None:
    for name, content in given.items():
        if name.startswith(DATA):
            digest = hashlib.sha256(content).hexdigest()
            if not isinstance(record.subject, FileDescription) or digest != record.subject.sha256:
                raise ReportError(f"{name.removeprefix(DATA)} is not the file that the report is about")


def _read(bundle: Path) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(bundle) as archive:
            if sum(one.file_size for one in archive.infolist()) > MOST_BYTES:
                raise ReportError(f"{bundle} unpacks to more than {MOST_BYTES:,} bytes")
            names = archive.namelist()
            if len(set(names)) != len(names):
                raise ReportError(f"{bundle} holds a file twice")
            return {name: archive.read(name) for name in names}
    except OSError as error:
        raise ReportError(f"can't read {bundle}: {error.strerror}") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise ReportError(f"{bundle} is no bundle, or is damaged: {error}") from None
