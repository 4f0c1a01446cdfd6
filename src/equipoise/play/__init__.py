"""People who gather for a game: what happened as events, whose fold is the state; no I/O, no clock."""
