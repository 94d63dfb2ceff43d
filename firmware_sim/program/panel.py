"""The front panel: what a dealer sees and can press. Texts and lights are this project's own, not a maker's."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from protocol import messages as m
from protocol.vocabulary import DealState, FaultState, InfeedState, Mode, PowerState, RoundState

if TYPE_CHECKING:
    from firmware_sim.program.firmware import Firmware


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Two lines of text, three lights, and the buttons that do something now."""

    top: str
    bottom: str
    green: bool = False  # ready, or take what lies in the tray
    amber: bool = False  # busy
    red: bool = False  # attention
    buttons: tuple[str, ...] = ()


BUTTONS: dict[str, m.Message | None] = {
    "OK": None,  # a fault's cause is gone
    "LOAD": m.Load(),
    "STUB": m.EjectStub(),
    "SORT": m.Sort(),
    "VERIFY": m.VerifyDeck(),
}

_P, _D, _I = PowerState, DealState, InfeedState

# fmt: off
POWER_TEXT = {
    _P.OFF:       ("", ""),
    _P.SELF_TEST: ("SELF-TEST", "PLEASE WAIT"),
}
MODE_TEXT = {
    Mode.SORT:        ("SORT MODE", "NOT FOR PLAY"),
    Mode.VERIFY_DECK: ("VERIFYING DECK", "PLEASE WAIT"),
    Mode.SERVICE:     ("SERVICE MODE", "NOT FOR PLAY"),
}
DEAL_TEXT = {
    _D.NO_DECK:         ("", ""),
    _D.READY:           ("READY", "DEALING: {left} GROUPS"),
    _D.DELIVERING:      ("DELIVERING", "GROUP {next} SEAT {seat}"),
    _D.GROUP_IN_TRAY:   ("REMOVE HAND {next}", "SEAT {seat}"),
    _D.DEALER_IN_TRAY:  ("REMOVE HAND {next}", "DEALER"),
    _D.STUB_INSIDE:     ("ALL HANDS OUT", "STUB INSIDE"),
    _D.STUB_DELIVERING: ("DELIVERING STUB", "PLEASE WAIT"),
    _D.STUB_IN_TRAY:    ("REMOVE STUB", "{tray} CARDS"),
    _D.MISDEALT:        ("MISDEAL", "RETURN ALL CARDS"),
}
INFEED_TEXT = {
    _I.EMPTY:     ("LOAD CARDS", ""),
    _I.LOADING:   ("LOADING", "PUT DECK IN INFEED"),
    _I.LOADED:    ("{count} CARDS IN", "READY TO SHUFFLE"),
    _I.SHUFFLING: ("SHUFFLING", "{count} CARDS"),
    _I.VERIFYING: ("VERIFYING", "PLEASE WAIT"),
    _I.STAGED:    ("NEXT DECK READY", ""),
    _I.SORTING:   ("SORTING", "NOT FOR PLAY"),
    _I.READING:   ("VERIFYING DECK", "PLEASE WAIT"),
    _I.RECOUNTING: ("COUNTING AGAIN", "PLEASE WAIT"),
}
# fmt: on

_TAKE = (_D.GROUP_IN_TRAY, _D.DEALER_IN_TRAY, _D.STUB_IN_TRAY)
_BUSY = (_D.DELIVERING, _D.STUB_DELIVERING)


def panel_of(firmware: "Firmware") -> Panel:
    """What the panel shows now: power first, then fault, mode, the deck in play, the coming deck."""
    if firmware.power.state is not PowerState.ON:
        top, bottom = POWER_TEXT[firmware.power.state]
        return Panel(top=top, bottom=bottom, amber=firmware.power.state is PowerState.SELF_TEST)
    desk = firmware.desk
    if desk.state is FaultState.RECOVERING:
        return Panel(top="RECOVERING", bottom="PLEASE WAIT", amber=True)
    if (row := desk.row) is not None:
        detail = desk.active[row.code]
        return Panel(top=row.panel + (f" {detail}" if detail else ""), bottom=row.cure, red=True, buttons=("OK",))
    if firmware.mode.state is not Mode.PLAY:
        top, bottom = MODE_TEXT[firmware.mode.state]
        return Panel(top=top, bottom=bottom, amber=True)
    if firmware.deal.state is not DealState.NO_DECK or firmware.deal.round_state is RoundState.DECIDING:
        return _deal_panel(firmware)
    infeed = firmware.infeed
    top, bottom = (line.format(count=infeed.count) for line in INFEED_TEXT[infeed.state])
    offered = {InfeedState.EMPTY: ("LOAD",), InfeedState.LOADED: ("SORT", "VERIFY")}.get(infeed.state, ())
    lacks = firmware.board.profile.messages.lacks
    buttons = tuple(button for button in offered if type(BUTTONS[button]).__name__ not in lacks)
    return Panel(
        top=top, bottom=bottom, green=infeed.state is InfeedState.LOADED, amber=infeed.moving, buttons=buttons
    )


def _deal_panel(firmware: "Firmware") -> Panel:
    deal = firmware.deal
    state = deal.state
    if state is DealState.NO_DECK:
        return Panel(top=f"ROUND {deal.kept.round}", bottom="PLAYERS DECIDE", green=True)
    group = deal.groups[deal.kept.group] if deal.kept.group < len(deal.groups) else None
    words = {
        "left": len(deal.groups) - deal.kept.group,
        "next": deal.kept.group + 1,
        "seat": group.seat if group is not None else "",
        "tray": deal.kept.tray,
    }
    top, bottom = (line.format(**words) for line in DEAL_TEXT[state])
    if state is DealState.READY and deal.round_state is RoundState.NO_ROUND:
        bottom = "PLACE BETS"
    can_eject = state is DealState.MISDEALT or (
        state in (DealState.READY, DealState.STUB_INSIDE) and deal.round_state is not RoundState.DEALING
    )
    return Panel(
        top=top,
        bottom=bottom,
        green=state in _TAKE or state is DealState.READY,
        amber=state in _BUSY,
        red=state is DealState.MISDEALT,
        buttons=("STUB",) if can_eject else (),
    )
