"""Notices modules of source code being imported: to seed random generators, and for the project's own."""

import sys
from importlib.machinery import SourceFileLoader

# Compiled as a part of importlib, so that tracebacks leave the wrapper out as they leave out importlib.
_WRAPPER = """
def exec_module(self, module):
    project = before(self)
    try:
        original(self, module)
    finally:
        if project:
            after(module)
    if module.__name__ in seeders:
        seed(module)
"""


def install(watcher, originals, seed):
    """
    Seeds random, numpy and torch as each is first imported, tells the watcher when project modules run, and keeps the
    originals of both.
    """
    seeders = {
        "random": lambda module: module.seed(seed),
        "numpy.random": lambda module: module.seed(seed % 2**32),
        "torch": lambda module: module.manual_seed(seed),
    }

    def imported(module):
        watcher.imported()
        if watcher.owns(getattr(module, "__file__", None) or ""):
            originals.keep(module)

    def apply(module):
        if module.__name__ == "torch":
            originals.keep_foundations()
        try:
            seeders[module.__name__](module)
        except Exception:
            # A stand-in of the same name without that function is the script's business.
            pass

    names = {
        "original": SourceFileLoader.exec_module,
        "before": lambda loader: watcher.importing(getattr(loader, "path", "")),
        "after": imported,
        "seeders": frozenset(seeders),
        "seed": apply,
    }
    exec(compile(_WRAPPER, "<frozen importlib._bootstrap_external>", "exec"), names)
    SourceFileLoader.exec_module = names["exec_module"]
    for name in seeders:
        if name in sys.modules:
            apply(sys.modules[name])
