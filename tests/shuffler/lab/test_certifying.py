"""A certification run as a process: what it is asked for, and what it says when it can't."""

import io
import json

from shuffler.lab.certifying import Request, main, run_of


def request(mechanism: str = "ejection", plan: str = "quick", seed: int | None = None) -> Request:
    return Request(mechanism=mechanism, plan=plan, seed=seed, json_file="", html_file="")


def said(asked: Request) -> list[dict[str, object]]:
    out = io.StringIO()
    main(io.StringIO(asked.to_line().decode()), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def test_a_seed_that_is_given_is_named_as_given_and_another_comes_from_the_system() -> None:
    given, fresh = run_of(request(seed=7)), run_of(request())
    assert (given.subject.seed, given.subject.entropy) == (7, "given by the control API")
    assert fresh.subject.entropy == "operating system"
    assert run_of(request()).subject.seed != fresh.subject.seed


def test_what_can_not_be_run_is_said_on_the_last_line() -> None:
    assert "no mechanism 'magic'" in str(said(request(mechanism="magic"))[-1]["problem"])
    assert "problem" in said(request(plan="no-such-plan"))[-1]
