"""How commands end: one table for all of them, shown in docs/command-line.md."""

DONE = 0
FAILED = 1
MISUSED = 2
INCONCLUSIVE = 3
INTERRUPTED = 130

EXIT_CODES = {
    DONE: "done; what was tested passed; a server (`emulate`, `live`) was ended by Ctrl-C",
    FAILED: "what was tested failed: a verdict, a chain of records, a device that refused or did not answer",
    MISUSED: "it could not start: a wrong option, a file that can't be read, a port that can't be opened",
    INCONCLUSIVE: "no verdict: the sample is too small, or a re-test is owed",
    INTERRUPTED: "stopped by Ctrl-C before it was done; what was done so far is kept where the command says so",
}
