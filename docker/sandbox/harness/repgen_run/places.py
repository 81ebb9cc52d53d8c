"""Where code stands: in the script, in the project, or in a library."""

import ast
import linecache
import os

HARNESS = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
_IMPORTLIB = ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>")


class Places:
    def __init__(self, project, script):
        self._project = project.rstrip("/") + "/"
        self._script = script
        self._names = {}

    def place(self, file):
        """`file`, relative to the checkout for a file of the project, and `in`."""
        if os.path.realpath(file) == os.path.realpath(self._script):
            return {"file": os.path.basename(self._script), "in": "script"}
        if file.startswith(self._project):
            relative = file[len(self._project) :]
            if "site-packages" not in relative.split("/"):
                return {"file": relative, "in": "project"}
        return {"file": file, "in": "library"}

    def frames(self, raw):
        """Frames of [file, line, function], without those of the harness and of importlib."""
        return [
            dict(self.place(file), line=line, function=function, code=linecache.getline(file, line).strip() or None)
            for file, line, function in raw
            if file not in _IMPORTLIB and not file.startswith(HARNESS + "/")
        ]

    def functions(self, raw):
        """Functions of [file, first line, name] with their qualified names; class bodies and the like left out."""
        found = {}
        for file, first_line, name in raw:
            known = self._functions(file).get((first_line, name))
            if known:
                qualified, line = known
                found[(file, qualified, line)] = {"file": self.place(file)["file"], "function": qualified, "line": line}
        return list(found.values())

    def _functions(self, file):
        if file not in self._names:
            names = {}
            try:
                with open(file, "rb") as source:
                    _collect(ast.parse(source.read()), "", names)
            except (OSError, SyntaxError, ValueError, RecursionError):
                pass
            self._names[file] = names
        return self._names[file]


def _collect(node, prefix, names):
    """Fills {(first line, name): (qualified name, line)}; the first line of a decorated function is its decorator's."""
    for child in ast.iter_child_nodes(node):
        inner = prefix
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            inner = prefix + child.name + "."
            if not isinstance(child, ast.ClassDef):
                first = min([child.lineno] + [decorator.lineno for decorator in child.decorator_list])
                names[(first, child.name)] = (prefix + child.name, child.lineno)
        elif isinstance(child, ast.Lambda):
            names[(child.lineno, "<lambda>")] = (prefix + "<lambda>", child.lineno)
        _collect(child, inner, names)
