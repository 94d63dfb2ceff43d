"""What can go wrong in certification.

RandomnessError
└── CertificationError
    ├── PlanError         a plan that can't be read, or asks for what does not exist
    ├── PartialError      a part of a file, where nobody asked for a part
    ├── RecordedError     a file of decks that can't be read
    │   └── UnreadableError   the line that can't be read, and what was expected
    ├── RetestError       a re-test that is not due, not possible, or has been made
    ├── CheckpointError   a checkpoint that is damaged or belongs to another run
    ├── ReportError       a report that can't be read, or a key that can't sign
    └── Interrupted       a run broken off on request, with its checkpoint left
"""

from randomness.errors import RandomnessError

MOST_SHOWN = 120
"""Characters of a line that an error shows."""


class CertificationError(RandomnessError):
    """Root of certification's errors: the run could not be done."""


class PlanError(CertificationError):
    """A plan that can't be read, has an unknown key, or asks for a test that does not exist."""


class RecordedError(CertificationError):
    """A file of decks that can't be read. Never a finding about a device: what is not read is not judged."""


class UnreadableError(RecordedError):
    """A line that can't be read as a deck: shown, with what was expected."""

    def __init__(self, name: str, line: int, text: str, why: str, expected: str) -> None:
        shown = text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
        super().__init__(f"{name} can't be read at line {line}: {why}\n  line {line}: {shown}\n  expected: {expected}")
        self.line = line


class PartialError(CertificationError):
    """A run would count a part of a file, and was not told why."""

    def __init__(self, what: str, decks: int) -> None:
        super().__init__(
            f"{what}\n  leave --decks out to test every row, or say why a part is enough: --partial 'REASON' "
            f"(the report states on its first page that only {decks:,} rows were read)"
        )


class RetestError(CertificationError):
    """A re-test that the record does not ask for, that the second file does not allow, or that has been made."""


class CheckpointError(CertificationError):
    """A checkpoint that is damaged or belongs to another run."""


class ReportError(CertificationError):
    """A report that can't be read, or a key that can't sign."""


class RunInterrupted(CertificationError):
    """Broken off on request; the checkpoint has everything counted so far."""

    def __init__(self, decks: int) -> None:
        super().__init__(f"interrupted after {decks:,} decks")
        self.decks = decks
