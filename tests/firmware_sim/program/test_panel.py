"""The front panel: a text for every state and every fault, lights that mean one thing, buttons that do something."""

import pytest
from device_support import NONCE, begun, dealt, loaded, powered, ready

from firmware_sim.machine import profile as profiles
from firmware_sim.machine.signals import PanelCall
from firmware_sim.program.faults import CATALOGUE
from firmware_sim.program.panel import BUTTONS, DEAL_TEXT, INFEED_TEXT, MODE_TEXT, POWER_TEXT, Panel
from proofs.bare import Bare
from protocol import messages as m
from protocol.vocabulary import DealState, FaultCode, InfeedState, Mode, PowerState, Role, RoundState


def test_every_state_has_a_text() -> None:
    assert set(DEAL_TEXT) == set(DealState)
    assert set(INFEED_TEXT) == set(InfeedState)
    assert set(MODE_TEXT) == set(Mode) - {Mode.PLAY}
    assert set(POWER_TEXT) == set(PowerState) - {PowerState.ON}


def test_while_it_tests_itself_it_says_so() -> None:
    device = Bare(profiles.load("i-deal-style"))
    assert device.control.panel() == Panel(top="SELF-TEST", bottom="PLEASE WAIT", amber=True)


def test_the_way_of_a_deck_as_a_dealer_sees_it() -> None:
    device = powered()
    seen: list[tuple[str, str, str]] = []

    def look() -> None:
        panel = device.control.panel()
        lights = "".join(name[0] for name in ("green", "amber", "red") if getattr(panel, name))
        if not seen or seen[-1] != (panel.top, panel.bottom, lights):
            seen.append((panel.top, panel.bottom, lights))

    def until(state: DealState | InfeedState | RoundState) -> None:
        def there() -> bool:
            look()
            deal, infeed = device.firmware.deal, device.firmware.infeed
            return any(state is found for found in (deal.state, infeed.state, deal.round_state))

        assert device.run(there)

    look()
    device.do(m.Load())
    until(InfeedState.LOADED)
    device.do(m.Shuffle(nonce=NONCE))
    until(DealState.READY)
    device.do(m.BeginRound(round=1, seats=0b10))
    look()
    device.do(m.DealGroup(round=1, groups=0))
    until(RoundState.DECIDING)
    device.do(m.EjectStub())
    until(DealState.NO_DECK)
    look()
    assert seen == [
        ("LOAD CARDS", "", ""),
        ("LOADING", "PUT DECK IN INFEED", "a"),
        ("52 CARDS IN", "READY TO SHUFFLE", "g"),
        ("SHUFFLING", "52 CARDS", "a"),
        ("VERIFYING", "PLEASE WAIT", ""),
        ("READY", "PLACE BETS", "g"),
        ("READY", "DEALING: 2 GROUPS", "g"),
        ("DELIVERING", "GROUP 1 SEAT 2", "a"),
        ("REMOVE HAND 1", "SEAT 2", "g"),
        ("DELIVERING", "GROUP 2 SEAT 0", "a"),
        ("REMOVE HAND 2", "DEALER", "g"),
        ("ALL HANDS OUT", "STUB INSIDE", ""),
        ("DELIVERING STUB", "PLEASE WAIT", "a"),
        ("REMOVE STUB", "46 CARDS", "g"),
        ("ROUND 1", "PLAYERS DECIDE", "g"),
    ]


@pytest.mark.parametrize("row", [row for row in CATALOGUE if row.holds], ids=lambda row: row.code.name)
def test_a_fault_is_shown_in_red_with_its_number_and_its_cure_before_anything_else(row) -> None:
    device = begun(hands="auto")
    device.firmware.raise_fault(row.code, 51)
    panel = device.control.panel()
    assert panel == Panel(top=f"{row.panel} 51", bottom=row.cure, red=True, buttons=("OK",))
    device.firmware.mode.state = Mode.SERVICE
    assert device.control.panel() == panel


def test_while_it_recovers_it_asks_for_patience() -> None:
    device = powered(hands="manual")
    device.firmware.raise_fault(FaultCode.JAM_EXIT)
    device.control.press("OK")
    device.step()
    assert device.control.panel() == Panel(top="RECOVERING", bottom="PLEASE WAIT", amber=True)


def test_a_misdeal_is_red_and_asks_for_all_cards() -> None:
    device = dealt()
    device.do(m.VoidRound(round=1))
    panel = device.control.panel()
    assert (panel.top, panel.bottom, panel.red, panel.buttons) == ("MISDEAL", "RETURN ALL CARDS", True, ("STUB",))


def test_the_modes_say_that_they_are_not_for_play() -> None:
    device = powered()
    device.do(m.ServiceMode(on=True), Role.TECHNICIAN)
    assert device.control.panel() == Panel(top="SERVICE MODE", bottom="NOT FOR PLAY", amber=True)
    sorting = loaded()
    sorting.do(m.Sort())
    assert sorting.control.panel() == Panel(top="SORT MODE", bottom="NOT FOR PLAY", amber=True)


@pytest.mark.parametrize(
    ("before", "buttons"),
    [(powered, ("LOAD",)), (loaded, ("SORT", "VERIFY")), (ready, ("STUB",)), (begun, ()), (dealt, ("STUB",))],
    ids=["on", "loaded", "ready", "begun", "dealt"],
)
def test_a_button_is_offered_only_where_it_would_be_taken(before, buttons: tuple[str, ...]) -> None:
    device = before()
    assert device.control.panel().buttons == buttons
    for name, command in BUTTONS.items():
        if command is not None:
            accepted = before().do(command) == m.Done()
            assert accepted or name not in buttons


def test_no_button_is_offered_that_the_profile_lacks() -> None:
    assert loaded("ace-style").control.panel().buttons == ("VERIFY",)


def test_the_lights_call_for_what_the_panel_says() -> None:
    device = begun(seats=1, hands="auto")
    device.do(m.DealGroup(round=1, groups=0))
    device.run_until(m.GroupReady)
    assert device.machine.people.asked.call is PanelCall.TAKE_GROUP
    device.control.inject("door_open")
    device.step()
    assert device.machine.people.asked.call is PanelCall.ATTEND
    assert device.machine.people.asked.attention is FaultCode.DOOR_OPEN
