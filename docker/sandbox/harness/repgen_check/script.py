"""A parsed script, and what its names stand for."""

import ast
import builtins
import symtable

_MODULE_NAMES = {
    "__file__", "__name__", "__builtins__", "__spec__", "__loader__", "__package__", "__doc__", "__annotations__",
    "__cached__", "__debug__", "__class__", "__path__",
}  # fmt: skip


class Script:
    """`source` parsed; raises SyntaxError or ValueError when it does not."""

    def __init__(self, source):
        self.tree = ast.parse(source)
        # Names that the module binds at its top level, and those that some scope reads as global.
        self.globals, self._read = _globals(symtable.symtable(source, "script.py", "exec"))
        self.nodes = list(ast.walk(self.tree))
        self.stored = _stored_names(self.nodes)
        self.imports = dict(_import_bindings(self.nodes))

    def bound_by_import(self, name):
        """The dotted path an import gives `name`, or None; also None when something else binds it as well."""
        return self.imports.get(name) if name not in self.stored else None

    def path_of(self, node):
        """Dotted path of `node` through the script's imports, such as `os.path.join`; None for anything else.

        Builtins have the path `builtins.…`; ``getattr(x, "y")`` and ``import_module("x")`` are read as ``x.y`` and x.
        """
        if isinstance(node, ast.Name):
            imported = self.bound_by_import(node.id)
            if imported is None and node.id not in self.stored and hasattr(builtins, node.id):
                return "builtins." + node.id
            return imported
        if isinstance(node, ast.Attribute):
            base = self.path_of(node.value)
            return base and base + "." + node.attr
        if isinstance(node, ast.Call):
            return self._path_of_call(node)
        return None

    def _path_of_call(self, node):
        function = self.path_of(node.func)
        first = string_of(node.args[0]) if node.args else None
        if function in ("builtins.__import__", "importlib.import_module"):
            return first
        if function == "builtins.getattr" and len(node.args) > 1 and string_of(node.args[1]):
            base = self.path_of(node.args[0])
            return base and base + "." + string_of(node.args[1])
        return None

    def undefined(self, star_names):
        """(name, line) of names that are read and never bound, by first use.

        `star_names(module)` is what ``from module import *`` binds, or None when that cannot be told.
        """
        known = set(dir(builtins)) | _MODULE_NAMES
        for node in self.nodes:
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                names = star_names(node.module or "")
                if names is None:
                    return []
                known |= set(names)
        places = {}
        _first_loads(self.tree, self._read - self.globals - known, places)
        return sorted(((name, place[0]) for name, place in places.items()), key=lambda item: places[item[0]])


def string_of(node):
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def names_in(node):
    return {child.id for child in ast.walk(node) if isinstance(child, ast.Name)}


def _stored_names(nodes):
    """Names that anything but an import binds, in any scope."""
    names = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _import_bindings(nodes):
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.split(".")[0],) * 2
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            for alias in node.names:
                if alias.name != "*":
                    yield alias.asname or alias.name, node.module + "." + alias.name


def _globals(table):
    """Names that the module or a ``global`` binds, and names that some scope reads as global."""
    bound, read = set(), set()
    waiting = [table]
    while waiting:
        scope = waiting.pop()
        waiting.extend(scope.get_children())
        for symbol in scope.get_symbols():
            top = scope.get_type() == "module"
            binds = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            if binds and (top or symbol.is_declared_global()):
                bound.add(symbol.get_name())
            if symbol.is_referenced() and (top or symbol.is_global()):
                read.add(symbol.get_name())
    return bound, read


def _first_loads(tree, names, places):
    """Fills name → (line, column) of its first read outside functions that bind it themselves."""
    stack = [(tree, frozenset())]
    while stack:
        node, own = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names and node.id not in own:
            place = (node.lineno, node.col_offset)
            places[node.id] = min(place, places.get(node.id, place))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            own = own | _stored_names(list(ast.walk(node))) & names
        stack.extend((child, own) for child in ast.iter_child_nodes(node))
