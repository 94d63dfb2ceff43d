"""The submission bundle: whole, reproducible, and any change in it is found."""

import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from certificate_record import COVER
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from randomness.certification import Recorded, RecordedSubject, ReportError, Run, certify, load_plan, local_engine
from shuffler.lab.bundle import check_bundle, make
from shuffler.lab.certificate import Signer, write

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
PLAN = replace(
    load_plan("quick"), name="small", decks_per_shard=100, bit_sequences=0, controls=(), least_decks=1,
    deck_tests=("suit-runs", "card-by-position"), draw_tests=(), retest_times=0,
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data file, its signed report, the key and the bundle."""
    made = tmp_path_factory.mktemp("bundle")
    decks = np.random.default_rng(3).permuted(np.tile(np.arange(52, dtype=np.uint8), (300, 1)), axis=1)
    np.save(made / "d.npy", decks)
    run = Run(plan=PLAN, subject=RecordedSubject(recorded=Recorded(str(made / "d.npy"))), cover=COVER)
    write(certify(run, local_engine(1)), [Signer(key=KEY)], html_file=made / "r.html")
    public = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (made / "lab.pem").write_bytes(public)
    make(made / "r.html", made / "b.zip", data=made / "d.npy", keys=[made / "lab.pem"])
    return made


def test_a_bundle_is_intact_and_gives_its_figures_again(folder: Path) -> None:
    checked = check_bundle(folder / "b.zip", keys=[folder / "lab.pem"], rerun=True)
    assert checked.good, checked.said
    assert checked.said[-1] == "recomputed: every figure is the same"
    make(folder / "r.html", folder / "again.zip", data=folder / "d.npy", keys=[folder / "lab.pem"])
    assert (folder / "again.zip").read_bytes() == (folder / "b.zip").read_bytes()


def changed(folder: Path, name: str, content: bytes | None, out: Path) -> Path:
    """The bundle with one file changed, added or (None) left out."""
    with zipfile.ZipFile(folder / "b.zip") as old, zipfile.ZipFile(out, "w") as new:
        for one in old.namelist():
            if one != name:
                new.writestr(one, old.read(one))
        if content is not None:
            new.writestr(name, content)
    return out


def test_one_figure_changed_anywhere_is_found(folder: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(folder / "b.zip") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert len(files) == 10
    for name, content in files.items():
        at = max(content.rfind(digit) for digit in b"0123456789")
        other = content[:at] + (b"7" if content[at : at + 1] != b"7" else b"8") + content[at + 1 :]
        for forged in (other, None):
            try:
                good = check_bundle(changed(folder, name, forged, tmp_path / "x.zip"), keys=[folder / "lab.pem"]).good
            except ReportError:
                good = False
            assert not good or (forged is None and name.startswith(("data/", "keys/"))), name
    assert not check_bundle(changed(folder, "extra.txt", b"x", tmp_path / "x.zip")).good


def test_another_data_file_or_a_changed_report_makes_no_bundle(folder: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "e.npy", np.arange(52)[None])
    with pytest.raises(ReportError, match=r"e.npy is not the file that the report is about"):
        make(folder / "r.html", tmp_path / "b.zip", data=tmp_path / "e.npy")
    (tmp_path / "r.html").write_text((folder / "r.html").read_text(encoding="utf-8").replace("PASSED", "FAILED", 1))
    with pytest.raises(ReportError, match="CHANGED"):
        make(tmp_path / "r.html", tmp_path / "b.zip")
    (tmp_path / "no.zip").write_bytes(b"no")
    with pytest.raises(ReportError, match="no bundle"):
        check_bundle(tmp_path / "no.zip")
