"""What everything shares: players, matches, rulesets, dates, registries, compiled kernels."""
