"""What the readers of all games share: whole lines, one game as it is played, records, tables of rules."""
