"""Runs one candidate script and writes what happened.

    python run.py SPEC.json

SPEC.json: ``script``, ``project`` and ``result`` (absolute paths), ``seed`` (a whole number) and ``timeoutSeconds``.
The result is JSON: ending, observed, unobservable, warnings, project, peakMemoryBytes. Standard output and error are
the script's own.

The script runs as ``__main__`` in a forked process; this process waits for it, so that a crash, ``os._exit`` or a
timeout is told as well as an exception. What happened on the way stands in a journal, an anonymous file that both
processes hold.

Limits. The script has the rights of this process: code written to deceive can find the journal and the result and
write to them; ``check.py`` refuses what does so plainly. Functions that ``torch.compile`` inlines are not seen as
entered. Spawned (not forked) workers are neither seeded nor watched. Warnings that no filter lets through are not
recorded, nor are those that native code prints by itself.
"""

import sys

from repgen_run.supervisor import main

main(sys.argv[1])
