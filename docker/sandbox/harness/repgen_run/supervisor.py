"""The process that outlives the candidate and writes the result."""

import faulthandler
import json
import os
import signal
import sys
import time

from . import candidate
from .journal import Journal, out_of_the_way

# Asks the candidate's process for its stack; not a signal that programs use.
STACK_SIGNAL = signal.SIGRTMIN + 11
_STACK_SECONDS = 2.0


def main(spec_path):
    """Runs the candidate of the specification and writes its result; returns in the candidate's process never."""
    with open(spec_path, encoding="utf-8") as file:
        spec = json.load(file)
    journal = Journal()
    dump = out_of_the_way(os.memfd_create("stacks"))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    deadline = time.monotonic() + spec["timeoutSeconds"]
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGCHLD])
        os.setpgid(0, 0)
        faulthandler.enable(dump)
        faulthandler.register(STACK_SIGNAL, dump)
        candidate.run(spec, journal)
        return
    ended = _wait(child, deadline)
    timed_out = ended is None
    if timed_out:
        _ask_for_stack(child, dump)
    _kill_group(child)
    status, usage = ended or os.wait4(child, 0)[1:]

    from . import result

    text = os.pread(dump, 1 << 20, 0).decode("utf-8", "replace")
    if text and not timed_out:
        sys.stderr.write(result.without_harness(text))
    facts = {"status": status, "timed_out": timed_out, "dump": text}
    outcome = result.assemble(spec, list(journal.records()), facts)
    outcome["peakMemoryBytes"] = usage.ru_maxrss * 1024
    result.write(spec["result"], outcome)
    if not timed_out and os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        # Only the sandbox can tell whether a limit sent it; it asks how this process ended.
        os.kill(os.getpid(), signal.SIGKILL)


def _wait(child, deadline):
    """(status, usage) of the child, or None when the deadline comes first."""
    while True:
        pid, status, usage = os.wait4(child, os.WNOHANG)
        if pid == child:
            return status, usage
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        signal.sigtimedwait([signal.SIGCHLD], left)


def _ask_for_stack(child, dump):
    try:
        os.kill(child, STACK_SIGNAL)
    except ProcessLookupError:
        return
    size = 0
    end = time.monotonic() + _STACK_SECONDS
    while time.monotonic() < end:
        time.sleep(0.05)
        before, size = size, os.fstat(dump).st_size
        if size and size == before:
            return


def _kill_group(child):
    for kill in (os.killpg, os.kill):
        try:
            kill(child, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
