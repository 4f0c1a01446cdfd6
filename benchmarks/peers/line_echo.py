"""The least a line server can do: every line comes back.  The argument is ``asyncio`` or ``uvloop``."""

from __future__ import annotations

import asyncio
import sys
from typing import cast


class Echo(asyncio.Protocol):
    """Sends what it got, whole lines in one go."""

    rest = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the connection."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Send the lines back."""
        *lines, self.rest = (self.rest + data).split(b"\n")
        if lines:
            self.transport.write(b"\n".join(lines) + b"\n")


async def main() -> None:
    """Listen until the process is killed."""
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0, backlog=2048)
    print(f"listening on 127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    if sys.argv[1] == "uvloop":
        import uvloop

        uvloop.run(main())
    else:
        asyncio.run(main())
