"""Notices what a script put in the place of the project's functions, or of the parts of PyTorch that they stand on."""

import sys
from types import ModuleType

_FOUNDATIONS = ("torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.optim", "torch.utils.data")
_FOUNDATION_CLASSES = (("torch", "Tensor"), ("torch.nn", "Module"))
_MISSING = object()


class Originals:
    """What modules and their classes held when they were imported; functions, classes and modules only."""

    def __init__(self, script):
        self._script = script
        self._kept = []
        self._seen = set()

    def keep(self, module):
        """A project module whose import has just ended."""
        self._keep(module.__name__, vars(module), _is_any)
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == module.__name__:
                self._keep(value.__module__ + "." + value.__qualname__, vars(value), _is_any)

    def keep_foundations(self):
        """PyTorch, whose import has just ended. It wraps parts of its own later on: only what the script does counts."""
        for name in _FOUNDATIONS:
            if name in sys.modules:
                self._keep(name, vars(sys.modules[name]), self._is_of_script)
        for name, attribute in _FOUNDATION_CLASSES:
            found = getattr(sys.modules.get(name), attribute, None)
            if isinstance(found, type):
                self._keep(name + "." + attribute, vars(found), self._is_of_script)

    def replaced(self):
        """Dotted names of what is not there any more or another one, 20 at most."""
        found = []
        for owner, names, originals, counts in self._kept:
            for name, (value, code) in originals.items():
                now = names.get(name, _MISSING)
                if now is value:
                    changed = _code_of(value) is not code
                else:
                    changed = not _is_submodule(now, owner, name)
                if changed and counts(now):
                    found.append(owner + "." + name)
        return sorted(found)[:20]

    def _is_of_script(self, value):
        code = _code_of(value)
        return value is _MISSING or value is None or (code is not None and code.co_filename == self._script)

    def _keep(self, owner, names, counts):
        if owner in self._seen:
            return
        self._seen.add(owner)
        originals = {
            name: (value, _code_of(value))
            for name, value in list(names.items())
            if not name.startswith("__") and (callable(value) or isinstance(value, (ModuleType, property, classmethod, staticmethod)))
        }
        self._kept.append((owner, names, originals, counts))


def _is_any(_value):
    return True


def _is_submodule(value, owner, name):
    """A submodule that is imported takes its name in the package, whatever had it."""
    return isinstance(value, ModuleType) and value.__name__ == owner + "." + name


def _code_of(value):
    return getattr(value, "__code__", None)
