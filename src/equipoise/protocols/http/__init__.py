"""What the bodies of HTTP say, without a socket: problems, and where in a body something is wrong."""
