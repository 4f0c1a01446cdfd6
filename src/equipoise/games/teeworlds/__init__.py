"""Teeworlds: its log is described by a file."""
