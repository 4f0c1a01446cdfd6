"""The running game: events in, commands out; no I/O, no clock, no randomness."""
