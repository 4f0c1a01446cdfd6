"""Servers: what listens.  One file a transport; what is said on it stands in :mod:`equipoise.wire`."""
