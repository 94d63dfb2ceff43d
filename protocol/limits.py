"""Capacities that a host plans with, in one place for code and reference."""

MIN_BODY = 768  # the shortest limit that a host may ask for; a group of seven cards with its proof needs 700
MAX_BODY = 2048  # the longest body either end may send; an opening of 17 cards with its proof needs 1,200
COMMAND_MEMORY = 64  # answers of an instance
INSTANCES = 8  # instances whose answers are kept
GUESTS = 16  # instances known without answers
FENCES = 64  # ids of an instance that were asked about before they came
RANDOM_BYTES = 1024  # of one ReadRandom
FREE_FAILURES = 4  # wrong proofs of a role without a wait
LOCK_OUT_S = 30  # after the next one; doubles with each further one
LOCK_OUT_MAX_S = 3600
EVENTS = 512  # not acknowledged; a seven-player round makes about 24
