"""What can go wrong in the kit itself.

KitError
├── BadSettings         a device or a table can't be made so: the text says which setting and what it may be
└── BadScenario         a scenario file says something that can't be meant: file, line and reason
"""

from shuffler.errors import ShufflerError


class KitError(ShufflerError):
    """Root of the kit's errors."""


class BadSettings(KitError):
    """A device or a table can't be made so."""


class BadScenario(KitError):
    """A scenario file says something that can't be meant."""

    def __init__(self, name: str, line: int | None, problem: str) -> None:
        super().__init__(f"{name}: {problem}" if line is None else f"{name}:{line}: {problem}")
        self.name, self.line, self.problem = name, line, problem
