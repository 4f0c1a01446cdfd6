"""Games: from the lines of a server's log to matches.  One file a game; none knows another, nor any model."""
