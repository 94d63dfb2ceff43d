"""Who is let in: the token's holder, under the right name, from no other web page, in reasonable amounts."""

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from api_support import RunningBench, running_bench

from shuffler.api import server as serving
from shuffler.api.access import Bucket, Limits, new_token, write_opener, write_token
from shuffler.api.audit import AuditLog

LIMITS = Limits(body_bytes=2000, body_s=60, rate_a_second=1e6, burst=1e6, wrong_tokens_a_minute=1e6, streams=2)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench"), limits=LIMITS) as running:
        yield running


def ask(bench: RunningBench, path: str = "/api/v1/devices", method: str = "GET", **headers: str) -> httpx.Response:
    kept = {"authorization": f"Bearer {bench.address.token}"} | headers
    return httpx.request(method, bench.address.url + path, headers={k: v for k, v in kept.items() if v}, timeout=120)


def is_problem(answer: httpx.Response, status: int) -> bool:
    return answer.status_code == status == answer.json()["status"] and (
        answer.headers["content-type"] == "application/problem+json"
    )


def test_the_right_token_opens_the_bench(bench: RunningBench) -> None:
    assert ask(bench).status_code == 200


@pytest.mark.parametrize("given", ["", "Bearer", "Bearer x", "Basic abc"])
def test_a_missing_or_wrong_token_opens_nothing(bench: RunningBench, given: str) -> None:
    answer = ask(bench, authorization=given)
    assert is_problem(answer, 401)
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_in_the_address_is_not_taken(bench: RunningBench) -> None:
    assert is_problem(ask(bench, f"/api/v1/devices?token={bench.address.token}", authorization=""), 401)


@pytest.mark.parametrize("path", ["/api/v1/devices", "/api/v1/openapi.json", "/api/v1/events", "/api/v1/metrics"])
def test_nothing_under_the_api_is_open_without_it(bench: RunningBench, path: str) -> None:
    assert is_problem(ask(bench, path, authorization=""), 401)


