"""What the API takes: each body as a model that refuses what it does not know."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from firmware_sim.control.setup import DAY_S, MAX_CARD, MAX_TIMES

Serial = Annotated[str, Field(min_length=1, max_length=32, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
CARDS_MAX = 4000
Whole64 = Annotated[int, Field(ge=0, le=2**63 - 1)]


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


class PowerBody(Body):
    """The power switch."""

    on: bool = Field(description="false switches off and leaves it off.")


class CableBody(Body):
    """The data cable."""

    plugged: bool = Field(description="false pulls it and leaves it out.")


class Door(Body):
    """The door."""

    open: bool


class Button(Body):
    """A button of the front panel."""

    button: Literal["OK", "LOAD", "STUB", "SORT", "VERIFY"]


class HandBody(Body):
    """Something that hands do with the cards."""

    action: Literal["lay_in", "take_from_infeed", "lift", "put_back", "draw", "gather", "empty_inside"] = Field(
        description="lay_in: cards from beside the machine into the feeder; take_from_infeed: out of it; lift: from the"
        " output tray; put_back: into it; draw: out of the exit unasked; gather: from the table; empty_inside: through"
        " the open door."
    )
    count: int | None = Field(None, ge=1, le=CARDS_MAX, description="How many, for lift, put_back and draw.")
    cards: list[Annotated[int, Field(ge=0, le=10**6)]] | None = Field(
        None, max_length=CARDS_MAX, description="Which, for lay_in, by id (GET …/truth); without it all."
    )


class Injection(Body):
    """Something to go wrong, and when; at once where no trigger is given."""

    name: str = Field(max_length=64, description="A name of the catalogue: GET /api/v1/injections.")
    at_card: int | None = Field(None, ge=1, le=MAX_CARD, description="At the n-th card of a pass.")
    at_s: float | None = Field(None, ge=0, le=DAY_S, description="At a time of the machine's clock.")
    when: str | None = Field(None, max_length=64, description="NAME=VALUE of the status, or event=NAME.")
    rate: float | None = Field(None, ge=0, le=1, description="With this chance at each occasion.")
    times: int = Field(1, ge=0, le=MAX_TIMES, description="How often; 0: again and again.")
    clear_after_s: float | None = Field(None, ge=0, le=DAY_S, description="Mends itself so long after it struck.")
    by_hand: bool = Field(False, description="Not even an emulated dealer mends it.")
    retries: int | None = Field(None, ge=0, le=MAX_TIMES, description="A jam that gives way after so many tries.")
    value: bool | None = None
    level: float | None = Field(None, ge=0, le=1)
    position: int | None = Field(None, ge=0, le=MAX_CARD)
    face: str | int | None = Field(None, description="A card by name or number, where the injection takes one.")


class RigDeck(Body):
    """The first cards of the next deck."""

    order: str | list[Annotated[int, Field(ge=0, le=255)]] = Field(
        description='"Q♠ K♠ As 10h" or numbers 0 … 52; the rest as drawn.', max_length=CARDS_MAX
    )


class RigHands(Body):
    """Hands of the next deck by seat."""

    hands: dict[str, str] = Field(description='{"2": "Qs Ks As", "dealer": "2c 4d 7h"}', max_length=17)
    seats: list[Annotated[int, Field(ge=1, le=16)]] | None = Field(
        None, max_length=16, description="The seats that the round is dealt to; without it all."
    )


class Wear(Body):
    """Imperfections of the shuffling mechanism; an empty object mends it."""

    mechanism: dict[str, Any] = Field(max_length=16, description='{"sticky": 0.05}: the kernel\'s own names.')


class Clock(Body):
    """How fast the machine's clock runs."""

    rate: float = Field(ge=0, le=100_000, description="Times as fast as a real one; 0 pauses it.")


class Step(Body):
    """Things to let happen."""

    count: int = Field(1, ge=1, le=10_000)


class Advance(Body):
    """Time to let pass at once."""

    seconds: float = Field(ge=0, le=DAY_S)


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
    keypad: Literal["game-manager", "nexus"] | None = Field(
        None, description="The progressive system, where the rules offer several."
    )


class SeatBody(Body):
    """Who sits on a seat, and what lies there."""

    kind: Literal["empty", "bot", "person"] = Field(description="bot: decides by itself; person: waits for you.")
    player: Annotated[str, Field(max_length=40)] = Field("", description="A name; players with one name share money.")
    strategy: str = Field("Q-6-4", max_length=16, description="How a bot decides: Q-6-4, always, never, random …")
    stakes: dict[Literal["ante", "pair_plus", "six_card_bonus", "progressive", "bad_beat"],
                 Annotated[int, Field(ge=0, le=MAX_CENTS)]] = Field(
        default_factory=dict, description="Cents on each circle; without it the usual ones."
    )  # fmt: skip


class DecisionBody(Body):
    """Play or fold."""

    spot: int = Field(ge=1, le=16)
    play: bool


class KeyBody(Body):
    """A key of a progressive's keypad, or a supervisor's verification of a win."""

    wager: Literal["progressive", "bad_beat"]
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
