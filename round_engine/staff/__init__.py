"""Who works at a table, in which roles, and which role each move needs."""

from round_engine.staff.members import BENCH_STAFF, STAFF_ROLES, Member, Staff, StaffRole, staff_of

__all__ = ["BENCH_STAFF", "STAFF_ROLES", "Member", "Staff", "StaffRole", "staff_of"]
