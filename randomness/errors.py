"""What can go wrong in this room.

RandomnessError
└── BitsError    bits or parameters that no test could take
"""


class RandomnessError(Exception):
    """Root of every error this room raises."""


class BitsError(RandomnessError):
    """Bits or parameters that no test could take: not zeros and ones, a block longer than the sequence, ..."""
