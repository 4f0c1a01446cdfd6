"""Nexuiz: reader of its logs, and its live server."""
