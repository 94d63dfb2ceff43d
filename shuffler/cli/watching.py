"""`shuffler emulate --verbose`: what each device shows and reports, a line each, as it happens."""

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from firmware_sim.program.firmware import Firmware
from firmware_sim.program.panel import Panel, panel_of
from protocol.messages import Event, FaultCleared, FaultRaised
from protocol.render.tables import shown_fields

if TYPE_CHECKING:
    from firmware_sim.ports.serving import Served

LOOK_S = 0.05  # how often a device that was switched off and on is looked for
LEFT_OUT = ("number", "time_ms", "opening", "nonce", "root")


class DeviceWatch:
    """One device: `look` is called after each step of its program and says what is new."""

    def __init__(self, served: "Served", say: Callable[[str], None]) -> None:
        self._emulator = served.emulator
        self._serial = served.place.build.serial
        self._say = say
        self._panel: Panel | None = None
        self._epoch = 0
        self._newest = 0
        self._was_on = True

    def attach(self) -> None:
        """Watch the program that runs now: after a power cut it is another one."""
        emulator = self._emulator
        if emulator.is_on != self._was_on:
            self._was_on = emulator.is_on
            self._tell("power is back" if emulator.is_on else "power is off")
        if emulator.is_on and self.look not in emulator.firmware.watchers:
            emulator.firmware.watchers.append(self.look)
            self.look(emulator.firmware)

    def look(self, firmware: Firmware) -> None:
        """Tell what the panel shows and which events were reported since the last step."""
        events = firmware.board.events
        if events.epoch != self._epoch:
            self._epoch, self._newest = events.epoch, 0
        if events.last > self._newest:
            for event in events.after(self._newest):
                self._tell(event_text(event))
            self._newest = events.last
        panel = panel_of(firmware)
        if panel != self._panel:
            self._panel = panel
            self._tell(panel_text(panel))

    def _tell(self, what: str) -> None:
        self._say(f"{time.strftime('%H:%M:%S')}  {self._serial}  {what}")


async def watch(served: "Sequence[Served]", say: Callable[[str], None]) -> None:
    """Until cancelled."""
    watches = [DeviceWatch(one, say) for one in served]
    while True:
        for one in watches:
            one.attach()
        await asyncio.sleep(LOOK_S)


def panel_text(panel: Panel) -> str:
    """Both lines and the lights."""
    lights = " ".join(name for name in ("green", "amber", "red") if getattr(panel, name))
    text = " / ".join(line for line in (panel.top, panel.bottom) if line)
    return f"panel   {text or 'dark'}{f'  [{lights}]' if lights else ''}"


def event_text(event: Event) -> str:
    """Its number, kind and fields; cards stay with the host that they were dealt to."""
    fields = {name: text for name, text in shown_fields(event).items() if name not in LEFT_OUT}
    head = "FAULT  " if isinstance(event, FaultRaised) else "mended " if isinstance(event, FaultCleared) else "event  "
    return f"{head} {event.number} {type(event).__name__} " + ", ".join(f"{name} {fields[name]}" for name in fields)
