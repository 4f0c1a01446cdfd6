"""ET: Legacy: stopwatch matches from the statistics that a Lua module of its servers writes."""
