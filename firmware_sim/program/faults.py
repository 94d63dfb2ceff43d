"""The fault catalogue: one literal table of what can go wrong, what the sensors see of it, what the panel and the wire
say, how it is cleared, and what becomes of the cards. The texts are this project's own, not a maker's."""

from dataclasses import dataclass
from enum import Enum

from firmware_sim.machine.signals import Sign
from protocol.vocabulary import Cleared, FaultCode, Place


class After(Enum):
    """What becomes of the work that the fault interrupted."""

    RESUMES = "the interrupted motion goes on"
    RESTARTS = "the interrupted pass begins anew; a shuffle draws afresh"
    RECOUNTS = "the deck is given back, taken in and counted anew"
    VOIDS = "an open round is void; decks inside must be shuffled anew"
    DELIVERY = "a delivery that was interrupted is a misdeal; all else goes on"
    NONE = "nothing was interrupted"


class Test(Enum):
    """What must be seen before the fault may be called cleared."""

    PATH = "the card path is free"
    DOOR = "the door is closed"
    TRAY = "the output tray is empty"
    SENSOR = "the tray sensor follows its test lamp"
    HEAT = "the temperature is back in its range"
    SOURCE = "the random source passes its health test"
    PARTS = "the self-test passes"
    EVENTS = "the host has acknowledged events"
    INSIDE = "no card is left inside"
    CLOCK = "the calendar has been set"
    MEMORY = "the memory can be written"
    NOTHING = "nothing to be sensed"


@dataclass(frozen=True, slots=True)
class Fault:
    """One row."""

    code: FaultCode
    place: Place
    sensed: str
    panel: str
    wire: str
    clears: tuple[Cleared, ...]
    test: Test
    after: After
    cure: str
    takes_time: bool = True  # the machine runs its motors free before it goes on
    holds: bool = True  # False: known by its traces, never raised as a fault that holds the machine
    sign: Sign | None = None  # how a pass ends that shows it

    @property
    def cause(self) -> str:
        """What is wrong, in a few words."""
        return self.code.meaning


BROWN_OUTS = 3  # in a row are a loop

_F, _P, _C = FaultCode, Place, Cleared
_SELF, _DEAL, _HOST, _CYCLE = Cleared
_HAND = (_DEAL, _HOST)  # the dealer's OK button, or ClearFault
_RAISED = "FaultRaised, then FaultCleared"

