"""The USB device: its states, its queues of transfers, and how they end. Pure: transfers in, completions out.

A host side (USB/IP, the pyusb backend, a test) calls `attach`, `submit`, `unlink`, `poll`, drains `take_completions`
and calls `detach`; `on_activity` tells it that a `poll` may move something. Nothing here waits: an IN transfer without
data and an OUT transfer without room stay pending, which is what NAK means on a real bus.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from firmware_sim.ports.usb.acm import AcmFunction, SerialState
from firmware_sim.ports.usb.control import answer
from firmware_sim.ports.usb.descriptors import (
    DATA_IN_ENDPOINT,
    DATA_OUT_ENDPOINT,
    NOTIFICATION_ENDPOINT,
    EndpointShape,
    endpoint_shapes,
)
from firmware_sim.ports.usb.events import (
    Attached,
    Configured,
    Detached,
    EndpointCleared,
    EndpointHalted,
    RequestStalled,
    Resumed,
    Suspended,
    UsbEvent,
    WasReset,
)
from firmware_sim.ports.usb.identity import UsbIdentity
from firmware_sim.ports.usb.pipe import BytePipe
from protocol.usb.errors import DeviceBusy, LocalUsbError
from protocol.usb.requests import SetupPacket
from protocol.usb.transfers import Completion, Transfer, TransferId, UrbStatus

# Linux's cdc_acm keeps 16 reads, 16 writes and one notification pending; libusb programs rarely more than a few dozen.
PENDING_MAX = 1024
PENDING_OUT_BYTES_MAX = 8 * 1024 * 1024
HISTORY_LENGTH = 256


@dataclass(frozen=True, kw_only=True)
class TransferSeen:
    """What a tap sees: a transfer going in, or (with its completion) coming out."""

    transfer: Transfer
    completion: Completion | None


class UsbDevice:
    """One emulated device with a serial port in it, whoever the host is."""

    def __init__(self, identity: UsbIdentity, pipe: BytePipe) -> None:
        self.identity = identity
        self.function = AcmFunction(pipe=pipe)
        self.attached = False
        self.suspended = False
        self.address = 0
        self.configuration = 0
        self.remote_wakeup = False
        self.halted: set[int] = set()
        self.history: deque[UsbEvent] = deque(maxlen=HISTORY_LENGTH)
        self.on_activity: Callable[[], None] = _nobody
        self.restless = False  # whether the pipe has stirred since the last `poll` began
        self.tap: Callable[[TransferSeen], None] | None = None
        self._shapes = endpoint_shapes(identity.speed)
        self._queues: dict[int, deque[Transfer]] = {address: deque() for address in self._shapes}
        self._outs, self._ins = self._queues[DATA_OUT_ENDPOINT], self._queues[DATA_IN_ENDPOINT]
        self._notifications = self._queues[NOTIFICATION_ENDPOINT]
        self._pending: dict[TransferId, Transfer] = {}
        self._pending_out_bytes = 0
        self._moved = 0  # bytes already moved of the transfer at the head of the OUT queue
        self._completions: list[Completion] = []
        pipe.on_ready(self._stirred)

    # ---- the cable ---------------------------------------------------------------------------------------------------

    def attach(self) -> None:
        """A host takes the device: power, default state."""
        if self.attached:
            raise DeviceBusy(f"device {self.identity.serial} has a host already")
        self.attached = True
        self._completions.clear()  # those of the last host, who no longer asks
        self.note(Attached())

    def detach(self) -> None:
        """The host lets go or the cable is pulled: every pending transfer ends, the port closes."""
        if self.attached:
            self._default_state()
            self.attached = False
            self.note(Detached())

    def reset(self) -> None:
        """A bus reset: back to the default state, port closed."""
        self._default_state()
        self.note(WasReset())

    def suspend(self) -> None:
        """The bus goes quiet: transfers stay pending until it wakes."""
        if self.attached and not self.suspended:
            self.suspended = True
            self.note(Suspended())

    def resume(self) -> None:
        """The host wakes the bus."""
        self._wake(by_device=False)

    def _wake(self, *, by_device: bool) -> None:
        if self.suspended:
            self.suspended = False
            self.note(Resumed(by_device=by_device))
            self.poll()

    def _default_state(self) -> None:
        self.suspended = False
        self.address = 0
        self.remote_wakeup = False
        self._leave_configuration()
        self.configuration = 0
        self.function.reset()

    def _leave_configuration(self) -> None:
        for address in self._queues:
            self._end_all(address, UrbStatus.SHUT_DOWN)
        self.halted.clear()

    # ---- what requests do --------------------------------------------------------------------------------------------

    def set_configuration(self, value: int) -> None:
        """Enter or leave the one configuration; the port starts closed."""
        self._leave_configuration()
        self.configuration = value
        self.function.reset()
        self.note(Configured(value=value))

    def set_interface(self, number: int) -> None:
        """Choose the only alternate setting again: halts of the interface are cleared (USB 2.0, 9.4.10)."""
        self.halted -= {address for address, shape in self._shapes.items() if shape.interface == number}

    def shape(self, address: int) -> EndpointShape | None:
        """The endpoint at `address`, when it exists in the active configuration."""
        return self._shapes.get(address) if self.configuration != 0 else None

    def halt(self, address: int) -> bool:
        """Stall an endpoint from here on; False where there is none."""
        if self.shape(address) is None:
            return False
        self.halted.add(address)
        self.note(EndpointHalted(endpoint=address))
        self._end_all(address, UrbStatus.STALLED)
        return True

    def clear_halt(self, address: int) -> bool:
        """Let an endpoint go on; False where there is none."""
        if self.shape(address) is None:
            return False
        self.halted.discard(address)
        self.note(EndpointCleared(endpoint=address))
        return True

    def set_serial_state(self, state: SerialState) -> None:
        """What the device wants the host to know of carrier, ready, break, ring and errors."""
        self.function.set_state(state)
        self._stirred()

    def note(self, event: UsbEvent) -> None:
        """Remember what happened."""
        self.history.append(event)

    # ---- transfers ---------------------------------------------------------------------------------------------------

    def submit(self, transfer: Transfer) -> None:
        """Queue a transfer; it ends in `take_completions`, now or later."""
        if transfer.id in self._pending:
            raise LocalUsbError(f"transfer {transfer.id} is pending already")
        if self.tap is not None:
            self.tap(TransferSeen(transfer=transfer, completion=None))
        if not self.attached:
            return self._complete(transfer, UrbStatus.SHUT_DOWN)
        if self.suspended:
            self._wake(by_device=False)
        if transfer.endpoint & 0x7F == 0:
            return self._control(transfer)
        if self.configuration == 0 or transfer.endpoint not in self._queues:
            return self._complete(transfer, UrbStatus.NO_ENDPOINT)
        if transfer.endpoint in self.halted:
            return self._complete(transfer, UrbStatus.STALLED)
        out_bytes = self._pending_out_bytes + len(transfer.data)
        if len(self._pending) >= PENDING_MAX or out_bytes > PENDING_OUT_BYTES_MAX:
            return self._complete(transfer, UrbStatus.NO_MEMORY)
        self._pending[transfer.id] = transfer
        self._pending_out_bytes = out_bytes
        self._queues[transfer.endpoint].append(transfer)
        return self.poll()

    def unlink(self, transfer_id: TransferId) -> Completion | None:
        """Take back a pending transfer: its end, with what had been moved; None when it is not pending."""
        transfer = self._pending.get(transfer_id)
        if transfer is None:
            return None
        queue = self._queues[transfer.endpoint]
        moved = self._moved if transfer.endpoint == DATA_OUT_ENDPOINT and queue[0] is transfer else 0
        if moved:
            self._moved = 0
        queue.remove(transfer)
        self._forget(transfer)
        completion = Completion(id=transfer_id, status=UrbStatus.UNLINKED, actual=moved)
        if self.tap is not None:
            self.tap(TransferSeen(transfer=transfer, completion=completion))
        return completion

    @property
    def pending(self) -> int:
        """How many transfers wait."""
        return len(self._pending)

    def take_completions(self) -> list[Completion]:
        """Transfers that ended since the last call, in order."""
        taken, self._completions = self._completions, []
        return taken

    def poll(self) -> None:
        """Move what can be moved between pipe and endpoints."""
        self.restless = False
        if not self.attached or self.configuration == 0:
            return
        if self.suspended:
            self.function.fill(1)
            if not (self.remote_wakeup and self.function.waiting):
                return
            self.suspended = False
            self.note(Resumed(by_device=True))
        self.function.hand_on()
        if self._outs:
            self._pump_out()
        if self._ins:
            self._pump_in()
        if self._notifications:
            self._pump_notifications()

    # ---- endpoints ---------------------------------------------------------------------------------------------------

    def _control(self, transfer: Transfer) -> None:
        if transfer.setup is None:
            raise LocalUsbError("a transfer on endpoint zero needs its setup packet")
        setup = SetupPacket.parse(transfer.setup)
        room = transfer.length if setup.is_in else setup.length
        reply = answer(self, setup, transfer.data[: setup.length])
        if reply is None or (setup.is_in and not transfer.is_in and setup.length > 0):
            self.note(RequestStalled(setup=setup))
            return self._complete(transfer, UrbStatus.STALLED)
        reply = reply[:room]
        if setup.is_in:
            short = transfer.short_not_ok and len(reply) < transfer.length
            self._complete(transfer, UrbStatus.TOO_SHORT if short else UrbStatus.OK, len(reply), reply)
        else:
            self._complete(transfer, UrbStatus.OK, setup.length)
        return self.poll()

    def _pump_out(self) -> None:
        queue = self._outs
        while queue:
            head = queue[0]
            if self._moved < len(head.data):
                taken = self.function.accept(head.data[self._moved :] if self._moved else head.data)
                self._moved += taken
                if taken == 0:
                    return
            if self._moved == len(head.data):
                queue.popleft()
                self._moved = 0
                self._complete(head, UrbStatus.OK, len(head.data))

    def _pump_in(self) -> None:
        queue = self._ins
        size = self._shapes[DATA_IN_ENDPOINT].max_packet
        while queue and (sent := self.function.packets(queue[0].length, size)) is not None:
            self._complete_in(queue.popleft(), sent.data, overflows=sent.overflows)

    def _pump_notifications(self) -> None:
        queue = self._notifications
        while queue and (state := self.function.notification()) is not None:
            overflows = len(state) > queue[0].length
            self._complete_in(queue.popleft(), b"" if overflows else state, overflows=overflows)

    def _complete_in(self, transfer: Transfer, data: bytes, *, overflows: bool) -> None:
        if overflows:
            status = UrbStatus.OVERFLOWED
        elif transfer.short_not_ok and len(data) < transfer.length:
            status = UrbStatus.TOO_SHORT
        else:
            status = UrbStatus.OK
        self._complete(transfer, status, len(data), data)

    def _end_all(self, address: int, status: UrbStatus) -> None:
        queue = self._queues[address]
        while queue:
            self._complete(queue.popleft(), status)
        if address == DATA_OUT_ENDPOINT:
            self._moved = 0

    def _complete(self, transfer: Transfer, status: UrbStatus, actual: int = 0, data: bytes = b"") -> None:
        self._forget(transfer)
        completion = Completion(transfer.id, status, actual, data)
        self._completions.append(completion)
        if self.tap is not None:
            self.tap(TransferSeen(transfer=transfer, completion=completion))

    def _forget(self, transfer: Transfer) -> None:
        if self._pending.pop(transfer.id, None) is not None:
            self._pending_out_bytes -= len(transfer.data)

    def _stirred(self) -> None:
        self.restless = True
        self.on_activity()


def _nobody() -> None:
    """No host side listens."""
