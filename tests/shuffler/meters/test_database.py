"""Addresses without secrets, migrations, and what each error means."""

import pytest

from shuffler.meters import database
from shuffler.meters.errors import MeterMisuse, ServerAway
from shuffler.meters.server import MeterServer


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ann:pa55@host:5433/floor", "postgresql://ann@host:5433/floor"),
        ("postgresql://host/floor?password=pa55&sslmode=verify-full", "postgresql://host/floor?password=hidden&sslmode=verify-full"),
        ("postgresql:///floor?service=floor", "postgresql:///floor?service=floor"),
        ("pa55word", "(not an address)"),
    ],
)  # fmt: skip
def test_no_secret_of_an_address_is_shown(url: str, shown: str) -> None:
    assert database.masked(url) == shown
    assert "pa55" not in database.masked(url)


def test_a_password_in_an_address_is_noticed() -> None:
    assert database.has_password("postgresql://ann:pa55@host/floor")
    assert database.has_password("postgresql://host/floor?password=pa55")
    assert not database.has_password("postgresql://ann@host/floor")


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(MeterMisuse, match="postgresql://"):
        database.connect("mysql://host/floor")


def test_a_server_that_is_not_there_is_away_and_its_password_stays_hidden() -> None:
    with pytest.raises(ServerAway) as caught:
        database.connect("postgresql://ann:pa55@127.0.0.1:1/floor")
    assert "pa55" not in str(caught.value)


@pytest.mark.needs("postgresql")
def test_migrations_are_applied_once_and_checked(meters_url: str) -> None:
    assert database.migrate(meters_url) == []
    with database.connect(meters_url) as connection:
        database.verify_version(connection)
        connection.execute("UPDATE meters.migration SET digest = 'other' WHERE number = 2")
        with pytest.raises(MeterMisuse, match=r"002_moves\.sql"):
            database.verify_version(connection)
        connection.execute("INSERT INTO meters.migration (number, name, digest) VALUES (99, '099', '')")
        with pytest.raises(MeterMisuse, match="newer"):
            database.verify_version(connection)


@pytest.mark.needs("postgresql")
def test_a_database_without_meters_says_what_to_do(postgresql) -> None:
    with pytest.raises(MeterMisuse, match="shuffler meters init"):
        MeterServer(postgresql.url())


@pytest.mark.needs("postgresql")
def test_the_pool_gives_connections_of_the_same_kind(meters_url: str) -> None:
    pool = database.open_pool(meters_url)
    try:
        with pool.connection() as connection:
            assert connection.execute("SHOW transaction_isolation").fetchone() == ("read committed",)
    finally:
        pool.close()
