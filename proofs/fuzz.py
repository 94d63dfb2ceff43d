"""Proof: no damage to a frame makes another message of it, and no noise stops the next good frame.

Bit errors: each example frame, its delimiters included, stands between the end of a frame and a good frame; with any
one or two bits flipped the framer must give the good frame and nothing else. Sampled: bursts, many flipped bits, bytes
lost, doubled, inserted or overwritten, and plain garbage, in any cut; bodies of noise for the codec. `make proof-fuzz`.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import combinations
from random import Random

from rich.progress import Progress

from proofs import evidence
from protocol import messages as m
from protocol.catalogue import BY_NUMBER
from protocol.codec import decode_body
from protocol.errors import RemoteProtocolError
from protocol.framing import DELIMITER, MAX_ENCODED, VERSION, Frame, Framer, pack_header, wrap
from protocol.render.examples import Example, all_examples

SEED = 20_260_101
CHUNK = 25_000
AFTER = wrap(pack_header(0, 0x05, 7, 0, 3, 0), bytes(12))  # a heartbeat
AFTER_FRAME = Frame(VERSION, 0, 0x05, 7, 0, 3, 0, bytes(12))


class Broken(AssertionError):
    """The claim does not hold; the message says on what input."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What one part of the proof did."""

    part: str
    inputs: int
    seconds: float


# ------------------------------------------------------------------------------------------------- 1- and 2-bit errors


def flip_bits(example: Example, pairs: int | None, seed: int) -> Tally:
    """Every single bit and every pair of bits of one frame; of pairs only so many sampled where a number is given."""
    start = time.perf_counter()
    bits = 8 * len(example.line)
    framer, damaged = Framer(), bytearray(example.line)
    feed = framer.feed
    expected = [AFTER_FRAME]
    inputs = 0
    for flips in _flips(bits, pairs, Random(f"{seed}/{example.entry.name}/{example.name}")):
        for bit in flips:
            damaged[bit >> 3] ^= 1 << (bit & 7)
        if feed(b"\0%b%b" % (damaged, AFTER)) != expected:
            raise Broken(f"{example.entry.name} ({example.name}) with bits {flips} flipped: {damaged.hex(' ')}")
        for bit in flips:
            damaged[bit >> 3] ^= 1 << (bit & 7)
        inputs += 1
    if damaged != example.line or feed(b"\0%b%b" % (damaged, AFTER)) != [example.frame, AFTER_FRAME]:
        raise Broken(f"{example.entry.name} ({example.name}) is not accepted undamaged")
    return Tally("1- and 2-bit errors", inputs, time.perf_counter() - start)


def _flips(bits: int, pairs: int | None, chance: Random) -> Iterator[tuple[int, ...]]:
    yield from ((bit,) for bit in range(bits))
    if pairs is None or pairs >= bits * (bits - 1) // 2:
        yield from combinations(range(bits), 2)
    else:
        yield from (tuple(chance.sample(range(bits), 2)) for _ in range(pairs))


# ------------------------------------------------------------------------------------------------------ sampled damage


def burst(line: bytes, chance: Random) -> bytes:
    """A burst of 3 to 64 bits: its first and last bit wrong, any between."""
    length = chance.randint(3, 64)
    pattern = 1 | chance.getrandbits(length) | 1 << (length - 1)
    return _xor(line, pattern << chance.randrange(8 * len(line) - length + 1))


def scattered(line: bytes, chance: Random) -> bytes:
    """From 3 to 48 wrong bits anywhere."""
    pattern = 0
    for bit in chance.sample(range(8 * len(line)), chance.randint(3, 48)):
        pattern |= 1 << bit
    return _xor(line, pattern)


def _xor(line: bytes, pattern: int) -> bytes:
    return (int.from_bytes(line, "little") ^ pattern).to_bytes(len(line), "little")


