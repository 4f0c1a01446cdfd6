"""Internet Relay Chat: bytes to what people say, and back; no sockets, no clock, no lobbies."""
