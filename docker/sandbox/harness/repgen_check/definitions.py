"""What modules define, read from their source."""

import ast
import os
from collections import namedtuple

from .script import string_of

# kind: "function", "class", "module", or "value" for anything that is not known more closely.
# node: the definition; module: the dotted name of the module that holds it.
Symbol = namedtuple("Symbol", "kind node module")

_VALUE = Symbol("value", None, None)
_MOST_HOPS = 20


class Module:
    """Names that a module's source binds at its top level."""

    def __init__(self, name, source, is_package):
        self.name = name
        self.package = name if is_package else name.rpartition(".")[0]
        self.bound = {}
        self.stars = []
        self.exported = None
        # Does the module make names in a way that its source does not tell?
        self.is_open = False
        self._read(ast.parse(source))

    def absolute(self, node):
        """Dotted name of the module that a ``from … import`` in this module names."""
        if not node.level:
            return node.module or ""
        parts = self.package.split(".")
        base = parts[: len(parts) - node.level + 1]
        return ".".join(base + ([node.module] if node.module else []))

    def _read(self, tree):
        for node in ast.walk(tree):
            if isinstance(node, ast.Global):
                self.bound.update({name: _VALUE for name in node.names if name not in self.bound})
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                self.is_open = self.is_open or node.func.id in ("exec", "globals", "vars")
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                self.is_open = self.is_open or (node.value.id, node.attr) == ("sys", "modules")
        self._statements(tree.body)
        self.is_open = self.is_open or "__getattr__" in self.bound

    def _statements(self, body):
        for node in body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._bind(node.name, Symbol("function", node, self.name))
            elif isinstance(node, ast.ClassDef):
                self._bind(node.name, Symbol("class", node, self.name))
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    target = alias.name if alias.asname else alias.name.split(".")[0]
                    self._bind(alias.asname or target, ("import", target, None))
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)
            else:
                self._targets(node)
                for field in ("body", "orelse", "finalbody"):
                    self._statements(getattr(node, field, None) or [])
                for part in list(getattr(node, "handlers", [])) + list(getattr(node, "cases", [])):
                    self._statements(part.body)

    def _import_from(self, node):
        module = self.absolute(node)
        for alias in node.names:
            if alias.name == "*":
                self.stars.append(module)
            else:
                self._bind(alias.asname or alias.name, ("import", module, alias.name))

    def _targets(self, node):
        names = _assigned(node)
        for name in names:
            self._bind(name, _VALUE)
        if "__all__" in names:
            self._export(node)

    def _export(self, node):
        value = getattr(node, "value", None)
        items = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [None]
        texts = [item and string_of(item) for item in items]
        if isinstance(node, ast.Assign) and all(text is not None for text in texts):
            self.exported = texts
        elif self.exported is not None or not isinstance(node, ast.Assign):
            self.exported = None
            self.is_open = True

    def _bind(self, name, symbol):
        """A name that is bound twice, as under a condition, could be either."""
        self.bound[name] = _VALUE if name in self.bound else symbol


def _assigned(node):
    """Names that a statement binds itself: its targets, not those of statements in it."""
    names = []
    inner = [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    while inner:
        child = inner.pop()
        if isinstance(child, (ast.Lambda, ast.ExceptHandler)):
            continue
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            names.append(child.id)
        inner.extend(grand for grand in ast.iter_child_nodes(child) if not isinstance(grand, ast.stmt))
    return names


class Definitions:
    """Looks names up in modules, through re-exports."""

    def __init__(self, modules):
        self._modules = modules
        self._read = {}

    def module(self, name):
        """The project's module of that dotted name as read, or None: it has no Python source or does not parse."""
        if name not in self._read:
            self._read[name] = self._open(name, self._modules.place(name))
        return self._read[name]

    def lookup(self, module, name, hops=0):
        """The Symbol that `name` is in a project module; None when there is none; a value when that cannot be told."""
        if hops > _MOST_HOPS:
            return _VALUE
        read = self.module(module)
        found = read.bound.get(name) if read else None
        if isinstance(found, Symbol):
            return found
        if found is not None and found[1:] != (module, name):
            return self._imported(found[1], found[2], hops)
        if self._modules.place(module + "." + name) is not None:
            return Symbol("module", None, module + "." + name)
        if name in ("__name__", "__file__", "__doc__", "__path__", "__dict__", "__spec__", "__package__"):
            return _VALUE
        place = self._modules.place(module)
        if read is None:
            return None if place and os.path.isdir(place) else _VALUE
        for star in read.stars:
            symbol = self._star(star, name, hops)
            if symbol is not None:
                return symbol
        return _VALUE if read.is_open else None

    def resolve(self, path):
        """(symbol, missing): the Symbol of a dotted path into the project; or in which module which name is missing.

        Both are None for a path that the source does not settle.
        """
        parts = path.split(".")
        symbol = Symbol("module", None, parts[0])
        for part in parts[1:]:
            if symbol.kind != "module":
                return None, None
            if not self._modules.is_project(symbol.module):
                return None, None
            inner = self.lookup(symbol.module, part)
            if inner is None:
                return None, (symbol.module, part)
            symbol = inner
        return symbol, None

    def names(self, module):
        """The project's names that can be imported from one of its modules, as far as its source tells."""
        read = self.module(module)
        names = set(self._modules.submodules(self._modules.place(module)))
        if read:
            names |= {name for name, found in read.bound.items() if self._is_own(found)}
            for star in read.stars:
                names |= self.star_names(star) or set()
        return sorted(names)

    def home_of(self, name, kinds=("function", "class")):
        """The first of the project's modules that defines a function or class of that name, or None."""
        waiting = [package for package in self._modules.packages if self._modules.is_project(package)]
        while waiting:
            module = waiting.pop(0)
            read = self.module(module)
            if getattr(read and read.bound.get(name), "kind", None) in kinds:
                return module
            waiting.extend(module + "." + one for one in self._modules.submodules(self._modules.place(module)))
        return None

    def star_names(self, module):
        """Names that ``from module import *`` binds, or None when that cannot be told."""
        names, waiting, seen = set(), [module], set()
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            read = self.module(name) if self._modules.is_project(name) else self._installed(name)
            if read is None or read.is_open:
                return None
            if read.exported is not None:
                names |= set(read.exported)
            else:
                names |= {bound for bound in read.bound if not bound.startswith("_")}
                waiting.extend(read.stars)
        return names

    def _is_own(self, found):
        return isinstance(found, Symbol) or self._modules.is_project(found[1])

    def _installed(self, name):
        return self._open(name, self._modules.file_of_installed(name))

    def _open(self, name, place):
        if not place or not place.endswith(".py"):
            return None
        try:
            with open(place, "rb") as file:
                return Module(name, file.read(), os.path.basename(place) == "__init__.py")
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None

    def _imported(self, module, name, hops):
        if not self._modules.is_project(module):
            return _VALUE
        if name is None:
            return Symbol("module", None, module)
        return self.lookup(module, name, hops + 1) or _VALUE

    def _star(self, module, name, hops):
        if not self._modules.is_project(module):
            return _VALUE
        read = self.module(module)
        if read is not None and read.exported is not None:
            return self.lookup(module, name, hops + 1) if name in read.exported else None
        return None if name.startswith("_") else self.lookup(module, name, hops + 1)
