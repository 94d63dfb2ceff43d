"""How commands speak to people: errors without tracebacks."""

import typer


def fail(text: str, code: int = 2) -> typer.Exit:
    """Say what is wrong on standard error; `raise` what this returns."""
    typer.echo(f"shuffler: {text}", err=True)
    return typer.Exit(code)
