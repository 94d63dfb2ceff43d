"""What may stand in a descriptor, and what is refused before it gets there."""

import pytest

from firmware_sim.ports.usb.identity import Speed, UsbIdentity
from protocol.usb.errors import IdentityRefused


def test_the_default_is_the_public_test_id_at_high_speed() -> None:
    identity = UsbIdentity()
    assert (identity.vendor_id, identity.product_id, identity.speed) == (0x1209, 0x0001, Speed.HIGH)


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("vendor_id", 0, "vendor id"),
        ("vendor_id", 0x10000, "vendor id"),
        ("product_id", 0, "product id"),
        ("release_bcd", 0x010A, "binary-coded"),
        ("release_bcd", 0x10000, "binary-coded"),
        ("serial", "", "serial number"),
        ("serial", "has blank", "serial number"),
        ("serial", "a/b", "serial number"),
        ("serial", "x" * 65, "serial number"),
        ("manufacturer", "", "manufacturer"),
        ("product", "x" * 127, "127 UTF-16 units"),
        ("product", "\ud800", "not valid text"),
    ],
)
def test_a_setting_that_no_descriptor_can_carry_is_refused(field: str, value: object, says: str) -> None:
    with pytest.raises(IdentityRefused, match=says):
        UsbIdentity(**{field: value})  # type: ignore[arg-type]


def test_the_longest_text_fits() -> None:
    assert UsbIdentity(product="x" * 126).product == "x" * 126
