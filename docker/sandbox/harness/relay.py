"""Gives a command one way out of a sandbox without a network: a proxy on loopback that leads to a Unix socket.

    relay.py SOCKET COMMAND [ARGUMENT ...]

The command gets HTTP_PROXY and HTTPS_PROXY; its exit status is passed on, 128 + n for signal n.
"""

import asyncio
import functools
import os
import sys

CHUNK_BYTES = 65536


async def pump(reader, writer):
    """Copies until the end of `reader`, and passes the end on."""
    while True:
        data = await reader.read(CHUNK_BYTES)
        if not data:
            break
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()


async def relay(socket_path, reader, writer):
    """Serves one connection."""
    try:
        upstream_reader, upstream_writer = await asyncio.open_unix_connection(socket_path)
        try:
            await asyncio.gather(pump(reader, upstream_writer), pump(upstream_reader, writer))
        finally:
            upstream_writer.close()
    except OSError:
        pass  # One of the two hung up; the other learns of it by the end of its connection.
    finally:
        writer.close()


async def run(socket_path, command):
    """Runs the command with the relay beside it; its exit status."""
    server = await asyncio.start_server(functools.partial(relay, socket_path), "127.0.0.1", 0)
    proxy = "http://127.0.0.1:%d" % server.sockets[0].getsockname()[1]
    names = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
    environment = dict(os.environ, **{name: proxy for name in names})
    process = await asyncio.create_subprocess_exec("/usr/bin/env", *command, env=environment)
    status = await process.wait()
    return status if status >= 0 else 128 - status


async def main():
    # Connections that are still open when the command ends are of no use to anyone.
    os._exit(await run(sys.argv[1], sys.argv[2:]))


asyncio.run(main())