def test_the_page_itself_is_no_secret_and_is_locked_down(bench: RunningBench) -> None:
    answer = ask(bench, "/", authorization="")
    assert answer.status_code == 200
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1.evil.example:{port}", "evil.example:{port}"])
def test_a_name_that_was_bound_to_this_address_is_refused(bench: RunningBench, host: str) -> None:
    assert is_problem(ask(bench, host=host.format(port=bench.address.port)), 403)
    assert is_problem(ask(bench, "/", host=host.format(port=bench.address.port)), 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"])
def test_another_web_page_is_refused_even_with_the_token(bench: RunningBench, origin: str) -> None:
    assert is_problem(ask(bench, origin=origin.format(port=bench.address.port)), 403)


def test_a_request_that_a_browser_marks_as_cross_site_is_refused(bench: RunningBench) -> None:
    assert is_problem(ask(bench, sec_fetch_site="x", **{"sec-fetch-site": "cross-site"}), 403)


def test_the_page_of_the_bench_is_let_through(bench: RunningBench) -> None:
    own = f"http://localhost:{bench.address.port}"
    assert ask(bench, origin=own, host=f"localhost:{bench.address.port}").status_code == 200


def test_a_preflight_gets_no_leave(bench: RunningBench) -> None:
    answer = ask(bench, method="OPTIONS", origin="http://evil.example", **{"access-control-request-method": "POST"})
    assert is_problem(answer, 403)


def test_a_body_that_is_too_large_is_refused_by_its_word_and_by_its_bytes(bench: RunningBench) -> None:
    with bench.client() as client:
        assert is_problem(client.post("/devices", content=b"x" * 3000), 413)
        assert is_problem(client.post("/devices", content=iter([b"x" * 1500, b"x" * 1500])), 413)


def test_a_body_that_does_not_come_is_not_waited_for(tmp_path: Path) -> None:
    hasty = Limits(body_s=0.2)
    with (
        running_bench(tmp_path, limits=hasty) as bench,
        socket.create_connection((bench.address.host, bench.address.port), 60) as line,
    ):
        line.sendall(
            f"POST /api/v1/devices HTTP/1.1\r\nHost: 127.0.0.1:{bench.address.port}\r\n"
            f"Authorization: Bearer {bench.address.token}\r\nContent-Length: 100\r\n\r\n{{".encode()
        )
        assert b" 408 " in line.recv(4096).split(b"\r\n")[0]


def test_headers_that_do_not_end_are_not_read_for_ever(bench: RunningBench) -> None:
    with socket.create_connection((bench.address.host, bench.address.port), 60) as line:
        try:
            line.sendall(b"GET / HTTP/1.1\r\n" + b"x-long: " + b"y" * 100_000)
            answer = line.recv(4096)
        except ConnectionError:
            answer = b""
        assert b" 200 " not in answer


def test_streams_are_counted(bench: RunningBench) -> None:
    with bench.client() as client, client.stream("GET", "/events") as one, client.stream("GET", "/events") as two:
        lines = [stream.iter_lines() for stream in (one, two)]
        assert [next(each) for each in lines] == ["retry: 1000"] * 2
        assert is_problem(client.get("/events"), 429)


def test_a_bucket_gives_so_many_at_once_and_so_many_a_second() -> None:
    now = 0.0
    bucket = Bucket(10, 3, lambda: now)
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    now = 0.1
    assert [bucket.take() for _ in range(2)] == [True, False]


def test_too_many_requests_and_too_many_wrong_tokens_are_put_off(tmp_path: Path) -> None:
    limits = Limits(rate_a_second=0.001, burst=4, wrong_tokens_a_minute=2)
    with running_bench(tmp_path, limits=limits) as bench:
        wrong = [ask(bench, authorization="Bearer x").status_code for _ in range(3)]
        right = [ask(bench).status_code for _ in range(2)]
    assert (wrong, right) == ([401, 401, 429], [200, 429])


def test_a_device_in_the_place_of_the_token_is_left_as_it_is() -> None:
    before = Path("/dev/full").stat()
    with pytest.raises(FileExistsError, match="not a token file"):
        write_token(Path("/dev/full"), "y")
    assert Path("/dev/full").stat().st_rdev == before.st_rdev


def test_the_token_lies_in_a_file_that_its_owner_alone_may_read(bench: RunningBench, tmp_path: Path) -> None:
    path = bench.address.token_file
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text(encoding="ascii").strip() == bench.address.token
    open_to_all = tmp_path / "old.token"
    open_to_all.write_text(new_token() + "\n")
    os.chmod(open_to_all, 0o644)
    write_token(open_to_all, "y")
    assert stat.S_IMODE(open_to_all.stat().st_mode) == 0o600


def test_a_file_that_is_no_token_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "thesis.html"
    write_opener(path, "http://127.0.0.1:7080/#token=x")
    write_opener(path, "http://127.0.0.1:7081/#token=y")  # its own, again
    for content in ("all of my work\n", "<!doctype html><title>Shuffler bench</title><p>notes", ""):
        path.write_text(content)
        with pytest.raises(FileExistsError, match="name another one"):
            write_token(path, new_token())
        assert path.read_text() == content


def test_the_audit_file_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    before = os.umask(0)
    try:
        AuditLog(lambda: "now", path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("sent", [b"", b"GET /api/v1/de", b"GET / HTTP/1.1\r\nhost: "])
def test_a_connection_that_never_finishes_its_second_request_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(serving, "HEADERS_S", 0.3)
    with running_bench(tmp_path) as bench, socket.create_connection(("127.0.0.1", bench.address.port), 60) as line:
        line.settimeout(60)
        whole = f"GET /favicon.ico HTTP/1.1\r\nhost: 127.0.0.1:{bench.address.port}\r\n\r\n".encode()
        line.sendall(whole)
        assert line.recv(65536).startswith(b"HTTP/1.1")
        line.sendall(sent)
        while line.recv(65536):  # ends when the server closes; the socket's time-out fails the test
            pass


def test_the_file_goes_with_the_bench(tmp_path: Path) -> None:
    with running_bench(tmp_path) as bench:
        path = bench.address.token_file
        assert path.exists()
        assert bench.address.token in bench.address.page.split("#")[1]
        assert bench.address.token not in bench.address.url
    assert not path.exists()


def test_no_token_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG"), running_bench(tmp_path) as bench:
        ask(bench)
        ask(bench, f"/?token={bench.address.token}")
        ask(bench, authorization=f"Bearer x{bench.address.token}")
        token = bench.address.token
    assert not [record for record in caplog.records if record.name != "httpx" and token in record.getMessage()]
