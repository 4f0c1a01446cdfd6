"""The shell: the code that touches the world.  Each module here adapts one thing outside."""
