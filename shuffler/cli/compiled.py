"""The modules that the compiled build compiles (setup.py reads this table), and how many of them are compiled here.

What is here is pure and busy in every round. Left to Python are tables of data, for which compiling does nothing, and
what refuses a value by its type, as the engine refuses amounts that are no whole cents: compiled code takes True for 1.
"""

from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec

MODULES = (
    "firmware_sim.program.board",
    "firmware_sim.program.command_memory",
    "firmware_sim.program.deal",
    "firmware_sim.program.deck",
    "firmware_sim.program.effects",
    "firmware_sim.program.event_queue",
    "firmware_sim.program.firmware",
    "firmware_sim.program.groups",
    "firmware_sim.program.infeed",
    "firmware_sim.program.log",
    "firmware_sim.program.orders",
    "firmware_sim.program.recall",
    "firmware_sim.unit.device",
    "protocol.commitment",
    "protocol.device_link",
    "protocol.framing",
    "protocol.host_link",
    "protocol.link",
    "protocol.log_chain",
    "protocol.stream",
    "round_engine.round.course",
    "round_engine.round.settlement",
    "round_engine.round.state",
    "round_engine.staff.acting",
    "round_engine.staff.rights",
    "round_engine.table.table",
    "round_engine.wagers.paybook",
    "shuffler.host.session",
    "shuffler.table.asking",
    "shuffler.table.between_rounds",
    "shuffler.table.booked_round",
    "shuffler.table.checks",
    "shuffler.table.core",
    "shuffler.table.driver",
    "shuffler.table.head_notes",
    "shuffler.table.known_device",
    "shuffler.table.repeats",
    "shuffler.table.round_in_play",
    "shuffler.virtual.bench",
    "shuffler.virtual.table",
)


def compiled_modules() -> tuple[str, ...]:
    """Those of them that run as machine code in this installation."""
    return tuple(module for module in MODULES if _origin(module).endswith(tuple(EXTENSION_SUFFIXES)))


def build() -> str:
    """Which build this is, in words."""
    count = len(compiled_modules())
    return f"compiled: {count} of {len(MODULES)} modules" if count else "pure Python"


def _origin(module: str) -> str:
    spec = find_spec(module)
    return (spec.origin if spec is not None else None) or ""
