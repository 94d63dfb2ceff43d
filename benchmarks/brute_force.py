"""Compile and run `brute_force.c`."""

import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SOURCE = Path(__file__).with_suffix(".c")


def compile_to(folder: Path, *flags: str) -> Path:
    """The program, compiled into a folder."""
    program = folder / "brute_force"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", *flags, "-o", program, SOURCE], check=True)
    return program


def counts(program: Path, mode: str) -> dict[tuple[str, ...], int]:
    """What it counts in a mode, by the words before each number."""
    lines = subprocess.run([program, mode], check=True, capture_output=True, text=True).stdout.splitlines()
    return {tuple(words[:-1]): int(words[-1]) for words in map(str.split, lines)}


def ranks(program: Path) -> NDArray[np.uint32]:
    """Its value for every set of six cards, in lexicographic order."""
    written = subprocess.run([program, "ranks"], check=True, capture_output=True).stdout
    return np.frombuffer(written, dtype=np.uint32)
