"""Operations and table states as version 0.1.0 wrote them, brought up to date as plain data.

Version 0.1.0 knew names and no roles. What its operations are taken to mean:

- A move without a name is the one's whose move it is: the round's dealer, the player of the spot, the linked system.
- A dealer's key (hand, position, UNDO) is the dealer's, whatever name it was pressed under.
- A supervisor's key, a back-out and an adjustment are a supervisor's when the name is not the dealer's; an executive's
  card is an executive's. Where the dealer's own name stands there, the house let the dealer confirm.
- ENTER on the bad-beat keypad was pressed under the supervisor's name. It becomes two operations: that supervisor
  verifies the win, and the dealer presses ENTER.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from round_engine.staff import BENCH_STAFF, Member, Staff, StaffRole
from round_engine.used_names import UsedNames

_DEALERS_KEYS = ("HAND", "POSITION", "UNDO")
_SIGNED = ("PressKey", "BackOut", "AdjustMeter")


class Upgrade:
    """Reads old operations in their order and gives new ones."""

    def __init__(self) -> None:
        self._dealer = ""
        self._keyed: dict[str, dict[str, Any]] = {}  # hand and position last keyed, by wager
        self._roles: dict[str, list[StaffRole]] = {}

    def operations(self, plain: Mapping[str, Any]) -> list[dict[str, Any]]:
        """One old operation as one or two new ones; postings of the old belong to the last of them."""
        new = dict(plain)
        kind = new.get("op")
        if kind == "OpenRound":
            self._dealer = str(new.get("dealer", ""))
            self._keyed = {}
            self._note(self._dealer, StaffRole.DEALER)
        if kind not in _SIGNED:
            return [new]
        by, key = str(new.get("by", "")), new.get("key")
        if kind == "PressKey":
            keyed = self._keyed.setdefault(str(new.get("wager")), {})
            if key == "HAND":
                keyed["hand"] = new.get("hand")
            elif key == "POSITION":
                keyed["spot"] = new.get("spot")
            if key in _DEALERS_KEYS:
                return [self._signed(new, self._dealer, StaffRole.DEALER)]
            if key == "ENTER" and by != self._dealer:
                verified = {"op": "VerifyWin", "wager": new.get("wager"), **keyed}
                return [
                    self._signed(verified, by, StaffRole.SUPERVISOR),
                    self._signed(new, self._dealer, StaffRole.DEALER),
                ]
        if by == self._dealer and kind != "AdjustMeter":
            return [self._signed(new, by, StaffRole.DEALER)]
        return [self._signed(new, by, StaffRole.EXECUTIVE if key == "EXECUTIVE CARD" else StaffRole.SUPERVISOR)]

    def staff(self) -> Staff:
        """Everybody who acted in what has been read, in the roles they are taken to have, beside the bench's staff."""
        members = {member.name: list(member.roles) for member in BENCH_STAFF.members}
        for name, roles in self._roles.items():
            held = members.setdefault(name, [])
            held += [role for role in roles if role not in held]
        return Staff(tuple(Member(name=name, roles=tuple(roles)) for name, roles in members.items()))

    def _signed(self, plain: dict[str, Any], by: str, role: StaffRole) -> dict[str, Any]:
        self._note(by, role)
        return plain | {"by": by, "role": role.value}

    def _note(self, name: str, role: StaffRole) -> None:
        held = self._roles.setdefault(name, [])
        if name and role not in held:
            held.append(role)


def upgrade(operations: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Old operations of one table, in their order, as new ones."""
    reading = Upgrade()
    return [new for old in operations for new in reading.operations(old)]


def agrees(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a state of format 1 says what a table's state, as plain data of format 2, says."""
    meters = [{key: value for key, value in meter.items() if key != "floor"} for meter in new["meters"]]
    told = {"format": 1, "meters": meters} | {key: new[key] for key in ("balances", "standing", "audit")}
    shuffles, last = UsedNames(new["shuffles"]), old.get("last_shuffle", "")
    return {key: value for key, value in old.items() if key != "last_shuffle"} == told and (
        last in shuffles or last == ""
    )


def upgraded_state(data: Mapping[str, Any]) -> dict[str, Any]:
    """A state of format 1 as one of format 2.

    It named its last shuffle only, and no staff: earlier shuffles and round ids are not known from it, and the staff is
    the bench's. A meter's floor of 0 is not known: the table takes the seed, or the meter where that is lower.
    """
    known = dict(data)
    shuffles = UsedNames()
    if last := known.pop("last_shuffle", ""):
        shuffles.add(str(last))
    staff = {member.name: [role.value for role in member.roles] for member in BENCH_STAFF.members}
    return known | {"format": 2, "staff": staff, "rounds": {}, "shuffles": shuffles.plain()}
