"""What can go wrong in the round engine, by whose mistake it is.

    RoundEngineError
    ├── CardError            a card or a set of cards that cannot be; hands.HandError: cards that make no hand
    ├── MoneyError           an amount that is not whole, non-negative cents
    ├── RuleFileError        a rule file that is malformed, incomplete or contradicts itself (names file and line)
    ├── RuleError            a rule set asked for something it does not offer
    │   └── StateRefused     a saved state that no table of these rules can be in
    ├── OperationError       data that is no operation
    ├── StaffError           a staff that cannot run a table
    └── Refused              a move the rules forbid now; nothing has changed
        ├── WrongPhase       the right move at the wrong time
        ├── OutOfTurn        another spot, card or winner comes first
        ├── WagerRefused     a wager that breaks a limit or a condition
        ├── WrongCardCount   anything but three cards to a hand: the round is a misdeal
        ├── RoleRefused      somebody who does not hold the role that the clause names
        └── KeyRefused       a key the keypad does not take in this state
"""


class RoundEngineError(Exception):
    """Root of every error of this room."""


class CardError(RoundEngineError):
    """A card or a set of cards that cannot be."""


class MoneyError(RoundEngineError):
    """An amount that is not whole, non-negative cents."""


class RuleFileError(RoundEngineError):
    """A rule file that is malformed, incomplete or contradicts itself."""

    def __init__(self, source: str, line: int | None, problem: str) -> None:
        super().__init__(f"{source}:{line}: {problem}" if line is not None else f"{source}: {problem}")
        self.source, self.line, self.problem = source, line, problem


class RuleError(RoundEngineError):
    """A rule set asked for something it does not offer."""


class OperationError(RoundEngineError):
    """Data that is no operation."""


class StaffError(RoundEngineError):
    """A staff that cannot run a table."""


class StateRefused(RuleError):
    """A saved state that no table of these rules can be in."""


class MoveRefused(RoundEngineError):
    """A move the rules forbid now; nothing has changed."""


class WrongPhase(MoveRefused):
    """The right move at the wrong time."""


class OutOfTurn(MoveRefused):
    """Another spot, card or winner comes first."""


class WagerRefused(MoveRefused):
    """A wager that breaks a limit or a condition."""


class WrongCardCount(MoveRefused):
    """Anything but three cards to a hand: the round is a misdeal."""


class RoleRefused(MoveRefused):
    """Somebody who does not hold the role that the clause names."""


class KeyRefused(MoveRefused):
    """A key the keypad does not take in this state."""
