"""RFC 3161 timestamps against the real thing: an authority made by openssl answers our request."""

import subprocess
from pathlib import Path

import pytest
from certificate_record import a_record

from randomness.certification.errors import ReportError
from shuffler.lab.certificate import check, imprint, load_record, reseal, stamped, timestamps, write

pytestmark = pytest.mark.needs("openssl")
CONFIG = """
[ca]
distinguished_name = name
[name]
[tsa_cert]
extendedKeyUsage = critical, timeStamping
[tsa]
default_tsa = tsa_config
[tsa_config]
serial = serial
default_policy = 1.2.3.4
digests = sha256
accuracy = secs:1
signer_digest = sha256
certs = tsa.pem
"""


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a timestamp authority and a stranger's certificate."""
    folder = tmp_path_factory.mktemp("tsa")
    (folder / "tsa.cnf").write_text(CONFIG)
    (folder / "serial").write_text("01\n")
    for name in ("tsa", "stranger"):
        openssl(folder, "req", "-x509", "-newkey", "ed25519" if name == "stranger" else "rsa:2048", "-nodes", "-keyout",
                f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}", "-days", "2", "-config", "tsa.cnf",
                "-extensions", "tsa_cert")  # fmt: skip
    return folder


def answer(authority: Path, query: bytes) -> bytes:
    (authority / "q.tsq").write_bytes(query)
    openssl(authority, "ts", "-reply", "-queryfile", "q.tsq", "-signer", "tsa.pem", "-inkey", "tsa.key", "-config",
            "tsa.cnf", "-section", "tsa_config", "-out", "r.tsr")  # fmt: skip
    return (authority / "r.tsr").read_bytes()


@pytest.mark.parametrize("form", ["html", "json"])
def test_a_stamped_report_says_when_and_is_good_for_its_authority_alone(
    form: str, authority: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"r.{form}"
    write(a_record(), **{f"{form}_file": path})
    seal = load_record(path).seal
    assert seal is not None
    token = answer(authority, timestamps.query(imprint(seal)))
    record = reseal(path, lambda _record, seal: stamped(seal, token))
    assert record.seal is not None
    assert record.seal.timestamp is not None
    assert record.seal.timestamp.time.endswith("Z")
    assert "not checked" in check(path).said[-1]
    good = check(path, authority=authority / "tsa.pem")
    assert (good.good, good.said[-1].endswith("signed by the given authority")) == (True, True)
    assert not check(path, authority=authority / "stranger.pem").good
    with pytest.raises(ReportError, match="has a timestamp already"):
        reseal(path, lambda _record, seal: stamped(seal, token))


def test_a_token_for_something_else_or_of_no_form_is_refused(authority: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    write(a_record(), json_file=path)
    token = answer(authority, timestamps.query(bytes(32)))
    with pytest.raises(ReportError, match="for something else"):
        reseal(path, lambda _record, seal: stamped(seal, token))
    for bad in (b"", b"0", b"hello", token[:40], token[:-9]):
        with pytest.raises(ReportError, match="no RFC 3161 token"):
            timestamps.parse(bad)
    assert not check(path, authority=authority / "tsa.pem").good
