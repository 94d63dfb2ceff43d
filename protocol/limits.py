"""How much a device of this project keeps: capacities that a host plans with, in one place for code and reference."""

COMMAND_MEMORY = 64  # answers of an instance
INSTANCES = 8  # instances whose answers are kept
GUESTS = 16  # instances known without answers
FENCES = 64  # ids of an instance that were asked about before they came
RANDOM_BYTES = 1024  # of one ReadRandom
FREE_FAILURES = 4  # wrong proofs of a role without a wait
LOCK_OUT_S = 30  # after the next one; doubles with each further one
LOCK_OUT_MAX_S = 3600
EVENTS = 512  # not acknowledged; a seven-player round makes about 24
