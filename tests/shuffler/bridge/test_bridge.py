"""The bridge goes by what the device says, and knows when to ask for people."""

from protocol import messages as m
from protocol.vocabulary import Cleared, FaultCode, Place
from round_engine.rulebook import load
from round_engine.table import Table
from shuffler.bridge import Bridge, Want
from shuffler.bridge.bridge import FAULTS_BEFORE_BACKUP
from shuffler.session import EventArrived


def test_faults_that_come_again_call_for_the_backup_however_fast_each_is_cleared() -> None:
    bridge = Bridge(Table(load("south-dakota")), dealer="d", supervisor="s", chance=bytes)
    for number in range(FAULTS_BEFORE_BACKUP):
        assert bridge.wants is Want.DEVICE
        assert bridge.calls == 0
        raised = m.FaultRaised(
            number=2 * number + 1, time_ms=number, code=FaultCode.LONG_DECK, place=Place.FEEDER, detail=0
        )
        cleared = m.FaultCleared(number=2 * number + 2, time_ms=number, code=raised.code, how=Cleared.BY_DEALER)
        bridge.take(EventArrived(raised), number)
        bridge.take(EventArrived(cleared), number)
    assert bridge.wants is Want.BACKUP
    assert bridge.calls == 1
