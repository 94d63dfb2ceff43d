"""What NumPy and its helpers raise on a damaged file: found by fuzzing, kept in one place."""

import tokenize
import zipfile
import zlib

DAMAGED = (
    OSError,
    ValueError,
    EOFError,
    KeyError,
    TypeError,  # a header that describes no type
    SyntaxError,  # a header that is no Python literal
    tokenize.TokenError,  # one that ends too soon
    OverflowError,  # a shape beyond any memory
    MemoryError,
    RuntimeError,  # an archive that asks for a password
    NotImplementedError,  # one of a later version, or packed in another way
    zipfile.BadZipFile,
    zlib.error,
)
