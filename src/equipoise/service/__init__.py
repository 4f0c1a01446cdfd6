"""The service: what listens, where it listens, and what it answers from."""
