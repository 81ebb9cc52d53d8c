"""Finding modules as files, without importing them."""

import functools
import importlib.machinery
import importlib.util
import os
import re
import sys

# Found at the top of many a checkout, and nothing to import for a reproduction.
_NO_PACKAGES = {"setup", "tests", "test", "docs", "conftest", "noxfile"}
_NATIVE = tuple(importlib.machinery.EXTENSION_SUFFIXES)


class Modules:
    """Modules of the project, and of everything that is installed beside it."""

    def __init__(self, project, packages):
        self._project = os.path.realpath(project)
        self.packages = tuple(packages)
        self._folders = list(self._project_folders())

    def is_project(self, name):
        """Is the module or package part of the project?"""
        return self._project_place(name.split(".")[0]) is not None

    def place(self, name):
        """Path of a project module's file, or of the folder of a package without ``__init__.py``; None for neither."""
        top, _, rest = name.partition(".")
        place = self._project_place(top)
        for part in rest.split(".") if rest else []:
            folder = self.folder(place)
            place = folder and _module_in(folder, part)
        return place

    def folder(self, place):
        """Folder of a package from its place; None for a plain module."""
        if place is None or os.path.isdir(place):
            return place
        return os.path.dirname(place) if os.path.basename(place) == "__init__.py" else None

    def submodules(self, place):
        """Names of the modules in a package."""
        folder = self.folder(place)
        names = os.listdir(folder) if folder else []
        return sorted({name.split(".")[0] for name in names if _module_in(folder, name.split(".")[0])} - {"__init__"})

    def tops(self):
        """Names of the project's own packages and modules."""
        names = {name for folder in self._folders for name in self.submodules(folder)} | set(self.packages)
        return sorted(names - {os.path.basename(folder) for folder in self._folders} - _NO_PACKAGES)

    def installed(self, name):
        """Does a module that is not the project's exist? True when that cannot be told without running code."""
        top, _, rest = name.partition(".")
        spec = _spec(top)
        if spec is None:
            return False
        folders = list(spec.submodule_search_locations or [])
        for part in rest.split(".") if rest else []:
            found = [place for place in (_module_in(folder, part) for folder in folders) if place]
            if not found:
                return not folders or any(_mentions(folder, part) for folder in folders)
            folders = [folder for folder in map(self.folder, found) if folder]
        return True

    def file_of_installed(self, name):
        """Path of the Python source of an installed module, or None."""
        top, _, rest = name.partition(".")
        spec = _spec(top)
        place = spec.origin if spec and spec.has_location else None
        for part in rest.split(".") if rest else []:
            folder = self.folder(place)
            place = folder and _module_in(folder, part)
        return place if place and place.endswith(".py") else None

    def _project_folders(self):
        inside = [path for path in map(os.path.realpath, sys.path) if (path + "/").startswith(self._project + "/")]
        for path in dict.fromkeys([*inside, self._project, os.path.join(self._project, "src")]):
            if os.path.isdir(path) and "site-packages" not in path:
                yield path

    def _project_place(self, top):
        for folder in self._folders:
            place = _module_in(folder, top)
            if place and (top in self.packages or self._comes_first(top)):
                return place
        return None

    def _comes_first(self, top):
        """Does ``import top`` find the project rather than an installed package or the standard library?"""
        spec = _spec(top)
        if spec is None:
            return True
        places = [spec.origin] if spec.has_location else list(spec.submodule_search_locations or [])
        return any(os.path.realpath(place).startswith(self._project + "/") for place in places if place)


@functools.lru_cache(maxsize=None)
def _spec(top):
    try:
        return importlib.util.find_spec(top)
    except (ImportError, ValueError, AttributeError, SyntaxError):
        return None


def _module_in(folder, name):
    """Path of ``name`` as a package, module or native module in the folder; a folder without Python is none."""
    base = os.path.join(folder, name)
    for path in [os.path.join(base, "__init__.py"), base + ".py", *(base + suffix for suffix in _NATIVE)]:
        if os.path.isfile(path):
            return path
    holds_code = name.isidentifier() and os.path.isdir(base) and any(map(_is_code, os.scandir(base)))
    return base if holds_code else None


def _is_code(entry):
    return entry.is_dir() or entry.name.endswith(".py")


def _mentions(folder, word):
    """Does the package's own code speak of the word? Then it may make that module itself."""
    try:
        with open(os.path.join(folder, "__init__.py"), encoding="utf-8", errors="replace") as file:
            return re.search(r"\b%s\b" % re.escape(word), file.read()) is not None
    except OSError:
        return True
