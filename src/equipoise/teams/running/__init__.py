"""Teams while the game runs: placing a late joiner, and the advantage a team is owed."""
