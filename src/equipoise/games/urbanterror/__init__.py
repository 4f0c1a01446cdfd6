"""Urban Terror, of the Quake 3 family: a game of its own."""
