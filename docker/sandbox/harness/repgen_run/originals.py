"""Notices what a script put in the place of the project's functions, or of the parts of PyTorch that they stand on."""

import sys
from types import ModuleType

_FOUNDATIONS = ("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.utils.data")
_FOUNDATION_CLASSES = (("torch", "Tensor"), ("torch.nn", "Module"))
_MISSING = object()


class Originals:
    """What modules and their classes held when they were imported; functions, classes and modules only."""

    def __init__(self):
        self._kept = []
        self._seen = set()

    def keep(self, module):
        """A project module whose import has just ended."""
        self._keep_module(module)
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._keep(value.__module__ + "." + value.__qualname__, vars(value))

    def keep_foundations(self):
        """PyTorch, whose import has just ended."""
        for name in _FOUNDATIONS:
            if name in sys.modules:
                self._keep_module(sys.modules[name])
        for name, attribute in _FOUNDATION_CLASSES:
            found = getattr(sys.modules.get(name), attribute, None)
            if isinstance(found, type):
                self._keep(name + "." + attribute, vars(found))

    def replaced(self):
        """Dotted names of what is not there any more or another one, 20 at most."""
        found = []
        for owner, names, originals in self._kept:
            for name, (value, code) in originals.items():
                now = names.get(name, _MISSING)
                if (now is not value and not _is_submodule(now, owner, name)) or _code_of(value) is not code:
                    found.append(owner + "." + name)
        return sorted(found)[:20]

    def _keep_module(self, module):
        self._keep(module.__name__, vars(module))

    def _keep(self, owner, names):
        if owner in self._seen:
            return
        self._seen.add(owner)
        originals = {
            name: (value, _code_of(value))
            for name, value in list(names.items())
            if not name.startswith("__") and (callable(value) or isinstance(value, (ModuleType, property, classmethod, staticmethod)))
        }
        self._kept.append((owner, names, originals))


def _is_submodule(value, owner, name):
    """A submodule that is imported takes its name in the package, whatever had it."""
    return isinstance(value, ModuleType) and value.__name__ == owner + "." + name


def _code_of(value):
    return getattr(value, "__code__", None)
