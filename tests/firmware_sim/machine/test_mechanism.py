"""The physical machine: cards are conserved whatever people, motors and injections do, in any order."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from firmware_sim.control.injections import INJECTIONS, Nature, Trigger
from firmware_sim.errors import BadControl
from firmware_sim.machine import profile as profiles
from firmware_sim.machine.mechanism import Mechanism, composition
from firmware_sim.machine.signals import ExitPassed, InfeedTouched, Lane, Pass, PassEnded, Sign, TrayTouched
from proofs.bare import Bare
from proofs.controller import Controller
from protocol import messages as m
from protocol.cards import JOKER, UNREAD
from protocol.vocabulary import FaultCode, Role


def machine_with_deck(name: str = "i-deal-style") -> Mechanism:
    machine = Mechanism(profiles.load(name))
    machine.put_in_infeed(machine.introduce(composition(52)))
    machine.signals.clear()
    return machine


def test_a_pass_moves_cards_by_the_law_of_time_and_no_sooner() -> None:
    machine = machine_with_deck()
    machine.start(Pass.INTAKE, 0, 100)
    start = profiles.load("i-deal-style").timings.motor_start_us
    assert machine.moved(Lane.IN, start) == 0
    assert machine.moved(Lane.IN, start + 250) == 2
    assert machine.next_us() == start + 5200
    machine.advance(start + 5200)
    (ended,) = machine.signals
    assert isinstance(ended, PassEnded)
    assert (ended.sign, ended.seen) == (Sign.DONE, 52)
    assert ended.codes == bytes(range(52))


def test_a_pass_that_is_stopped_has_moved_so_many_cards_and_no_more() -> None:
    machine = machine_with_deck()
    machine.start(Pass.INTAKE, 0, 100)
    ended = machine.stop(Lane.IN, machine._motor_start_us + 1050)
    assert ended is not None
    assert ended.seen == 10
    assert (len(machine.places.stack), len(machine.places.infeed)) == (10, 42)
    assert machine.stop(Lane.IN, 9999) is None


def test_a_machine_without_a_reader_sees_cards_and_no_faces() -> None:
    machine = machine_with_deck("ace-style")
    machine.start(Pass.INTAKE, 0, 1)
    machine.advance(10**9)
    (ended,) = machine.signals
    assert isinstance(ended, PassEnded)
    assert ended.codes == bytes((UNREAD,)) * 52


def test_the_counter_waits_in_vain_for_a_card_that_is_not_there() -> None:
    machine = machine_with_deck()
    machine.places.move(machine.places.infeed[:2], "infeed", "play")
    machine.start(Pass.DELIVER, 0, 100, 3)
    machine.advance(machine._motor_start_us + 299)
    assert not machine.signals
    machine.advance(machine._motor_start_us + 300)
    (ended,) = machine.signals
    assert isinstance(ended, PassEnded)
    assert ended.seen == 2


def test_a_shuffle_lays_the_rack_in_the_order_drawn_and_a_sort_in_factory_order() -> None:
    machine = machine_with_deck()
    machine.places.move(machine.places.infeed, "infeed", "stack")
    order = list(range(51, -1, -1))
    machine.start(Pass.SHUFFLE, 0, 1, order=order)
    machine.advance(10**9)
    assert machine.read(machine.places.rack) == bytes(order)
    machine.recirculate()
    machine.start(Pass.SORT, 10**9, 1)
    machine.advance(2 * 10**9)
    assert machine.read(machine.places.infeed) == bytes(range(52))


def test_hands_at_the_trays_are_sensed_and_not_what_they_take() -> None:
    machine = machine_with_deck()
    machine.take_from_infeed()
    machine.places.move(machine.places.aside[:3], "aside", "tray")
    machine.lift(2)
    machine.lift()
    machine.put_in_tray(machine.places.table[:1])
    assert machine.signals == [InfeedTouched(False), TrayTouched(True), TrayTouched(False), TrayTouched(True)]


def test_cards_drawn_unasked_pass_the_exit_sensor() -> None:
    machine = machine_with_deck()
    machine.places.move(machine.places.infeed, "infeed", "play")
    machine.draw(2)
    assert machine.signals == [ExitPassed(bytes((0, 1)))]


def test_a_pack_with_jokers_has_them_behind_the_faces() -> None:
    assert composition(54)[50:] == [50, 51, JOKER, JOKER]
    assert len(composition(52, 8)) == 416


def test_a_power_cut_stops_the_motors_and_forgets_what_was_to_come() -> None:
    machine = machine_with_deck()
    machine.places.move(machine.places.infeed, "infeed", "rack")
    machine.hand_over()
    machine.power_off(5)
    machine.begin_step()
    assert machine.places.play == []
    machine.hand_over()
    machine.begin_step()
    assert len(machine.places.play) == 52


PROFILES = profiles.names()
SAFE = [kind.name for kind in INJECTIONS if kind.nature is not Nature.SUPPLY]


class Bench(RuleBasedStateMachine):
    """A device that a host, a dealer, a tester and chance pull about at once."""

    @initialize(name=st.sampled_from(PROFILES), seed=st.integers(1, 1000))
    def start(self, name: str, seed: int) -> None:
        self.device = Bare(profiles.load(name), seed=seed)
        self.controller = Controller(self.device.do, shoe=self.device.profile.is_shoe, prestage=seed % 2 == 0)
        self.events = 0

    @rule(steps=st.integers(1, 40))
    def play(self, steps: int) -> None:
        for _ in range(steps):
            if not self.controller.act():
                self.device.step()
        self.device.events.acknowledge(self.device.events.last)

    @rule(command=st.sampled_from([m.Load(), m.Shuffle(nonce=bytes(16)), m.Sort(), m.VerifyDeck(), m.EjectStub(),
                                   m.SelfTest(), m.DealGroup(round=1, groups=1), m.ServiceMode(on=True),
                                   m.ServiceMode(on=False)]))  # fmt: skip
    def command(self, command: m.Message) -> None:
        self.device.do(command, Role.TECHNICIAN)

    @rule(code=st.sampled_from(list(FaultCode)))
    def clear(self, code: FaultCode) -> None:
        self.device.do(m.ClearFault(code=code), Role.SUPERVISOR)

    @rule(name=st.sampled_from(SAFE), card=st.integers(1, 60), now=st.booleans())
    def injection(self, name: str, card: int, now: bool) -> None:
        try:
            self.device.control.inject(name, None if now else Trigger(at_card=card))
        except BadControl:
            assert "card" in name or "slot" in name

    @rule()
    def mend(self) -> None:
        self.device.control.clear()

    @rule(count=st.integers(0, 4))
    def grab(self, count: int) -> None:
        self.device.control.lift(count)

    @rule()
    @precondition(lambda self: bool(self.device.machine.places.table))
    def put_back(self) -> None:
        self.device.control.put_back()

    @rule(opened=st.booleans())
    def door(self, opened: bool) -> None:
        self.device.machine.move_door(opened)

    @rule()
    def cut_power(self) -> None:
        self.device.cut_power()

    def teardown(self) -> None:
        """Whatever has happened: mend everything, clear every fault, and dealing goes on."""
        if not hasattr(self, "device"):
            return
        device = self.device
        device.run_for(device.profile.timings.self_test_us)
        device.control.clear()
        device.control.close_door()
        device.do(m.SetTime(unix_ms=1), Role.DEALER)
        device.do(m.ServiceMode(on=False), Role.TECHNICIAN)
        goal = len(self.controller.closed) + 1
        for step in range(3000):
            device.events.acknowledge(device.events.last)
            if len(self.controller.closed) >= goal:
                return
            if step % 500 == 499:
                for code in tuple(device.firmware.desk.active):
                    device.do(m.ClearFault(code=code), Role.SUPERVISOR)
            if not self.controller.act() and not device.step():
                device.run_for(10_000_000)
        places = device.machine.places
        where = {name: len(getattr(places, name)) for name in places.__slots__}
        page = device.do(m.ReadLog(after=max(0, device.firmware.board.log.length - 6), limit=6))
        raise AssertionError(f"dealing does not go on: {device.do(m.GetStatus())} {where} {page}")

    @invariant()
    def every_card_is_in_one_place(self) -> None:
        if hasattr(self, "device"):
            assert sorted(self.device.machine.places.all()) == list(range(len(self.device.machine.faces)))

    @invariant()
    def events_are_numbered_without_a_hole(self) -> None:
        if hasattr(self, "device"):
            events = self.device.events
            numbers = [event.number for event in events.after(0)]
            assert numbers == list(range(events.acknowledged + 1, events.last + 1))

    @invariant()
    def the_panel_and_the_status_can_always_be_read(self) -> None:
        if hasattr(self, "device"):
            self.device.control.panel()
            assert isinstance(self.device.do(m.GetStatus()), m.Status)


Bench.TestCase.settings = settings(max_examples=25, stateful_step_count=30, deadline=None)
TestBench = pytest.mark.slow(Bench.TestCase)
