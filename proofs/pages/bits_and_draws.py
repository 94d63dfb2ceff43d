"""docs/bits-and-draws.md, from the registries of the two batteries."""

from proofs.pages.markdown import table
from randomness import bits, draws
from randomness.bits.second_level import LEAST_SEQUENCES
from randomness.outside import quick_engines

# What `--corrected` changes, and why. A test holds this list against the registry.
CORRECTIONS = {
    "runs": "no p = 0 where the share of ones is far off: the law is conditional on that share and needs no such rule",
    "longest-run": "exact probabilities; the table for blocks of 10,000 bits is off by up to 0.0016",
    "spectral": "variance n · 0.95 · 0.05 / 3.79, derived from Parseval's identity, instead of a fitted / 4",
    "overlapping-template": "exact probabilities instead of the compound Poisson approximation of the examples",
    "universal": "the standard deviation with all covariances, instead of Maurer's fit",
    "linear-complexity": "the exact law of the block length; one printed probability is 0.01047 for 1/96",
    "approximate-entropy": "divided by 1 + 2^m / 2n, the mean of a likelihood ratio over its degrees of freedom",
}


def bit_table() -> str:
    """The fifteen, and what they leave out."""
    rows = [
        (test.section or "beyond", test.name, str(test.p_values), f"{test.least_bits:,}", test.sees)
        for test in (*bits.TESTS, *bits.BEYOND)
    ]
    return table(("section", "test", "p-values", "least bits", "what it sees"), rows)


def draw_table() -> str:
    """The tests on drawn numbers."""
    rows = [
        (
            test.name,
            test.sees,
            test.law,
            " / ".join(f"{test.least_draws(bound):,}" if bound >= test.least_bound else "–" for bound in (2, 6, 52)),
            ", ".join(test.clauses),
        )
        for test in draws.TESTS
    ]
    return table(("test", "what it sees", "law", "least draws below 2 / 6 / 52", "clauses"), rows)


def engine_table() -> str:
    """The outside engines in the quick set."""
    rows = [(engine.name, f"`{' '.join(engine.command)}`", engine.package) for engine in quick_engines()]
    return table(("engine", "command, fed through a pipe", "where from"), rows)


def page() -> str:
    """The whole page."""
    corrections = table(("test", "what changes"), list(CORRECTIONS.items()))
    return f"""# Bits and drawn numbers

Made by `make docs` from the registries; edit those.

Bit-stream tests judge the generator before anything is drawn from it. Tests on drawn numbers judge what the generator's
output is made into: dice, wheel stops, card indices. Neither knows anything of decks; the deck battery does.

## SP 800-22 rev. 1a, all fifteen tests

`shuffler bits FILE` (or `-` for a pipe) runs them on raw bytes, most significant bit first, or on text of zeros and
ones: exit code 0 passed, 1 failed, 2 could not run.

    shuffler rng stream --bytes 12500000 | shuffler bits - --json > result.json

{bit_table()}

Defaults are those of the NIST suite (blocks of 128 and 500, patterns of 16 and 10, templates of nine bits), and so are
the values: those of appendix B for a million bits of pi and of e are reproduced to their last digit. (The example of
section 2.6.8 is a known misprint.) Where bits do not suffice, a test says so; it never passes for want of data.

`--beyond` adds what the standard leaves out. A linear congruential generator that shows its whole state passes all
fifteen (MINSTD does on 10^8 bits) but betrays its modulus in a few words. A generator that is linear over the field of
two elements (MT19937, xorshift, WELL) passes them too, but one bit of each of its words follows a linear recurrence as
long as its state: the word test looks at the stream as a whole, across sequences, and takes one bit of each of 40,960
to 140,000 words of 8, 32 and 64 bits. 1,310,720 bits suffice for MT19937, 4.2 million for java.util.Random, whose
lowest bit has a short period. The law of the length is exact; p is that of the least likely reading times their number.

**What no bit battery of this size finds.** Passing says nothing against generators whose state is small but hidden.
Measured ([evidence](evidence/classical-generators.md), `make proof-classical-generators`): MT19937 and
java.util.Random's `nextInt()` are found by the word test alone, and below its least bits by nothing; so are RANDU and a
linear congruential generator modulo 2^32, both truncated to 16 bits. java.util.Random with 31 or 24 bits of each state,
MINSTD truncated to 16 bits and the generator modulo 2^32 truncated to 8 bits pass every test at 10 million bits. All of
them can be predicted from a few outputs by anybody who knows the recipe: the source code has to be read.

**Verdict.** The exit code comes from the collective verdict: every p-value, and for several sequences every share of
passes and every spread of p-values, together by Holm's rule, so that ideal bits fail no more often than `--level` says.
The standard's literal readings stand beside it: each p-value alone at 0.01, of which a perfect source shows some below
in nearly every run; the share of passes within three deviations of 0.99, and the spread over ten bins at 0.0001 from
{LEAST_SEQUENCES} sequences on. Counts too even to be chance fail, too, where a test has many degrees of freedom.

`--corrected` replaces constants of the standard that are known to be off. At a million bits the difference is small;
over thousands of sequences it shows.

{corrections}

Calibration of the p-values on ideal bits: [evidence](evidence/bit-calibration.md), `make proof-bit-calibration`. Speed
against NIST's own code: [benchmarks](benchmarks/bits.md).

## Numbers drawn below a bound

The tests that gaming standards name, on whole numbers from 0 to bound - 1. Counts are integers that add up exactly, so
shards of a run can be merged in any order; every result carries an effect size with its 99 % interval and the cells
that stand out. Numbers are folded into equally likely cells where there are too many; what does not divide is left out,
never squeezed in.

{draw_table()}

Chi-square statistics of ten degrees of freedom and more are judged on both sides. Calibration:
[evidence](evidence/draw-calibration.md), `make proof-draw-calibration`, below ten bounds from 2 to 2^40.

Numbers below a small bound leave few classes to count, and a statistic of few classes takes few values: its p-values
come in lumps. So few classes must expect more each (16 with five or more, 32 with four, 128 with three, 1,024 with
two), which keeps the exact law of p within 0.02 of uniform; hence the many draws that coins need. Classes that expect
less are joined to their neighbours; where that leaves only one, the test says that the draws are too few. A bound that
leaves nothing to test (four numbers drawn below 3 have no order) is answered with "not applicable".

## Outside engines

Driven where installed, within a time limit, their verdicts kept as they say them. An engine that is missing is reported
as such. dieharder's whole battery (`dieharder:all`) reads 246 GB in over twenty minutes; the quick set takes a minute.

{engine_table()}
"""
