"""One round: its operations, its course from betting to showdown, and its settlement.

For each operation there is a check that raises, and an action that uses the result of the check.
"""
