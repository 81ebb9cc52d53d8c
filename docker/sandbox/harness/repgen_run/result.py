"""The journal of a candidate made into its result."""

import json
import os
import shutil
import signal

from .places import HARNESS, Places
from .stacks import frames_of


def assemble(spec, records, facts):
    """`facts`: wait status, timed_out, and the text that faulthandler dumped."""
    places = Places(spec["project"], spec["script"])
    by_kind = {}
    for kind, body in records:
        by_kind.setdefault(kind, []).append(body)
    last = by_kind.get("ended", [{}])[-1]
    thread = by_kind.get("started", [{}])[0].get("thread", 0)
    return {
        "ending": _ending(places, last.get("chain"), facts, thread),
        "observed": last.get("observed", {}),
        "unobservable": last.get("unobservable", {}),
        "warnings": [dict(body, **places.place(body["file"])) for body in by_kind.get("warning", [])],
        "project": {
            "imported": sorted({places.place(file)["file"] for file in by_kind.get("imported", [])}),
            "entered": places.functions(by_kind.get("entered", [])),
            "replaced": last.get("replaced", []),
        },
    }


def without_harness(dump):
    return "".join(line for line in dump.splitlines(True) if HARNESS not in line)


def write(path, outcome):
    """Replaces whatever lies at `path`."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    part = "%s.%d" % (path, os.getpid())
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o644), "w") as file:
        json.dump(outcome, file, allow_nan=False)
    os.replace(part, path)


def _ending(places, chain, facts, thread):
    """An exception that left the script counts before whatever came of it while the interpreter shut down."""
    if chain:
        return {"how": "exception", "chain": [dict(one, frames=places.frames(one["frames"])) for one in chain]}
    if facts["timed_out"]:
        return {"how": "timeout", "stack": places.frames(frames_of(facts["dump"], thread))}
    status = facts["status"]
    if not os.WIFSIGNALED(status):
        return {"how": "completed", "exitCode": os.WEXITSTATUS(status)}
    number = os.WTERMSIG(status)
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "SIG%d" % number
    return {"how": "signal", "signal": name, "stack": places.frames(frames_of(facts["dump"], None))}
