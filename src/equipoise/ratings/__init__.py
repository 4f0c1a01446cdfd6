"""Ratings: models that learn from contests, one file each, and what is common to them.

Pure: no clock, no files, no games; nothing here knows how teams are divided.
"""
