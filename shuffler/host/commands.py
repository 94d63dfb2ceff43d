"""The commands as plain calls: one name each, the same for the blocking and the asyncio client.

Each entry makes a message and says which reply its caller gets; the clients add the waiting.
"""

from protocol import messages as m
from protocol.roles import proof, role_key
from protocol.vocabulary import Role


def seats_mask(seats: tuple[int, ...]) -> int:
    """Seats counted from 1 as the bit mask of a BeginRound."""
    mask = 0
    for seat in seats:
        if not 1 <= seat <= 16:
            raise ValueError(f"a seat is 1 … 16, not {seat}")
        mask |= 1 << (seat - 1)
    return mask


def answer(challenge: m.Challenge, secret: str, *, serial: str, session: int, role: Role) -> m.ProveRole:
    """The proof for a challenge from the words that the role's holder keeps."""
    given = proof(role_key(secret), serial=serial, session=session, role=role, nonce=challenge.nonce)
    return m.ProveRole(role=role, proof=given)
