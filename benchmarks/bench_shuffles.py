"""Secure unbiased shuffles a second on one core against numpy; the generator in bytes; one deck at a time."""

import random
import secrets
import time
from collections.abc import Callable, Mapping

import numpy as np

from benchmarks import Section
from randomness.drbg import DrbgSource
from randomness.kernels import Backend, make
from randomness.kernels.engines import numba_installed
from randomness.sources import system_source

CARDS = 52
BATCH = 16_384
"""Decks a call: 512 KiB of random words and 832 KiB of decks, reused, so that both stay near the core."""
ROUNDS = 9
ROUND_SECONDS = 0.15
PEER = "numpy Generator.permuted, uint8, PCG64 (not secure)"


def side_by_side(works: Mapping[str, Callable[[], int]]) -> dict[str, float]:
    """Best units a second of processor time of each (all have one thread), in turns: a busy machine slows all alike."""
    best = dict.fromkeys(works, 0.0)
    for work in works.values():
        work()
    for _ in range(ROUNDS):
        for name, work in works.items():
            start = now = time.process_time()
            units = 0
            while now - start < ROUND_SECONDS:
                units += work()
                now = time.process_time()
            best[name] = max(best[name], units / (now - start))
    return best


def numpy_permuted(bits: np.random.BitGenerator) -> Callable[[], int]:
    """numpy's own batch shuffle, into reused memory."""
    generator = np.random.Generator(bits)
    decks = np.tile(np.arange(CARDS, dtype=np.uint8), (BATCH, 1))
    out = np.empty_like(decks)

    def work() -> int:
        generator.permuted(decks, axis=1, out=out)
        return BATCH

    return work


def product(name: str, engine: Backend, source: DrbgSource, **parameters: object) -> Callable[[], int]:
    """A kernel on the product's generator, into reused memory."""
    kernel = make(name, **parameters)
    out = np.empty((BATCH, CARDS), np.uint8)

    def work() -> int:
        kernel.permutations(CARDS, BATCH, source, engine=engine, out=out)
        return BATCH

    return work


def batches(source: DrbgSource) -> Section:
    """The ideal shuffle in batches."""
    works: dict[str, Callable[[], int]] = {
        PEER: numpy_permuted(np.random.PCG64(1)),
        "numpy Generator.permuted, uint8, SFC64 (not secure)": numpy_permuted(np.random.SFC64(1)),
        "product, numpy alone, CTR_DRBG": product("ideal", Backend.NUMPY, source),
    }
    if numba_installed():
        works["product, numba, CTR_DRBG"] = product("ideal", Backend.NUMBA, source)
    rates = side_by_side(works)
    rows = tuple((name, f"{rate / 1e6:.2f}", f"{rate / rates[PEER]:.1f}") for name, rate in rates.items())
    note = (
        f"{CARDS} cards, batches of {BATCH:,}, memory reused by all, one core, processor time, best of {ROUNDS} "
        "turns. The product's bytes come from an SP 800-90A CTR_DRBG (AES-256) under health tests, its draws are "
        "unbiased by rejection; every request, refusal and redraw counts. Wanted: at least 8 times numpy's PCG64."
    )
    return Section(
        title="Secure unbiased shuffles", columns=("method", "million decks/s", "x PCG64"), rows=rows, note=note
    )


def single(source: DrbgSource) -> Section:
    """One deck at a time, as the device deals."""
    kernel = make("ideal")
    fresh = system_source(prediction_resistance=True)
    system, deck = secrets.SystemRandom(), list(range(CARDS))

    def repeat(step: Callable[[], object]) -> Callable[[], int]:
        def work() -> int:
            for _ in range(200):
                step()
            return 200

        return work

    rates = side_by_side(
        {
            "secrets.SystemRandom().shuffle": repeat(lambda: system.shuffle(deck)),
            "random.shuffle (not secure)": repeat(lambda: random.shuffle(deck)),
            "product, batch of one, CTR_DRBG": repeat(lambda: kernel.permutations(CARDS, 1, source)),
            "product, batch of one, fresh entropy each": repeat(lambda: kernel.permutations(CARDS, 1, fresh)),
        }
    )
    base = rates["secrets.SystemRandom().shuffle"]
    rows = tuple((name, f"{1e6 / rate:.1f}", f"{rate / base:.1f}") for name, rate in rates.items())
    return Section(title="One deck at a time", columns=("method", "µs a deck", "x SystemRandom"), rows=rows)


def mechanisms(source: DrbgSource) -> Section:
    """Every mechanism, both batch engines."""
    specs: tuple[tuple[str, dict[str, object]], ...] = (
        ("ideal", {}),
        ("ejection", {}),
        ("rack", {}),
        ("rack", {"order": "feed"}),
        ("shelf", {}),
        ("riffle", {"passes": 7}),
        ("ideal", {"sticky": "1/1000"}),
    )
    engines = [Backend.NUMPY, *([Backend.NUMBA] if numba_installed() else [])]
    rows = []
    for name, parameters in specs:
        rates = side_by_side({e.value: product(name, e, source, **parameters) for e in engines})
        rows.append((make(name, **parameters).describe(), *(f"{rates[e.value] / 1e6:.2f}" for e in engines)))
    columns = ("mechanism", *(f"{engine.value}, million decks/s" for engine in engines))
    return Section(title="Mechanisms", columns=columns, rows=tuple(rows))


def generators() -> Section:
    """Bytes a second."""
    size = 1 << 20
    room = memoryview(bytearray(size))
    ctr, hmac = system_source("ctr"), system_source("hmac")
    pcg = np.random.Generator(np.random.PCG64(1))

    def filled(source: DrbgSource) -> Callable[[], int]:
        def work() -> int:
            source.fill(room)
            return size

        return work

    rates = side_by_side(
        {
            "CTR_DRBG AES-256, requests of 64 KiB": filled(ctr),
            "HMAC_DRBG SHA-256, requests of 64 KiB": filled(hmac),
            "secrets.token_bytes (operating system)": lambda: len(secrets.token_bytes(size)),
            "numpy PCG64 Generator.bytes (not secure)": lambda: len(pcg.bytes(size)),
        }
    )
    rows = tuple((name, f"{rate / 1e9:.3f}") for name, rate in rates.items())
    return Section(title="Generator", columns=("source", "GB/s"), rows=rows)


def run() -> list[Section]:
    """All tables."""
    source = system_source()
    return [batches(source), single(source), mechanisms(source), generators()]
