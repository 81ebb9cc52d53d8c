"""Reading what faulthandler writes."""

import re

_THREAD = re.compile(r"^(?:Current thread|Thread) 0x([0-9a-f]+)")
_FRAME = re.compile(r'^  File "(.*)", line (\d+) in (.*)$')


def frames_of(dump, thread):
    """Frames of one thread, outermost first, as [file, line, function]; without it, of the thread that is told first.

    That is the one in which a signal came, if Python knows it.
    """
    stacks, current = {}, None
    for line in dump.splitlines():
        head = _THREAD.match(line)
        if head:
            current = stacks.setdefault(int(head.group(1), 16), [])
            continue
        frame = _FRAME.match(line)
        if frame and current is not None:
            current.append([frame.group(1), int(frame.group(2)), frame.group(3)])
    return stacks.get(thread, next(iter(stacks.values()), []))[::-1]
