"""Who works at a table, and in which roles. Players are not staff: what they may do comes from their wagers."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from round_engine.errors import StaffError


class StaffRole(StrEnum):
    """In what capacity somebody acts at a table."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    EXECUTIVE = "executive"
    SYSTEM = "system"  # the progressive system that links tables; no person
    PLAYER = "player"  # of the spot concerned; nobody on the staff


STAFF_ROLES = (StaffRole.DEALER, StaffRole.SUPERVISOR, StaffRole.EXECUTIVE, StaffRole.SYSTEM)


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One name on the staff and every role it holds."""

    name: str
    roles: tuple[StaffRole, ...]

    def __post_init__(self) -> None:
        """Refuse what is no name and no role of a staff."""
        if not isinstance(self.name, str) or not self.name:
            raise StaffError("a member of the staff needs a name")
        if not self.roles or any(role not in STAFF_ROLES for role in self.roles):
            known = ", ".join(STAFF_ROLES)
            raise StaffError(f"{self.name!r} needs one or more of the roles {known}, not {list(self.roles)}")


@dataclass(frozen=True, slots=True)
class Staff:
    """Everybody who works at a table."""

    members: tuple[Member, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a staff that cannot run a table: a dealer, and a supervisor who is somebody else."""
        names = [member.name for member in self.members]
        if len(set(names)) != len(names):
            raise StaffError(f"a name occurs twice on the staff: {', '.join(sorted(names))}")
        dealers, supervisors = self.holding(StaffRole.DEALER), self.holding(StaffRole.SUPERVISOR)
        if not any(one != other for one in dealers for other in supervisors):
            raise StaffError("a table needs a dealer, and a supervisor who is not the same person")

    def roles_of(self, name: str) -> tuple[StaffRole, ...]:
        """The roles that a name holds; none for a stranger."""
        for member in self.members:
            if member.name == name:
                return member.roles
        return ()

    def holding(self, role: StaffRole) -> tuple[str, ...]:
        """Everybody who holds a role, in the order of the list."""
        return tuple(member.name for member in self.members if role in member.roles)


def staff_of(**names: str | Iterable[str]) -> Staff:
    """`staff_of(dana="dealer", sam=("supervisor", "executive"))`."""
    members = []
    for name, held in names.items():
        roles = (held,) if isinstance(held, str) else tuple(held)
        if unknown := [role for role in roles if role not in list(StaffRole)]:
            raise StaffError(f"{unknown[0]!r} is no role; there are {', '.join(STAFF_ROLES)}")
        members.append(Member(name=name, roles=tuple(StaffRole(role) for role in roles)))
    return Staff(tuple(members))


BENCH_STAFF = staff_of(dealer="dealer", supervisor=("supervisor", "executive"), link="system")
"""The staff of a table that is not told another: the supervisor holds an executive's card too."""
