"""Files on disk: rosters, matches, lobbies and rules; reading, checking, writing."""
