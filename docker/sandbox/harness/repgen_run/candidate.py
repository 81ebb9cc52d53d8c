"""The process in which the candidate runs."""

import builtins
import os
import sys
import threading
import warnings
from importlib.machinery import SourceFileLoader

from . import imports, observations, raised
from .entered import watch
from .originals import Originals


def run(spec, journal):
    """Runs the script as ``python script.py`` would; ends as that would end, by returning or by SystemExit."""
    script = spec["script"]
    journal.append("started", {"thread": threading.get_ident()})
    _record_warnings(journal)
    watcher = watch(spec["project"], journal)
    originals = Originals(script)
    imports.install(watcher, originals, spec["seed"])
    namespace = _become_main(script)
    reserve = bytearray(4 << 20)
    restore = _restorer()
    getpid = os.getpid
    home = getpid()

    def report(error):
        nonlocal reserve
        if getpid() != home:
            return
        reserve = None
        restore()
        watcher.stop()
        _append_ending(journal, error, namespace, originals)

    with open(script, "rb") as file:
        source = file.read()
    try:
        exec(compile(source, script, "exec", dont_inherit=True), namespace)
    except SystemExit:
        report(None)
        raise
    except BaseException as error:
        error.__traceback__ = error.__traceback__.tb_next
        report(error)
        _print(error)
        raise SystemExit(1) from None
    report(None)


def _restorer():
    """Gives back, when called, what the harness itself needs of the interpreter as it is now."""
    names, limit, set_limit = vars(builtins), sys.getrecursionlimit(), sys.setrecursionlimit
    as_now = dict(names)

    def restore():
        names.update(as_now)
        set_limit(limit)

    return restore


def _become_main(script):
    """Makes a module ``__main__`` for the script and takes the harness out of its sight; the module's dictionary."""
    for name in [name for name in sys.modules if name.split(".")[0] == __package__]:
        del sys.modules[name]
    module = type(sys)("__main__")
    module.__dict__.update(
        __file__=script,
        __loader__=SourceFileLoader("__main__", script),
        __builtins__=sys.modules["builtins"],
        __annotations__={},
        __cached__=None,
    )
    sys.modules["__main__"] = module
    sys.argv[:] = [script]
    sys.path[0] = os.path.dirname(script)
    # A function that outlives its module's last reference still needs the module's names.
    _become_main.module = module
    return module.__dict__


def _append_ending(journal, error, namespace, originals):
    """How the script ended, what it replaced and what it observed; after a lack of memory at least the first."""
    try:
        observed, unobservable = observations.read(namespace)
    except BaseException as failure:
        observed, unobservable = {}, {"observed": "could not be read: " + type(failure).__name__}
    ending = {"chain": None if error is None else raised.describe(error), "replaced": originals.replaced()}
    try:
        journal.append("ended", dict(ending, observed=observed, unobservable=unobservable))
    except MemoryError:
        journal.append("ended", dict(ending, observed={}, unobservable={"observed": "memory ran out"}))


def _print(error):
    """Prints an uncaught exception through the script's hook, as the interpreter does."""
    hook = getattr(sys, "excepthook", sys.__excepthook__)
    try:
        hook(type(error), error, error.__traceback__)
    except SystemExit:
        raise
    except BaseException:
        sys.__excepthook__(type(error), error, error.__traceback__)


def _record_warnings(journal):
    """Journals every warning that passes the filters, also one that ``catch_warnings(record=True)`` keeps."""
    show = warnings._showwarnmsg
    left = 500

    def show_and_record(message):
        nonlocal left
        if left > 0:
            left -= 1
            category = message.category
            try:
                journal.append(
                    "warning",
                    {
                        "category": raised.type_name(category),
                        "bases": raised.base_names(category),
                        "message": raised.text_of(message.message),
                        "file": str(message.filename),
                        "line": int(message.lineno),
                    },
                )
            except Exception:
                pass
        show(message)

    warnings._showwarnmsg = show_and_record
