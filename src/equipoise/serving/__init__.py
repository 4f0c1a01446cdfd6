"""What the service knows, and the answers that follow from it; no bytes, no sockets."""
