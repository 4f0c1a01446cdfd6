"""The Quake 3 family: its lines, its game types and its mutators."""
