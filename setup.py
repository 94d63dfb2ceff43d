"""The compiled build: `SHUFFLER_COMPILED=1 pip install .` compiles what `shuffler/cli/compiled.py` lists with mypyc.

Without the switch, and where no C compiler is, the product is pure Python; everything else is in pyproject.toml.
"""

import os
import runpy
import sys

from setuptools import Extension, setup

MYPY = "mypy>=1.18"  # brings mypyc


def extensions() -> list[Extension]:
    """One library with all compiled modules, and a small extension for each that finds it there."""
    from mypyc.build import mypycify

    modules = runpy.run_path("shuffler/cli/compiled.py")["MODULES"]
    paths = [module.replace(".", "/") + ".py" for module in modules]
    # The same build whatever is installed beside it; `make check` is what checks types.
    options = ["--config-file=", "--no-site-packages", "--ignore-missing-imports", "--follow-imports=silent"]
    built: list[Extension] = mypycify(
        [*options, *paths], group_name="shuffler_bench", multi_file=True, opt_level="2", debug_level="0"
    )
    for extension in built:
        extension.optional = True  # no compiler: pure Python
    return built


if os.environ.get("SHUFFLER_COMPILED") != "1":
    setup()
elif "bdist_wheel" in sys.argv:
    setup(ext_modules=extensions())
else:  # asked what a build needs
    setup(setup_requires=[MYPY])
