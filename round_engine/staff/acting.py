"""Who acts: the name and the role that an operation has, or that its move implies; refuses whoever does not hold it."""

from dataclasses import replace
from typing import TYPE_CHECKING

from round_engine.errors import RoleRefused
from round_engine.round.operations import BackOut, OpenRound, Operation, PlaceWagers, PressKey
from round_engine.round.state import Phase
from round_engine.staff import StaffRole
from round_engine.staff.rights import Right

if TYPE_CHECKING:
    from round_engine.table import Table

CONFIRMING = (StaffRole.SUPERVISOR, StaffRole.EXECUTIVE)
OVER = (Phase.CLOSED, Phase.VOID)


def acted(table: "Table", operation: Operation) -> Operation:
    """The operation with name and role in it, when that person may do it in that role at this table now."""
    right = table.rights.of(operation)
    if right is None:  # a key that is on no keypad here: the keypad says so
        return operation
    by = operation.by or _implied(table, operation, right)
    held = _held(table, operation, by)
    if operation.role is None:
        role = next((role for role in right.roles if role in held), None)
        if role is None:
            raise _refused(operation, right, by, held)
    else:
        role = operation.role
        if role not in held:
            raise RoleRefused(f"{by!r} is no {role} at this table: {_held_text(held)}")
        if role not in right.roles:
            raise _refused(operation, right, by, held)
    _verify_apart(table, operation, by, role)
    return operation if operation.by and operation.role is not None else replace(operation, by=by, role=role)


def _implied(table: "Table", operation: Operation, right: Right) -> str:
    """Whose move it is, where nobody is named."""
    if isinstance(operation, OpenRound):
        return operation.dealer
    if StaffRole.DEALER in right.roles:
        return table.in_play().dealer_name
    if StaffRole.PLAYER in right.roles:
        return _player(table, operation)
    if StaffRole.SYSTEM in right.roles and (linked := table.staff.holding(StaffRole.SYSTEM)):
        return linked[0]
    raise RoleRefused(f"{_told(operation)}: say who does it, {_either(right)} ({right.clause})")


def _held(table: "Table", operation: Operation, by: str) -> tuple[StaffRole, ...]:
    """The roles that a name has for this operation: from the staff, or as the player of the spot."""
    roles = table.staff.roles_of(by)
    if roles or StaffRole.PLAYER not in table.rights.of_moves.get(type(operation), _NOBODY).roles:
        return roles
    return (StaffRole.PLAYER,) if by == _player(table, operation) else ()


_NOBODY = Right((), "")


def _player(table: "Table", operation: Operation) -> str:
    """The player of the spot that an operation is about."""
    if isinstance(operation, PlaceWagers):
        return operation.wagers.player
    spot = table.in_play().spots.get(getattr(operation, "spot", 0))
    return spot.wagers.player if spot is not None else ""


def _verify_apart(table: "Table", operation: Operation, by: str, role: StaffRole) -> None:
    """The dealer's moves are those of whoever deals the round; whoever deals it confirms nothing in it."""
    if isinstance(operation, OpenRound):
        if by != operation.dealer:
            raise RoleRefused(f"{operation.dealer!r} is to deal, so {by!r} cannot open the round")
        return
    if table.round is None or table.round.phase in OVER:
        return
    dealing = table.round.dealer_name
    if role is StaffRole.DEALER and by != dealing:
        raise RoleRefused(f"{_told(operation)} is the dealer's: {dealing!r} deals this round, not {by!r}")
    if by != dealing or role not in CONFIRMING:
        return
    strict = table.rights.strict
    if isinstance(operation, PressKey | BackOut):
        is_strict = strict.get(operation.wager, True)
    else:
        is_strict = any(strict.values())
    if is_strict:
        raise RoleRefused(f"{_told(operation)} is a supervisor's: {by!r} is dealing this round")


def _refused(operation: Operation, right: Right, by: str, held: tuple[StaffRole, ...]) -> RoleRefused:
    who = f"{by!r} " + (f"is {' and '.join(held)}" if held else "is not on the staff and not the player of the spot")
    return RoleRefused(f"{_told(operation)} is for {_either(right)} ({right.clause}): {who}")


def _either(right: Right) -> str:
    return " or ".join(f"the {role}" for role in right.roles)


def _held_text(held: tuple[StaffRole, ...]) -> str:
    return f"the staff has the name as {' and '.join(held)}" if held else "the name is not on the staff"


def _told(operation: Operation) -> str:
    return operation.key if isinstance(operation, PressKey) else type(operation).__name__
