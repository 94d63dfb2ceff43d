"""The proof of demonstrations: one that ends is told from one that does not."""

from proofs.demos import run_one


def test_a_program_that_ends_without_the_demonstration_is_not_complete() -> None:
    done = run_one(command=("--version",))
    assert (done.code, done.complete) == (0, False)


def test_a_program_that_does_not_end_in_time_has_no_exit_code() -> None:
    done = run_one(0.2, command=("emulate", "--tcp", "0"))
    assert (done.code, done.complete) == (None, False)
