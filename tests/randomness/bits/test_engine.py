"""Which engine counts."""

import subprocess
import sys

from randomness.bits import compiled, counts
from randomness.bits.engine import choose_engine


def test_numba_is_used_where_it_is_installed_and_not_forbidden() -> None:
    assert choose_engine(compiled=None) is compiled
    assert choose_engine(compiled=True) is compiled
    assert choose_engine(compiled=False) is counts


def test_without_numba_everything_still_runs() -> None:
    program = (
        "import sys; sys.modules['numba'] = None\n"
        "import importlib.util; real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *rest: None if name == 'numba' else real(name, *rest)\n"
        "from randomness.bits import Bits, frequency\n"
        "print(frequency(Bits([0, 1] * 100))[0].p)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "1.0", done.stderr


def test_importing_the_battery_does_not_import_numba() -> None:
    program = "import sys, randomness.bits; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "False", done.stderr
