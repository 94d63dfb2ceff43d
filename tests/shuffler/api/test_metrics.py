"""The bench in numbers."""

import pytest
from prometheus_text import samples

from shuffler.api.metrics import _labels


@pytest.mark.parametrize(
    "serial", ['SB-1"} 1\nshuffler_device_on{serial="forged', "back\\slash", "line\nbreak", "carriage\rreturn", "plain"]
)
def test_a_serial_forges_no_line(serial: str) -> None:
    line = f"shuffler_device_on{_labels({'serial': serial})} 1"
    assert "\n" not in line
    assert "\r" not in line
    assert samples(line) == [("shuffler_device_on", {"serial": serial}, 1.0)]
