"""Which names of a script carry something that the project's code did."""

import ast

from .script import names_in

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Try, ast.With, ast.AsyncWith)


class Flow:
    """Names that depend on the project: by data, or because a block that uses the project decides on them.

    The order of statements does not count, so that a name counts that depends on the project anywhere.
    """

    def __init__(self, script, modules):
        self._script = script
        self.names = {
            name for name, path in script.imports.items() if modules.is_project(path) or _runs_files(path)
        }
        for node in script.nodes:
            if isinstance(node, ast.ImportFrom) and node.module and modules.is_project(node.module):
                if any(alias.name == "*" for alias in node.names):
                    self.names |= _free_names(script)
        self._modules = modules
        before = -1
        while len(self.names) != before:
            before = len(self.names)
            for node in script.nodes:
                self._spread(node)

    def touches(self, node):
        """Does the expression or statement use anything of the project?"""
        for child in ast.walk(node):
            if isinstance(child, ast.Name) and child.id in self.names:
                return True
            if isinstance(child, ast.Call):
                path = self._script.path_of(child)
                if path and self._modules.is_project(path):
                    return True
        return False

    def _spread(self, node):
        if isinstance(node, _FUNCTIONS):
            if self.touches(node):
                self.names.add(node.name)
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
    return read - script.stored - set(script.imports) - set(dir(__import__("builtins")))


def _runs_files(path):
    """Modules with which a script runs a file of the project as a program."""
    return path.split(".")[0] in ("subprocess", "runpy")
