"""Progressives: the meter, who is due an award, envy, and the wins recorded at a keypad."""
