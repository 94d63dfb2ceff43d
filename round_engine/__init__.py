"""The game, pure: hands, rule sets as data, wagers, rounds, settlement, progressives, exact odds."""
