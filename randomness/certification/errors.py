"""What can go wrong in certification.

RandomnessError
└── CertificationError
    ├── PlanError         a plan that can't be read, or asks for what does not exist
    ├── RecordedError     a file of decks that can't be read at all
    ├── CheckpointError   a checkpoint that is damaged or belongs to another run
    ├── ReportError       a report that can't be read, or a key that can't sign
    └── Interrupted       a run broken off on request, with its checkpoint left
"""

from randomness.errors import RandomnessError


class CertificationError(RandomnessError):
    """Root of certification's errors: the run could not be done."""


class PlanError(CertificationError):
    """A plan that can't be read, has an unknown key, or asks for a test that does not exist."""


class RecordedError(CertificationError):
    """A file of decks that can't be read at all (a bad row among good ones is a finding, not an error)."""


class CheckpointError(CertificationError):
    """A checkpoint that is damaged or belongs to another run."""


class ReportError(CertificationError):
    """A report that can't be read, or a key that can't sign."""


class Interrupted(CertificationError):
    """Broken off on request; the checkpoint has everything counted so far."""

    def __init__(self, decks: int) -> None:
        super().__init__(f"interrupted after {decks:,} decks")
        self.decks = decks
