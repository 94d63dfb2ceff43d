"""What this room raises across its door.

    DeviceError
    ├── BadProfile        a profile file is not one
    ├── BadSetup          a set-up file asks for something that does not exist
    ├── BadControl        a tester action that is not possible now
    │   └── BadCall       a tester action with invalid arguments
    ├── MemoryCorrupt     a memory file is damaged or none of ours
    └── WrongMemory       a memory file is another device's
"""


class DeviceError(Exception):
    """Root of this room's errors: caused by the caller; the message says what to do."""


class _BadFile(DeviceError):
    """A file that can't be used, with the line in it where that is known."""

    def __init__(self, name: str, line: int | None = None, problem: str = "") -> None:
        where = name if line is None else f"{name}:{line}"
        super().__init__(f"{where}: {problem}" if problem else name)


class BadProfile(_BadFile):
    """A profile that can't be used."""


class BadSetup(_BadFile):
    """A set-up file that can't be used."""


class BadControl(DeviceError):
    """A control-plane call that is not possible now, or never; `parameter` is the one to change, if it is one."""

    def __init__(self, problem: str, parameter: str | None = None) -> None:
        super().__init__(problem)
        self.parameter = parameter


class BadCall(BadControl):
    """Arguments that no device takes."""


class MemoryCorrupt(DeviceError):
    """The store's file is not one of ours, or a record in its middle fails its check."""


class WrongMemory(DeviceError):
    """The memory was written by a device of another profile: cards and decks in it would mean nothing."""