def reshaped(line: bytes, chance: Random) -> bytes:
    """One to four cuts, doublings, insertions or overwritten stretches, as a port that loses bytes makes them."""
    for _ in range(chance.randint(1, 4)):
        at, length = chance.randrange(len(line) + 1), chance.randint(1, 24)
        match chance.randrange(4):
            case 0:
                line = line[:at] + line[at + length :]
            case 1:
                line = line[: at + length] + line[at:]
            case 2:
                line = line[:at] + chance.randbytes(length) + line[at:]
            case _:
                line = line[:at] + chance.randbytes(length) + line[at + length :]
    return line


DAMAGE: dict[str, Callable[[bytes, Random], bytes]] = {
    "bursts of 3 to 64 bits": burst,
    "3 to 48 scattered bits": scattered,
    "bytes lost, doubled, inserted, overwritten": reshaped,
}


def sample_damage(part: str, inputs: int, seed: str) -> Tally:
    """Damaged frames of every kind: the good frame behind comes out, and no other message."""
    start = time.perf_counter()
    chance, framer, damage = Random(seed), Framer(), DAMAGE[part]
    examples = all_examples()
    for number in range(inputs):
        example = chance.choice(examples)
        damaged = damage(example.line, chance)
        frames = framer.feed(DELIMITER + damaged + AFTER)
        # Lost or added bytes can leave the frame itself whole, behind noise or twice: then it may pass as what it is.
        unchanged = damage is reshaped and frames[-1:] == [AFTER_FRAME] and set(frames[:-1]) == {example.frame}
        if frames != [AFTER_FRAME] and not unchanged:
            raise Broken(f"{part}, seed {seed}, input {number}: {damaged.hex(' ')} gave {frames}")
    return Tally(part, inputs, time.perf_counter() - start)


# ------------------------------------------------------------------------------------------------------------- garbage

ALPHABETS = (bytes(range(256)), b"\0\1\2\3", b"\0\xff", bytes(range(1, 256)), b"\1")


