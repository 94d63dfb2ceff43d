"""`shuffler control`: every call of the control API from a shell, with the token read from its file."""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any

import typer

from shuffler.cli.exit_codes import FAILED
from shuffler.cli.output import fail
from strict_toml import read_bounded

METHODS = ("GET", "POST", "PUT", "DELETE")
TIMEOUT_S = 30.0
MOST_TOKEN_BYTES = 4096


def control(
    url: Annotated[str, typer.Argument(help="The bench, such as http://127.0.0.1:7080, or just its port.")],
    method: Annotated[str, typer.Argument(help="GET, POST, PUT or DELETE; or list, to see every call.")] = "list",
    path: Annotated[str, typer.Argument(help="What to call, such as /devices/SB-0001/actions/inject.")] = "",
    fields: Annotated[
        list[str] | None, typer.Argument(help="The body: KEY=VALUE …, values JSON or plain text; or one JSON object.")
    ] = None,
    token_file: Annotated[
        Path | None, typer.Option(help="The token's file. Default: where the bench of that port writes it.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the answer on one line.")] = False,
) -> None:
    """Call the control API: `shuffler control 7080 POST /devices/SB-0001/actions/inject name=jam_exit when=group=1`.

    `events` as the path follows the stream until Ctrl-C. Exit code 1 where the bench refuses; it says why.
    """
    base = f"http://127.0.0.1:{url}" if url.isdigit() else url.rstrip("/").removesuffix("/api/v1")
    _verify_loopback(base)
    token = _token(base, token_file)
    verb = method.upper()
    if verb == "LIST":
        _list(base, token)
        return
    if verb not in METHODS:
        raise fail(f"{method} is no method: use one of {', '.join(METHODS)}, or list")
    where = f"{base}/api/v1/{path.strip('/')}".rstrip("/")
    request = urllib.request.Request(where, method=verb, headers={"authorization": f"Bearer {token}"})
    body = _body(fields or [])
    if body is not None or verb in ("POST", "PUT"):
        request.data = json.dumps(body or {}).encode()
        request.add_header("content-type", "application/json")
    try:
        with _OPENER.open(request, timeout=None if path.strip("/") == "events" else TIMEOUT_S) as answer:
            _show(answer, as_json=as_json)
    except urllib.error.HTTPError as problem:
        raise fail(_detail(problem), FAILED) from None
    except (urllib.error.URLError, OSError) as problem:
        raise fail(f"{base}: {getattr(problem, 'reason', problem)}; is the bench running?") from None


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would take the token along."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect)


def _verify_loopback(base: str) -> None:
    """Refuse to send the token to another machine: it opens every undealt card, and HTTP carries it in the clear."""
    host = urllib.parse.urlsplit(base).hostname or ""
    try:
        is_here = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_here = False
    if not is_here:
        raise fail(
            f"{base} is not on this machine: the token is sent over loopback only. Forward the port, for example with"
            " `ssh -L 7080:127.0.0.1:7080 HOST`, and call `shuffler control 7080`"
        )


def _token(base: str, path: Path | None) -> str:
    from shuffler.api.access import token_folder

    if path is None:
        port = base.rsplit(":", 1)[-1]
        path = token_folder() / f"{port}.token"
    try:
        return read_bounded(path, MOST_TOKEN_BYTES).decode("ascii").strip()
    except OSError as problem:
        raise fail(f"{path}: {problem.strerror}; give the token's file with --token-file") from None
    except ValueError:
        raise fail(f"{path}: not a token; give the token's file with --token-file") from None


def _body(fields: list[str]) -> Any:
    if not fields:
        return None
    if len(fields) == 1 and fields[0].lstrip().startswith("{"):
        try:
            return json.loads(fields[0])
        except ValueError as problem:
            raise fail(f"not JSON: {problem}") from None
    body: dict[str, Any] = {}
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals or not name:
            raise fail(f"{field!r}: a field of the body reads KEY=VALUE")
        try:
            body[name] = json.loads(value)
        except ValueError:
            body[name] = value
    return body


def _show(answer: Any, *, as_json: bool) -> None:
    kind = answer.headers.get_content_type()
    if kind == "text/event-stream":
        for line in answer:
            typer.echo(line.decode(), nl=False)
        return
    data = answer.read()
    if kind == "application/json" and data:
        found = json.loads(data)
        typer.echo(json.dumps(found, ensure_ascii=False, indent=None if as_json else 1))
    elif kind in ("text/plain", "application/x-ndjson"):
        typer.echo(data.decode(), nl=False)
    elif data:
        sys.stdout.buffer.write(data)


def _list(base: str, token: str) -> None:
    request = urllib.request.Request(f"{base}/api/v1/openapi.json", headers={"authorization": f"Bearer {token}"})
    try:
        with _OPENER.open(request, timeout=TIMEOUT_S) as answer:
            document = json.load(answer)
    except urllib.error.HTTPError as problem:
        raise fail(_detail(problem), FAILED) from None
    except (urllib.error.URLError, OSError) as problem:
        raise fail(f"{base}: {getattr(problem, 'reason', problem)}; is the bench running?") from None
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            typer.echo(f"{method.upper():<7} {path.removeprefix('/api/v1') or '/':<48} {operation.get('summary', '')}")


def _detail(problem: urllib.error.HTTPError) -> str:
    try:
        return f"{problem.code}: {json.load(problem)['detail']}"
    except (ValueError, KeyError):
        return f"{problem.code} {problem.reason}"
