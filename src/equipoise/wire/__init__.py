"""Protocols as objects without I/O: bytes in, requests out; results in, bytes out.  No sockets, no clock."""
