"""What the candidate's process tells its supervisor, a record a line."""

import fcntl
import json
import os

_LIMIT_BYTES = 24 * 1024 * 1024


class Journal:
    """An append-only log in memory, shared by all processes forked from the one that made it.

    It survives whatever ends the writer, and a writer never waits for a reader. Records past the limit are dropped,
    and all of them once the script has closed the file.
    """

    def __init__(self):
        self._fd = out_of_the_way(os.memfd_create("journal"))
        # Bound now: the script may take os and json apart.
        self._encode = json.JSONEncoder(allow_nan=False).encode
        self._write = os.write
        self._bytes = 0

    def append(self, kind, body):
        # On a line of its own, whatever a script may have written before.
        data = b"\n" + self._encode([kind, body]).encode("ascii") + b"\n"
        self._bytes += len(data)
        if self._bytes > _LIMIT_BYTES:
            return
        try:
            while data:
                data = data[self._write(self._fd, data) :]
        except OSError:
            self._bytes = _LIMIT_BYTES

    def records(self):
        """(kind, body) of each record; lines that are no records are left out."""
        size = os.fstat(self._fd).st_size
        for line in os.pread(self._fd, min(size, 2 * _LIMIT_BYTES), 0).splitlines():
            try:
                kind, body = json.loads(line.decode("ascii"))
            except (ValueError, TypeError, RecursionError):
                continue
            yield kind, body


def out_of_the_way(fd):
    """The descriptor under a higher number, where scripts that count or close descriptors do not meet it."""
    moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    os.close(fd)
    return moved
