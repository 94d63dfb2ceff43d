"""What can be done in a round: for each operation a check that raises, and a doing that uses what the check found."""
