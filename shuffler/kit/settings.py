"""What kind of device a test wants: profile, set-up, port, hands, speed, seed, keys. Checked before it is made."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

from firmware_sim.control import setup as setups
from firmware_sim.control.setup import Setup
from firmware_sim.errors import DeviceError
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.profile import Profile
from firmware_sim.program.firmware import Firmware
from firmware_sim.unit.emulator import Build
from protocol.roles import role_key
from protocol.vocabulary import Role
from shuffler.kit.errors import BadSettings

PORTS = ("tcp", "pty", "usbip", "memory")
HANDS = ("auto", "manual")
REAL_SPEED = 1000.0  # on a port of the operating system: a shuffle takes milliseconds, and nobody waits for motors
SPEED_MOST = 100_000.0
KEY_BYTES = 32
ROLES = {role.name.lower(): role for role in Role if role is not Role.DEALER}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceSettings:
    """One device to be."""

    profile: str | Profile = "i-deal-style"  # a name or a file
    setup: str | Setup | None = None  # a name, a file, or the TOML text itself
    port: str = "tcp"  # or pty, usbip, memory: both ends in this process, on a virtual clock
    seed: int | None = 1  # None: real randomness
    hands: str = "auto"  # or manual: nobody but the test touches the cards
    speed: float | None = None  # of the machine's clock; by default 1 in memory and fast on a real port
    serial: str = "KIT-1"
    key: bytes | None = None  # secure mode
    roles: Mapping[str, str] = field(default_factory=dict)  # {"supervisor": "the words that prove it"}
    program: type[Firmware] = Firmware  # another firmware where a test wants to see it caught

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From keyword arguments; an unknown one is refused with those there are."""
        return cls(**known(given, cls, "a device"))

    def __post_init__(self) -> None:
        """Refuse what can't be meant."""
        if self.port not in PORTS:
            raise BadSettings(f"port is one of {', '.join(PORTS)}, not {self.port!r}")
        if self.hands not in HANDS:
            raise BadSettings(f"hands are {' or '.join(HANDS)}, not {self.hands!r}")
        if self.seed is not None and (type(self.seed) is not int or not 0 <= self.seed < 1 << 63):
            raise BadSettings(f"seed is a whole number from 0 to 2^63 - 1, or None, not {self.seed!r}")
        if self.speed is not None and not 0 < self.speed <= SPEED_MOST:
            raise BadSettings(f"speed is above 0 and at most {SPEED_MOST:g}, not {self.speed!r}")
        if self.key is not None and len(self.key) != KEY_BYTES:
            raise BadSettings(f"key is {KEY_BYTES} bytes, not {len(self.key)}")
        if unknown := sorted(set(self.roles) - set(ROLES)):
            raise BadSettings(f"roles are {', '.join(ROLES)}, not {unknown[0]!r}")

    @property
    def in_memory(self) -> bool:
        """Whether both ends run in this process on a virtual clock."""
        return self.port == "memory"

    def build(self) -> Build:
        """How the device is put together; raises BadSettings where a profile or a set-up can't be used."""
        try:
            profile = profiles.load(self.profile) if isinstance(self.profile, str) else self.profile
            setup = _setup(self.setup)
            if setup is not None:
                profile = setup.adapt(profile)
        except DeviceError as problem:
            raise BadSettings(str(problem)) from None
        speed = self.speed if self.speed is not None else 1.0 if self.in_memory else REAL_SPEED
        build = Build(
            profile=profile, serial=self.serial, seed=self.seed, hands=self.hands, speed=speed, key=self.key,
            role_keys={ROLES[name]: role_key(words) for name, words in self.roles.items()}, setup=setup,
            program=self.program,
        )  # fmt: skip
        return replace(build, session_seed=self.seed) if self.in_memory else build


def known(given: Mapping[str, Any], kind: Any, what: str) -> dict[str, Any]:
    """Keyword arguments for a class of settings; an unknown one is refused with those there are."""
    names = [each.name for each in fields(kind)]
    if unknown := sorted(set(given) - set(names)):
        raise BadSettings(f"{what} has no setting {unknown[0]!r}; there are {', '.join(names)}")
    return dict(given)


def _setup(given: str | Setup | None) -> Setup | None:
    if not isinstance(given, str):
        return given
    return setups.parse("setup", given) if "\n" in given or "=" in given else setups.load(given)
