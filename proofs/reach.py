"""Which states a device goes through over the wire when it is asked for everything it can do."""

from collections import defaultdict

from firmware_sim.trouble_table import Trigger
from proofs.controller import NONCE
from proofs.table import Table, build
from protocol import messages as m
from protocol.vocabulary import DealState, InfeedState, Mode, PowerState, Role


def visited() -> dict[str, set[int]]:
    """The states of each machine that were seen, by the machine's name in the status."""
    table = Table(build("i-deal-style"))
    seen: dict[str, set[int]] = defaultdict(set)

    def look() -> bool:
        emulator = table.emulator
        if not emulator.is_on:
            seen["power"].add(PowerState.OFF)
            return False
        firmware = emulator.firmware
        for name, state in (
            ("power", firmware.power.state),
            ("infeed", firmware.infeed.state),
            ("deal", firmware.deal.state),
            ("round", firmware.deal.round_state),
            ("fault", firmware.desk.state),
            ("mode", firmware.mode.state),
        ):
            seen[name].add(state)
        return False

    def until(state: InfeedState | DealState) -> None:
        machine = "infeed" if isinstance(state, InfeedState) else "deal"

        def there() -> bool:
            look()
            return bool(getattr(table.emulator.firmware, machine).state is state)

        for _ in range(20_000):
            if there():
                return
            table.step()
        raise AssertionError(f"{machine} never got to {state.name}")

    look()
    table.play(lambda: look() or bool(table.of(m.PoweredUp)))
    table.do(m.Load())
    until(InfeedState.LOADED)
    table.do(m.VerifyDeck())
    until(InfeedState.LOADED)
    table.do(m.Sort())
    until(InfeedState.EMPTY)
    table.play(lambda: look() or table.emulator.firmware.mode.state is Mode.PLAY)
    table.prove(Role.TECHNICIAN)
    table.do(m.ServiceMode(on=True))
    look()
    table.do(m.ServiceMode(on=False))
    table.do(m.Load())
    until(InfeedState.LOADED)
    table.do(m.Shuffle(nonce=NONCE))
    until(DealState.READY)
    table.do(m.Load())  # the second deck, staged while the first is dealt
    until(InfeedState.LOADED)
    table.do(m.Shuffle(nonce=NONCE))
    until(InfeedState.STAGED)
    table.emulator.control.inject("door_open", Trigger(clear_after_us=1_000_000))  # the staged deck is counted anew
    until(InfeedState.RECOUNTING)
    rounds = len(table.controller.closed) + 2
    table.play(lambda: look() or len(table.controller.closed) >= rounds)
    table.emulator.control.inject("stray_card", Trigger(when="group=1"))
    until_misdealt = len(table.of(m.Misdealt)) + 1
    table.play(lambda: look() or len(table.of(m.Misdealt)) >= until_misdealt)
    look()
    table.emulator.switch_off(table.bench.now)
    look()
    table.emulator.switch_on(table.bench.now)
    look()
    return seen
