"""Quake Live: what its statistics stream and the feeders of rating sites report."""
