"""The laboratory: progressive validation, calibration, tuning and simulation.

Pure like the core it judges; files are read by adapters and drawn by pages.
"""
