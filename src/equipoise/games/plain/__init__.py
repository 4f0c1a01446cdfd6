"""Logs in a plain format of lines, for games without a reader."""
