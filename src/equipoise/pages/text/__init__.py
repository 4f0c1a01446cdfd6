"""Text for people: data in, lines out."""
