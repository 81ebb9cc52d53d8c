"""Which names of a script carry something that the project's code did."""

import ast
import builtins

from .script import names_in

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith)


# What tells effects of running the project that are no values of its own: time, memory, output, warnings.
_MEASURES = {
    "time", "timeit", "tracemalloc", "resource", "psutil", "gc", "sys", "os", "warnings", "logging", "io", "contextlib",
    "threading", "multiprocessing", "concurrent", "subprocess", "signal", "asyncio", "traceback", "weakref",
    "builtins.open", "torch.cuda", "torch.mps", "torch.profiler", "torch.utils.benchmark", "torch.autograd.profiler",
}  # fmt: skip


class Flow:
    """Names that depend on the project: by data, or because a block that uses the project decides on them.

    With `measures`, names count as well that depend on a measurement of this process. The order of statements does not
    count, so that a name counts that depends on the project anywhere.
    """

    def __init__(self, script, modules, measures=False):
        self._script = script
        self._modules = modules
        self._measures = measures
        self._handed = set()
        self.names = {name for name, path in script.imports.items() if self._is_source(path)}
        for node in script.nodes:
            if isinstance(node, ast.ImportFrom) and node.module and modules.is_project(node.module):
                if any(alias.name == "*" for alias in node.names):
                    self.names |= _free_names(script)
        before = None
        while before != (len(self.names), len(self._handed)):
            before = (len(self.names), len(self._handed))
            for node in script.nodes:
                self._spread(node)

    def touches(self, node):
        """Does the expression or statement use anything of the project?"""
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and child.id in self.names:
                return True
            if isinstance(child, ast.Call):
                path = self._script.path_of(child) or self._script.path_of(child.func)
                if path and self._is_source(path):
                    return True
        return False

    def _is_source(self, path):
        """Running a file of the project as a program counts as the project."""
        if self._modules.is_project(path) or path.split(".")[0] in ("subprocess", "runpy"):
            return True
        parts = path.split(".")
        return self._measures and any(".".join(parts[:count]) in _MEASURES for count in range(1, len(parts) + 1))

    def _spread(self, node):
        if isinstance(node, _FUNCTIONS):
            if self.touches(node):
                self.names.add(node.name)
            if node.name in self._handed:
                self._add_effects(node)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
            if node.value is not None and self.touches(node.value):
                self._add_targets(node)
        elif isinstance(node, _BLOCKS):
            if self.touches(_decider(node)):
                self._add_targets(node)
        elif isinstance(node, ast.comprehension):
            if self.touches(node.iter):
                self.names |= names_in(node.target)
        elif isinstance(node, ast.Call) and self.touches(node):
            self._add_arguments(node)

    def _add_targets(self, node):
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                self.names.add(child.id)
            elif isinstance(child, (ast.Attribute, ast.Subscript)) and isinstance(child.ctx, ast.Store):
                self._add_root(child)
            elif isinstance(child, ast.ExceptHandler) and child.name:
                self.names.add(child.name)

    def _add_arguments(self, call):
        """A call can leave what it was given in its arguments and in the object whose method it is."""
        receivers = [call.func.value] if isinstance(call.func, ast.Attribute) else []
        for node in receivers + call.args + [keyword.value for keyword in call.keywords]:
            self._add_root(node)
            if isinstance(node, ast.Name):
                self._handed.add(node.id)

    def _add_effects(self, function):
        """The project decides when a function runs that it was handed, such as a hook."""
        self._add_targets(function)
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                self._add_root(node.func.value)

    def _add_root(self, node):
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        if isinstance(node, ast.Name) and node.id in self._script.stored and node.id != "observed":
            self.names.add(node.id)


def _decider(node):
    """What decides on the names that a block binds; of a ``try`` all that it tries."""
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return node.iter
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return ast.Tuple([item.context_expr for item in node.items], ast.Load())
    return ast.Module(node.body, [])


def _free_names(script):
    """Names that a star import may have bound."""
    read = {node.id for node in script.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return read - script.stored - set(script.imports) - set(dir(builtins))
