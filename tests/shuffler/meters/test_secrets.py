"""TLS and passwords as PostgreSQL does them: a server that takes nothing else, and no secret where others can read."""

import datetime
import ipaddress
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from typer.testing import CliRunner, Result

from proofs import postgres
from shuffler.cli import app
from shuffler.cli.linked import VARIABLE
from shuffler.meters.database import migrate
from shuffler.meters.server import MeterServer

pytestmark = [pytest.mark.needs("postgresql"), pytest.mark.slow]

PASSWORD = "pa55-of-the-operator"
LOOPBACK = "127.0.0.1"


class Guarded(NamedTuple):
    """A server that takes TLS with a password and nothing else."""

    cluster: postgres.Cluster
    url: str
    certificate: Path


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = self_signed(folder)
    with postgres.cluster(settings=("log_statement=all", "log_connections=on")) as server:
        url = server.database("guarded")
        migrate(url)
        with closing(MeterServer(url)) as owner:
            owner.connection.execute("SET log_statement = 'none'")  # the one statement that has the password in it
            owner.connection.execute(f"CREATE ROLE olga LOGIN PASSWORD '{PASSWORD}' IN ROLE meters_operator")
        for source, name in ((certificate, "server.crt"), (key, "server.key")):
            target = server.data / name
            target.write_bytes(source.read_bytes())
            target.chmod(0o600)
            owned = server.data.stat()
            os.chown(target, owned.st_uid, owned.st_gid)
        (server.data / "pg_hba.conf").write_text(f"hostssl all all {LOOPBACK}/32 scram-sha-256\n", encoding="utf-8")
        with (server.data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
            file.write("ssl=on\n")
        server.restart("fast")
        yield Guarded(server, f"postgresql://olga@{LOOPBACK}:{server.port}/guarded", certificate)


def self_signed(folder: Path, name: str = "server") -> tuple[Path, Path]:
    """A certificate for loopback, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, LOOPBACK)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / f"{name}.crt", folder / f"{name}.key"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, secret


def passwords(folder: Path, password: str) -> Path:
    """A file as libpq wants it: for its owner's eyes only."""
    file = folder / "pgpass"
    file.write_text(f"{LOOPBACK}:*:*:olga:{password}\n", encoding="utf-8")
    file.chmod(0o600)
    return file


def listed(url: str, *, password_file: Path | None = None, in_variable: bool = False) -> Result:
    """`shuffler meters list`, the address on the command line or in the variable."""
    where = () if in_variable else ("--meters", url)
    env = {VARIABLE: url if in_variable else "", "PGPASSFILE": str(password_file or "/nonexistent")}
    result = CliRunner().invoke(app, ["meters", "list", *where], env=env)
    assert PASSWORD not in result.output
    return result


def verified(guarded: Guarded, certificate: Path | None = None) -> str:
    return f"{guarded.url}?sslmode=verify-full&sslrootcert={certificate or guarded.certificate}"


def test_an_operator_comes_in_by_tls_with_the_password_from_a_file(guarded: Guarded, tmp_path: Path) -> None:
    result = listed(verified(guarded), password_file=passwords(tmp_path, PASSWORD))
    assert result.exit_code == 0, result.output
    assert "no meter yet" in result.output


def test_an_address_with_its_password_is_taken_from_the_variable_alone(guarded: Guarded) -> None:
    with_password = verified(guarded).replace("olga@", f"olga:{PASSWORD}@")
    assert listed(with_password, in_variable=True).exit_code == 0
    refused = listed(with_password)
    assert refused.exit_code == 2
    assert "seen by every user" in refused.output


def test_a_server_with_another_certificate_is_not_believed(guarded: Guarded, tmp_path: Path) -> None:
    stranger, _ = self_signed(tmp_path, "stranger")
    result = listed(verified(guarded, stranger), password_file=passwords(tmp_path, PASSWORD))
    assert result.exit_code == 1
    assert "certificate verify failed" in result.output


@pytest.mark.parametrize(
    ("query", "password", "why"),
    [
        ("?sslmode=disable", PASSWORD, "no encryption"),
        ("?sslmode=require", "a guess", "password authentication failed"),
        ("?sslmode=require", None, "no password supplied"),
    ],
)
def test_whoever_lacks_tls_or_password_is_told_so(
    guarded: Guarded, tmp_path: Path, query: str, password: str | None, why: str
) -> None:
    file = None if password is None else passwords(tmp_path, password)
    result = listed(guarded.url + query, password_file=file)
    assert result.exit_code == 1
    assert why in result.output


def test_the_servers_log_has_statements_and_no_password(guarded: Guarded, tmp_path: Path) -> None:
    assert listed(verified(guarded), password_file=passwords(tmp_path, PASSWORD)).exit_code == 0
    log = (guarded.cluster.folder / "log").read_text(encoding="utf-8", errors="replace")
    assert "FROM meters.meter" in log
    assert "SSL enabled" in log
    assert PASSWORD not in log