# fmt: off
CATALOGUE: tuple[Fault, ...] = (
    Fault(_F.JAM_FEEDER, _P.FEEDER, "the feed roller turns, no card edge arrives, retries used up",
          "JAM IN FEEDER", _RAISED + "; detail: cards taken in", _HAND, Test.PATH, After.RESTARTS, "free the card in the feeder, then press OK", sign=Sign.NO_EDGE_FEEDER),
    Fault(_F.JAM_TRANSPORT, _P.TRANSPORT, "no card edge at the transport, retries used up",
          "JAM IN TRANSPORT", _RAISED + "; detail: cards moved", _HAND, Test.PATH, After.RESTARTS, "open the door, free the card, close the door, press OK", sign=Sign.NO_EDGE_TRANSPORT),
    Fault(_F.JAM_COMPARTMENT, _P.COMPARTMENT, "no card edge at the compartment, retries used up",
          "JAM IN COMPARTMENT", _RAISED + "; detail: cards moved", _HAND, Test.PATH, After.RESTARTS, "open the door, free the card, close the door, press OK", sign=Sign.NO_EDGE_COMPARTMENT),
    Fault(_F.JAM_EXIT, _P.EXIT, "no card edge at the exit, retries used up",
          "JAM AT EXIT", _RAISED + "; detail: cards of this delivery", _HAND, Test.PATH, After.RESUMES, "free the card at the exit from outside, then press OK", sign=Sign.NO_EDGE_EXIT),
    Fault(_F.DOUBLE_FEED, _P.FEEDER, "thicker than one card; not seen where the profile has no such sensor, and then as a short count",
          "TWO CARDS AT ONCE", _RAISED + "; on delivery Misdealt", _HAND, Test.NOTHING, After.RECOUNTS, "square the deck in the infeed tray, then press OK", sign=Sign.THICK),
    Fault(_F.NO_FEED, _P.FEEDER, "the roller turns, the card stays, retries used up",
          "CARDS DO NOT FEED", _RAISED + "; detail: cards taken in", _HAND, Test.PATH, After.RESTARTS, "lay the deck in again, then press OK", sign=Sign.SLIPPING),
    Fault(_F.SHORT_DECK, _P.FEEDER, "fewer cards counted than the game's deck has",
          "TOO FEW CARDS", _RAISED + "; detail: cards counted", _HAND, Test.NOTHING, After.RECOUNTS, "put a full deck into the infeed tray, then press OK"),
    Fault(_F.LONG_DECK, _P.FEEDER, "more cards counted than the game's deck has",
          "TOO MANY CARDS", _RAISED + "; detail: cards counted", _HAND, Test.NOTHING, After.RECOUNTS, "put a proper deck into the infeed tray, then press OK"),
    Fault(_F.DUPLICATE_CARD, _P.READER, "a face read more often than the deck has it; not seen without a reader",
          "CARD TWICE IN DECK", _RAISED + "; on delivery Misdealt", _HAND, Test.NOTHING, After.RECOUNTS, "put a proper deck into the infeed tray, then press OK"),
    Fault(_F.FOREIGN_CARD, _P.READER, "a face that the game's deck does not have; not seen without a reader",
          "WRONG CARD IN DECK", _RAISED + "; on delivery Misdealt", _HAND, Test.NOTHING, After.RECOUNTS, "put a proper deck into the infeed tray, then press OK"),
    Fault(_F.UNREADABLE_CARD, _P.READER, "the reader makes nothing of it; not seen without a reader",
          "CARD NOT READABLE", _RAISED + "; detail: how many", _HAND, Test.NOTHING, After.RECOUNTS, "replace the worn card, lay the deck in, then press OK"),
    Fault(_F.FACE_UP_CARD, _P.READER, "the reader sees a back where the face belongs; not seen without a reader",
          "CARD FACE UP", _RAISED + "; on delivery CardExposed", _HAND, Test.NOTHING, After.RECOUNTS, "turn the card over, lay the deck in, then press OK"),
    Fault(_F.WRONG_BACK, _P.READER, "another back; seen by profiles with a sensor for backs alone",
          "WRONG BACK", _RAISED + "; detail: how many", _HAND, Test.NOTHING, After.RECOUNTS, "take out the card of the other deck, lay the deck in, then press OK"),
    Fault(_F.CARD_LEFT_IN_TRAY, _P.TRAY, "the tray is occupied when it should be empty",
          "CLEAR THE TRAY", _RAISED, (_DEAL,), Test.TRAY, After.RESUMES, "take all cards from the output tray", takes_time=False),
    Fault(_F.GROUP_REMOVED_SHORT, _P.TRAY, "a hand was in the tray and it is still occupied",
          "TAKE ALL CARDS", _RAISED + ", then GroupRemoved", (_DEAL,), Test.TRAY, After.RESUMES, "take the rest of the group from the output tray", takes_time=False),
    Fault(_F.CARD_PUT_BACK, _P.TRAY, "the empty tray became occupied",
          "TAKE CARD BACK", _RAISED, (_DEAL,), Test.TRAY, After.RESUMES, "take the card from the output tray", takes_time=False),
    Fault(_F.EARLY_GRAB, _P.TRAY, "a hand in the tray during a delivery",
          "WAIT FOR GREEN", _RAISED + "; detail: cards delivered so far", _HAND, Test.NOTHING, After.RESUMES, "keep hands off the tray and press OK; the rest of the group follows", takes_time=False),
    Fault(_F.DOOR_OPEN, _P.DOOR, "the door switch",
          "DOOR OPEN", "DoorMoved and FaultRaised; Misdealt where a round was being dealt", (_SELF,), Test.DOOR, After.VOIDS, "close the door"),
    Fault(_F.TRAY_SENSOR_STUCK, _P.TRAY, "it does not follow its own test lamp",
          "TRAY SENSOR", _RAISED, _HAND, Test.SENSOR, After.RESUMES, "clean the tray sensor, then press OK; call for service if it comes back"),
    Fault(_F.MOTOR_STALL, _P.MOTOR, "current without movement",
          "MOTOR STALLED", _RAISED + "; detail: cards moved", _HAND, Test.PATH, After.RESTARTS, "press OK; call for service if it comes back", sign=Sign.STALLED),
    Fault(_F.OVER_TEMPERATURE, _P.MOTOR, "the thermostat",
          "TOO HOT - WAIT", _RAISED, (_SELF,), Test.HEAT, After.RESTARTS, "let the machine cool down; it goes on by itself"),
    Fault(_F.RANDOM_SOURCE, _P.RANDOM, "repetition count or adaptive proportion test",
          "RANDOM SOURCE", _RAISED, (_HOST, _CYCLE), Test.SOURCE, After.RESTARTS, "switch off and on; call for service if it comes back"),
    Fault(_F.MEMORY_CORRUPT, _P.MEMORY, "a record in its middle fails its checksum at power-up",
          "MEMORY ERROR", "a new epoch, PoweredUp, FaultRaised; the round is gone and void", (_HOST,), Test.NOTHING, After.VOIDS, "have a supervisor clear the fault: what was remembered is lost"),
    Fault(_F.CLOCK_LOST, _P.CLOCK, "the calendar is not set at power-up",
          "SET THE CLOCK", _RAISED, (_HOST,), Test.CLOCK, After.NONE, "set the time", takes_time=False),
    Fault(_F.POWER_CUT, _P.POWER, "nothing while it is dark; the open state in memory at power-up",
          "(dark)", "the link falls silent; then PoweredUp with what became of the round", (_CYCLE,), Test.NOTHING, After.DELIVERY, "nothing to do once the power is back", holds=False),
    Fault(_F.CABLE_PULLED, _P.CABLE, "nothing: the machine goes on; the link is down",
          "(as before)", "the link falls silent; after it is back all unacknowledged events come again", (_SELF,), Test.NOTHING, After.NONE, "put the cable back", holds=False),
    Fault(_F.BROWN_OUT_LOOP, _P.POWER, "three brown-outs, none with half a minute of running between",
          "POWER UNSTABLE", "PoweredUp with BROWN_OUT each time, FaultRaised the third", _HAND, Test.NOTHING, After.RESTARTS, "check the power supply, then press OK"),
    Fault(_F.EVENTS_FULL, _P.MEMORY, "the event memory is nearly full",
          "HOST NOT LISTENING", _RAISED, (_SELF,), Test.EVENTS, After.RESUMES, "acknowledge events; the machine goes on by itself", takes_time=False),
    Fault(_F.CARDS_LEFT_INSIDE, _P.COMPARTMENT, "presence where memory says there is none, at power-up or when the door closes",
          "CARDS INSIDE", _RAISED, _HAND, Test.INSIDE, After.NONE, "open the door, take the cards out, close the door, press OK"),
    Fault(_F.SELF_TEST_FAILED, _P.READER, "the self-test at power-up or on command",
          "SELF-TEST FAILED", _RAISED + "; SelfTestResult", (_HOST, _CYCLE), Test.PARTS, After.RESTARTS, "call for service; the fault clears once the self-test passes"),
    Fault(_F.MEMORY_FULL, _P.MEMORY, "a write to the memory fails: its disk is full or broken",
          "MEMORY FULL", "Status at once; when it can be written again, FaultRaised, FaultCleared and what was held back", (_SELF,), Test.MEMORY, After.RESUMES, "make room where the memory lies; the machine goes on by itself"),
)
# fmt: on

BY_CODE: dict[FaultCode, Fault] = {fault.code: fault for fault in CATALOGUE}
BY_SIGN: dict[Sign, FaultCode] = {fault.sign: fault.code for fault in CATALOGUE if fault.sign is not None}
