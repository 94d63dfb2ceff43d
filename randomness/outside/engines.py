"""The outside engines as one table: program, arguments, how much it reads, who reads what it prints."""

from collections.abc import Callable
from dataclasses import dataclass

from randomness.errors import OutsideError
from randomness.outside import parsers
from randomness.outside.verdicts import OutsideVerdict

_MIB = 1 << 20


@dataclass(frozen=True, kw_only=True)
class OutsideEngine:
    """One way to call one program. `bytes_wanted` None: it reads until it has enough, and closes the pipe."""

    name: str
    program: str
    arguments: tuple[str, ...]
    bytes_wanted: int | None
    reads: Callable[[str], tuple[OutsideVerdict, ...]]
    version: Callable[[str], str]
    good_exits: tuple[int, ...]
    package: str

    @property
    def command(self) -> tuple[str, ...]:
        """Program and arguments."""
        return (self.program, *self.arguments)


# Tests of dieharder that its own list calls good and that take seconds: birthdays, runs, monobit; all of them with -a
# read 246 GB in over twenty minutes. `-Y 1` has it look again at weak results instead of reporting them.
QUICK_DIEHARDER = (0, 15, 100)


def dieharder(test: int | None) -> OutsideEngine:
    """dieharder on one of its tests, or on all of them."""
    chosen = ("-a",) if test is None else ("-d", str(test))
    return OutsideEngine(
        name="dieharder",
        program="dieharder",
        arguments=("-g", "200", *chosen, "-Y", "1"),
        bytes_wanted=None,
        reads=parsers.dieharder,
        version=parsers.dieharder_version,
        good_exits=(0,),
        package="Debian's dieharder",
    )


def ent(size: int = 64 * _MIB) -> OutsideEngine:
    """ent on so many bytes."""
    return OutsideEngine(
        name="ent",
        program="ent",
        arguments=("-t",),
        bytes_wanted=size,
        reads=parsers.ent,
        version=lambda _: "",
        good_exits=(0,),
        package="Debian's ent",
    )


def rngtest(blocks: int = 10_000) -> OutsideEngine:
    """rngtest on so many blocks of 20,000 bits; it ends with 1 when a block fails, as some of ideal bits do."""
    return OutsideEngine(
        name="rngtest",
        program="rngtest",
        arguments=("-c", str(blocks)),
        bytes_wanted=None,
        reads=parsers.rngtest,
        version=parsers.rngtest_version,
        good_exits=(0, 1),
        package="Debian's rng-tools5",
    )


def practrand(mebibytes: int = 256) -> OutsideEngine:
    """PractRand on so many MiB, doubling up to them."""
    return OutsideEngine(
        name="practrand",
        program="RNG_test",
        arguments=("stdin32", "-tlmax", f"{mebibytes}MB"),
        bytes_wanted=None,
        reads=parsers.practrand,
        version=parsers.practrand_version,
        good_exits=(0,),
        package="PractRand's RNG_test, built from its sources",
    )


def quick_engines() -> tuple[OutsideEngine, ...]:
    """A minute's worth of every engine."""
    return (*(dieharder(test) for test in QUICK_DIEHARDER), ent(), rngtest(), practrand())


def engines_named(names: str) -> tuple[OutsideEngine, ...]:
    """Engines by name, commas between: ent, rngtest, practrand, dieharder, dieharder:15, dieharder:all."""
    makers: dict[str, Callable[[], tuple[OutsideEngine, ...]]] = {
        "ent": lambda: (ent(),),
        "rngtest": lambda: (rngtest(),),
        "practrand": lambda: (practrand(),),
        "dieharder": lambda: tuple(dieharder(test) for test in QUICK_DIEHARDER),
        "dieharder:all": lambda: (dieharder(None),),
    }
    chosen: list[OutsideEngine] = []
    for name in (part.strip() for part in names.split(",")):
        family, _, number = name.partition(":")
        if name in makers:
            chosen += makers[name]()
        elif family == "dieharder" and number.isdecimal():
            chosen.append(dieharder(int(number)))
        else:
            raise OutsideError(f"no such engine: {name!r}; there are {', '.join(makers)}, dieharder:NUMBER")
    return tuple(chosen)
