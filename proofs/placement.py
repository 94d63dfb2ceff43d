"""The placement invariant: each card is in exactly one place. Every step of every proof on a device checks it."""

from firmware_sim.machine.mechanism import Mechanism


def check_placement(machine: Mechanism) -> None:
    """Fail with the cards that are in no place or in several."""
    if machine.places.is_sound(len(machine.faces)):
        return
    found = machine.places.all()
    lost = sorted(set(range(len(machine.faces))) - set(found))
    doubled = sorted(card for card in set(found) if found.count(card) > 1)
    raise AssertionError(f"cards in no place: {lost}; in several places: {doubled}; {machine.places}")
