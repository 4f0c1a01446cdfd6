"""Pages for browsers: the board, and what is known of an archive; data in, HTML out."""
