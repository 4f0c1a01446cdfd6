"""Protocols without I/O: bytes to values and values to bytes.  No sockets, no clock, no ratings."""
