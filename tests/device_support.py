"""A device without a wire, brought to the point where a test begins."""

from firmware_sim.machine import profile as profiles
from proofs.bare import Bare
from protocol import messages as m
from protocol.vocabulary import DealState, ErrorCode, RoundState

NONCE = bytes(range(16))


def powered(profile: str = "i-deal-style", **more) -> Bare:
    """On, its self-test passed."""
    device = Bare(profiles.load(profile), **more)
    device.run_until(m.PoweredUp)
    return device


def loaded(profile: str = "i-deal-style", **more) -> Bare:
    """With a deck taken in and counted."""
    device = powered(profile, **more)
    assert device.do(m.Load()) == m.Done()
    device.run_until(m.DeckLoaded)
    return device


def ready(profile: str = "i-deal-style", **more) -> Bare:
    """With a deck in play."""
    device = loaded(profile, **more)
    if not device.profile.is_shoe:
        assert device.do(m.Shuffle(nonce=NONCE)) == m.Done()
    assert device.run(lambda: device.firmware.deal.state is DealState.READY)
    device.machine.begin_step()
    return device


def begun(profile: str = "i-deal-style", *, number: int = 1, seats: int = 0x7F, **more) -> Bare:
    """With a round open and nothing dealt."""
    device = ready(profile, **more)
    assert device.do(m.BeginRound(round=number, seats=seats)) == m.Done()
    return device


def dealt(profile: str = "i-deal-style", *, number: int = 1, seats: int = 0x7F, **more) -> Bare:
    """With every group of a round taken and the decisions open."""
    device = begun(profile, number=number, seats=seats, **more)
    assert device.do(m.DealGroup(round=number, groups=0)) == m.Done()
    assert device.run(lambda: device.firmware.deal.round_state is RoundState.DECIDING)
    return device


def refused(reply: m.Message) -> tuple[ErrorCode, str]:
    """The code and text of a refusal."""
    assert isinstance(reply, m.Error), reply
    return reply.code, reply.text


def of(device: Bare, kind: type[m.Event]) -> list:
    """The events of a kind that are kept."""
    return [event for event in device.events.after(0) if isinstance(event, kind)]
