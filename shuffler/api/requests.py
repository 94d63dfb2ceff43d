"""What the API takes: each body as a model that refuses what it does not know."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from round_engine.keypads import DIALECTS
from round_engine.wagers import METERED, placed_names

Serial = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Whole64 = Annotated[int, Field(ge=0, le=2**63 - 1)]


def _one_of(names: Sequence[str]) -> Callable[[str], str]:
    def check(name: str) -> str:
        if name not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return name

    return check


PLACED, DIALECT_NAMES = placed_names(), tuple(DIALECTS)
PlacedWager = Annotated[str, AfterValidator(_one_of(PLACED)), Field(json_schema_extra={"enum": list(PLACED)})]
MeteredWager = Annotated[str, AfterValidator(_one_of(METERED)), Field(json_schema_extra={"enum": list(METERED)})]
Keypad = Annotated[str, AfterValidator(_one_of(DIALECT_NAMES)), Field(json_schema_extra={"enum": list(DIALECT_NAMES)})]


class Body(BaseModel):
    """Root of all bodies."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class NewDevice(Body):
    """A device to put on the bench."""

    serial: Serial | None = Field(None, description="Serial number; without one the next free of SB-0001, SB-0002 …")
    profile: str = Field("i-deal-style", max_length=64, description="A profile by name: GET /api/v1/profiles.")
    setup: str | None = Field(None, max_length=64, description="A set-up by name: GET /api/v1/setups.")
    setup_text: str | None = Field(None, max_length=65536, description="Or a set-up's text (TOML, docs/device.md).")
    seed: Whole64 | None = Field(None, description="Repeatable shuffles; the device says so on the wire.")
    hands: Literal["auto", "manual"] = Field("auto", description="auto: an emulated dealer; manual: nobody but you.")
    speed: float = Field(1.0, ge=0, le=100_000, description="How fast the machine's clock runs; 0: it stands.")
    tcp: bool = Field(True, description="Serve a TCP port on the loopback address.")
    pty: bool = Field(False, description="Serve a pseudo-terminal.")


class Restore(Body):
    """A device to go on from a snapshot; it is another one to every host: a new epoch, and its log says so."""

    snapshot: dict[str, Any] = Field(description="What GET …/snapshot gave.")
    serial: Serial | None = Field(None, description="Another serial number.")
    speed: float = Field(1.0, ge=0, le=100_000)
    tcp: bool = True
    pty: bool = False


# ------------------------------------------------------------------------------------------------------------- tables

MAX_CENTS = 100_000_000


class NewTable(Body):
    """A table to open on a device of the bench."""

    id: Serial | None = Field(None, description="The table's name; without one table-1, table-2 …")
    device: str = Field(max_length=64, description="The device's serial number.")
    rules: str = Field("light-and-wonder", max_length=64, description="A rule set: GET /api/v1/rule-sets.")
    sides: list[Annotated[str, Field(max_length=64)]] = Field(
        default_factory=list, max_length=4, description="Side wagers on the layout, such as bad-beat."
    )
    keypad: Keypad | None = Field(None, description="The progressive system, where the rules offer several.")


class SeatBody(Body):
    """Who sits on a seat, and what lies there."""

    kind: Literal["empty", "bot", "person"] = Field(description="bot: decides by itself; person: waits for you.")
    player: Annotated[str, Field(max_length=40)] = Field("", description="A name; players with one name share money.")
    strategy: str = Field("Q-6-4", max_length=16, description="How a bot decides: Q-6-4, always, never, random …")
    stakes: dict[PlacedWager, Annotated[int, Field(ge=0, le=MAX_CENTS)]] = Field(
        default_factory=dict, description="Cents on each circle; without it the usual ones."
    )


class DecisionBody(Body):
    """Play or fold."""

    spot: int = Field(ge=1, le=16)
    play: bool


class KeyBody(Body):
    """A key of a progressive's keypad, or a supervisor's verification of a win."""

    wager: MeteredWager
    key: str = Field(max_length=32, description="The key's label, or VERIFY for a supervisor's verification.")
    by: str = Field(max_length=40, description="Who presses it: a name of the staff.")
    hand: str | None = Field(None, max_length=32, description="For a hand button.")
    spot: int | None = Field(None, ge=1, le=16, description="For a position button.")


class StaffMember(Body):
    """One name and the roles it holds."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    roles: list[Literal["dealer", "supervisor", "executive", "system"]] = Field(min_length=1, max_length=4)


class StaffBody(Body):
    """Everybody who works at the table from now on."""

    members: list[StaffMember] = Field(min_length=1, max_length=40)
    by: str = Field("", max_length=40, description="Who says so: a supervisor; without it the table's own.")


class Misdeal(Body):
    """A misdeal called at the table."""

    reason: str = Field("called at the table", min_length=1, max_length=200)


class PaceBody(Body):
    """How the table goes; what is left out stays as it is."""

    deals: Literal["auto", "hand"] | None = Field(None, description="auto: after between_s; hand: POST …/deal.")
    between_s: float | None = Field(None, ge=0, le=3600)
    think_s: float | None = Field(None, ge=0, le=3600, description="How long a bot thinks.")
    keys: Literal["auto", "people"] | None = Field(None, description="people: somebody presses the keypad's keys.")


class Swap(Body):
    """The backup."""

    device: str = Field(max_length=64, description="The serial number of the device that takes over.")
    reason: str = Field("the shuffler is not fit", min_length=1, max_length=200)
