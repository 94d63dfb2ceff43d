"""What is wrong with a kit."""

from randomness.errors import RandomnessError


class ProficiencyError(RandomnessError):
    """A kit, key or answer that can't be used; the text says why."""
