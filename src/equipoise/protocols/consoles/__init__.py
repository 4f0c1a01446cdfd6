"""Remote consoles of game servers: bytes in and out, no sockets and no clock."""
