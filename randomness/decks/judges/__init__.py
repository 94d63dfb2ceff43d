"""The judges: each turns counts of decks into p-values by a law that is known or calibrated. No counting here."""
