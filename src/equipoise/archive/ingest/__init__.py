"""Logs on disk: reading them once, following them, and handing what they hold to an archive."""