def garbage(chance: Random) -> bytes:
    """Noise of any length, dense or poor in delimiters and COBS codes."""
    length = int(chance.paretovariate(0.7)) - 1 if chance.random() < 0.9 else chance.randint(0, 3 * MAX_ENCODED)
    length = min(length, 3 * MAX_ENCODED)
    alphabet = chance.choice(ALPHABETS)
    if len(alphabet) == 256:
        return chance.randbytes(length)
    return bytes(chance.choices(alphabet, k=length)) if length < 200 else bytes(alphabet) * (length // len(alphabet))


def sample_garbage(part: str, inputs: int, seed: str) -> Tally:
    """Garbage in random cuts: nothing raised, nothing accepted, memory bounded, the next good frame found."""
    start = time.perf_counter()
    chance, framer = Random(seed), Framer()
    for number in range(inputs):
        data, at = garbage(chance), 0
        while at < len(data):
            step = chance.choice((1, 7, 64, 512, MAX_ENCODED)) if len(data) < 400 else chance.randint(256, 4096)
            if framer.feed(data[at : at + step]) or framer.pending > MAX_ENCODED:
                raise Broken(f"{part}, seed {seed}, input {number}: {data.hex(' ')}")
            at += step
        if framer.feed(AFTER) != [AFTER_FRAME]:
            raise Broken(f"{part}, seed {seed}, input {number}: the frame behind it was lost: {data.hex(' ')}")
    return Tally(part, inputs, time.perf_counter() - start)


def sample_bodies(part: str, inputs: int, seed: str) -> Tally:
    """Noise and damaged bodies: the codec gives a message or a RemoteProtocolError."""
    start = time.perf_counter()
    chance, examples, numbers = Random(seed), all_examples(), sorted(BY_NUMBER)
    for number in range(inputs):
        if number % 2:
            code, body = chance.choice(numbers), chance.randbytes(chance.choice((0, 1, 5, 20, 80, 400)))
        else:
            example = chance.choice(examples)
            code, body = example.entry.number, reshaped(example.frame.body, chance)
        try:
            message = decode_body(code, body)
        except RemoteProtocolError:
            continue
        except Exception as problem:
            raise Broken(f"{part}, seed {seed}, input {number}: 0x{code:02x} {body.hex(' ')}: {problem!r}") from problem
        if not isinstance(message, m.Message):
            raise Broken(f"{part}, seed {seed}, input {number}: 0x{code:02x} {body.hex(' ')} gave {message!r}")
    return Tally(part, inputs, time.perf_counter() - start)


GARBAGE, BODIES = "garbage of 0 to 6,300 bytes in random cuts", "message bodies of noise and damage"

# ----------------------------------------------------------------------------------------------------------- the whole

Task = tuple[Callable[..., Tally], tuple[object, ...]]


def tasks(*, seed: int, samples: int, pairs: int | None) -> list[Task]:
    """The proof in pieces that can run beside each other; the long ones first."""
    flipped = [example for example in all_examples() if example.name != "largest"]
    flipped.sort(key=lambda example: -len(example.line))
    work: list[Task] = [(flip_bits, (example, pairs, seed)) for example in flipped]
    work += [(flip_bits, (example, 0, seed)) for example in all_examples() if example.name == "largest"]
    for start in range(0, samples, CHUNK):
        count = min(CHUNK, samples - start)
        work += [(sample_damage, (part, count, f"{seed}/{part}/{start}")) for part in DAMAGE]
        work.append((sample_garbage, (GARBAGE, count, f"{seed}/{GARBAGE}/{start}")))
        work.append((sample_bodies, (BODIES, count, f"{seed}/{BODIES}/{start}")))
    return work


def added(tallies: list[Tally]) -> dict[str, Tally]:
    """The tallies of each part in one."""
    total: dict[str, Tally] = {}
    for tally in tallies:
        before = total.get(tally.part, Tally(tally.part, 0, 0.0))
        total[tally.part] = Tally(tally.part, before.inputs + tally.inputs, before.seconds + tally.seconds)
    return total


def run(*, seed: int, samples: int, pairs: int | None) -> dict[str, Tally]:
    """The proof in this process; `pairs` bounds the 2-bit errors tried of each frame, None tries all."""
    return added([function(*arguments) for function, arguments in tasks(seed=seed, samples=samples, pairs=pairs)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Damage frames in every way; full size by default.")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--samples", type=int, default=1_000_000, help="inputs of each sampled part")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    arguments = parser.parse_args()
    start = time.perf_counter()
    work = tasks(seed=arguments.seed, samples=arguments.samples, pairs=None)
    tallies: list[Tally] = []
    with Progress() as progress, ProcessPoolExecutor(arguments.jobs) as pool:
        bar = progress.add_task("damaging frames", total=len(work))
        for done in as_completed([pool.submit(function, *given) for function, given in work]):
            tallies.append(done.result())
            progress.advance(bar)
    evidence.record(
        "fuzz",
        command="make proof-fuzz",
        seed=arguments.seed,
        body=report(added(tallies), time.perf_counter() - start),
    )


def report(parts: dict[str, Tally], seconds: float) -> str:
    """The record's body."""
    flipped = [example for example in all_examples() if example.name != "largest"]
    kinds = len({example.entry.number for example in flipped})
    rows = [f"| {tally.part} | {tally.inputs:,} | 0 | {tally.seconds:,.0f} |" for tally in parts.values()]
    return "\n".join(
        [
            __doc__.partition("\n\n")[0],
            "",
            f"All {kinds} message kinds, {len(flipped)} example frames: every single bit and every pair of bits, "
            "delimiters included. The longest examples of each kind: every single bit. The sampled parts draw from all "
            f"{len(all_examples())} examples; the seed of each piece is `seed/part/first input`.",
            "",
            "| part | inputs | accepted as something else, or next frame lost | CPU s |",
            "|---|---:|---:|---:|",
            *rows,
            "",
            f"{sum(tally.inputs for tally in parts.values()):,} inputs in {seconds:,.0f} s.",
        ]
    )


if __name__ == "__main__":
    main()
