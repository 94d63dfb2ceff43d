"""What can go wrong in this room, one tree.

RandomnessError
├── EntropyError               the noise source
│   ├── EntropyUnavailable       it gave nothing, or too little
│   └── HealthFailure            an SP 800-90B health test failed; latched until the source is replaced
├── DrbgError                  the generator
│   ├── SelfTestFailure          a known-answer test gave another answer
│   ├── GeneratorLatched         an earlier failure stopped it for good
│   ├── RequestTooLarge          more bytes than one request may carry
│   ├── InputLengthError         entropy, nonce, personalisation or additional input of a wrong length
│   └── ReseedRequired           the reseed interval is used up and there is no entropy source to draw on
├── AssessmentError            noise samples that no estimate of entropy could be made of
├── BoundError                 a bounded integer was asked for with an impossible bound or count
├── KernelError                a shuffle mechanism
│   ├── UnknownKernel            no mechanism (or planted defect) of that name
│   ├── BadParameter             a parameter it does not have, or a value that makes no sense
│   └── EngineUnavailable        the compiled engine was asked for by name and is not installed
├── UnknownSource              no random source of that name
├── SourceStuck                draws were rejected so often that the random source cannot be random
├── TheoryError                a law was asked for outside its range
├── BitsError                  bits or parameters that no test could take
├── DrawsError                 drawn numbers out of range, counts that do not belong together
└── OutsideError               an outside engine is missing, or said what can't be read
"""


class RandomnessError(Exception):
    """Root of every error that this room raises on purpose."""


class EntropyError(RandomnessError):
    """The noise source failed."""


class EntropyUnavailable(EntropyError):
    """The noise source gave nothing, or fewer bytes than asked for."""


class HealthFailure(EntropyError):
    """A health test of SP 800-90B section 4.4 failed."""


class AssessmentError(RandomnessError):
    """Noise samples that no estimate of entropy can be made of: too few, all the same, wider than told, ..."""


class DrbgError(RandomnessError):
    """The deterministic generator refused or failed."""


class SelfTestFailure(DrbgError):
    """A known-answer test gave another answer."""


class GeneratorLatched(DrbgError):
    """The generator failed earlier and gives no more output; only a new instance does."""


class RequestTooLarge(DrbgError):
    """More bytes than one request may carry (SP 800-90A table 2 and table 3)."""


class InputLengthError(DrbgError):
    """Entropy, nonce, personalisation string or additional input of a length that the mechanism does not take."""


class ReseedRequired(DrbgError):
    """The reseed interval is used up and reseeding failed."""


class BoundError(RandomnessError):
    """A bounded integer with an impossible bound or count."""


class KernelError(RandomnessError):
    """A shuffle mechanism cannot be made or run."""


class UnknownKernel(KernelError):
    """No mechanism of that name."""


class BadParameter(KernelError):
    """A parameter that the mechanism does not have, or a value that makes no sense."""


class EngineUnavailable(KernelError):
    """The compiled engine was asked for by name and is not installed."""


class UnknownSource(RandomnessError):
    """No random source of that name."""


class SourceStuck(RandomnessError):
    """Draws were rejected so often that the random source cannot be random."""


class TheoryError(RandomnessError):
    """A law was asked for outside its range."""


class BitsError(RandomnessError):
    """Bits or parameters that no test could take: not zeros and ones, a block longer than the sequence, ..."""


class DrawsError(RandomnessError):
    """Drawn numbers out of their range, or counts of different tests put together."""


class OutsideError(RandomnessError):
    """An outside test engine is not installed, or printed something that can't be read."""
