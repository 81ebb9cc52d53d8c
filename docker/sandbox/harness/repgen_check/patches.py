"""Does a script change the code that it is to observe?"""

import ast
import re

from .problems import Problem
from .script import string_of

# What a script may patch: it is given to the script, and is no code.
_SURROUNDINGS = {"os.environ", "sys.argv", "sys.stdin", "sys.stdout", "sys.stderr"}
# PyTorch's own code, which the project stands on; its settings (torch.backends, torch._dynamo.config) are to be set.
_FOUNDATIONS = re.compile(r"torch$|torch\.(Tensor|nn|optim|utils|functional|distributions)\b")
_CHANGING = ("pop", "popitem", "clear", "update", "setdefault", "__setitem__", "__delitem__")
_SETTERS = ("builtins.setattr", "builtins.delattr", "setattr", "delattr")


def find(script, modules, definitions, author):
    """Problems of the kind mimic; `author` is "reporter" or "model"."""
    instances = _instances(script, modules, definitions)
    functions = {node.name for node in script.nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in script.nodes:
        for target, value in _changes(node, script):
            what = _patched(target, script, modules, instances)
            if what is None and author == "model" and _replaces_function(target, value, script, functions):
                what = script.path_of(target.value) + "." + target.attr
            if what:
                yield Problem("mimic", node.lineno, "It replaces %s: the project has to run as it is." % what)
        if isinstance(node, ast.Call) and _changes_attributes(node, script):
            yield Problem("mimic", node.lineno, "It changes an object's attributes from outside: the project has to run as it is.")
        if isinstance(node, ast.Call) and _is_mock(node, script):
            yield Problem("mimic", node.lineno, "It patches by mock: the project has to run as it is.")


def _changes(node, script):
    """(target, value) for each attribute or entry that a statement sets or deletes; value may be None."""
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign)):
        targets, value = [node.target], node.value
    elif isinstance(node, ast.Delete):
        targets, value = node.targets, None
    elif isinstance(node, ast.Call) and script.path_of(node.func) in _SETTERS and len(node.args) > 1:
        name = getattr(node.args[1], "value", None)
        targets = [ast.Attribute(node.args[0], name if isinstance(name, str) else "…", ast.Store())]
        value = node.args[2] if len(node.args) > 2 else None
    else:
        return
    for target in targets:
        for part in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if isinstance(part, (ast.Attribute, ast.Subscript)):
                yield part, value


def _patched(target, script, modules, instances):
    base = script.path_of(target.value)
    if isinstance(target, ast.Subscript):
        inside = base or ""
        if inside == "sys.modules":
            return "an entry of sys.modules"
        owner = inside[: -len(".__dict__")] if inside.endswith(".__dict__") else ""
        return owner if owner and modules.is_project(owner) else None
    if base and (modules.is_project(base) or _FOUNDATIONS.match(base)):
        return "%s.%s" % (base, target.attr)
    if isinstance(target.value, ast.Name) and target.attr in instances.get(target.value.id, ()):
        return "the method %s.%s" % (target.value.id, target.attr)
    return "a class (__class__)" if target.attr in ("__class__", "__code__") else None


def _changes_attributes(node, script):
    """``vars(x).pop(…)``, ``x.__dict__.update(…)``."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr not in _CHANGING:
        return False
    owner = node.func.value
    if isinstance(owner, ast.Attribute):
        return owner.attr == "__dict__"
    return isinstance(owner, ast.Call) and script.path_of(owner.func) == "builtins.vars"


def _replaces_function(target, value, script, functions):
    """Is an attribute of an installed module set to code that the script defines?"""
    if not isinstance(target, ast.Attribute) or not script.path_of(target.value):
        return False
    return isinstance(value, ast.Lambda) or isinstance(value, ast.Name) and value.id in functions


def _instances(script, modules, definitions):
    """Variable → names of the methods of the project's class that it is an instance of."""
    found = {}
    for node in script.nodes:
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        path = script.path_of(node.value.func)
        symbol = definitions.resolve(path)[0] if path and modules.is_project(path) else None
        if symbol and symbol.kind == "class":
            methods = set(_methods(symbol.node))
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = methods | {"forward", "__call__"}
    return found


def _methods(node):
    """Names of a class's methods; properties, which have setters of their own, left out."""
    for child in node.body:
        if isinstance(child, ast.FunctionDef):
            if not any("property" in ast.dump(one) or "setter" in ast.dump(one) for one in child.decorator_list):
                yield child.name


def _is_mock(node, script):
    """Does the call patch anything but the script's own surroundings?"""
    path = script.path_of(node.func) or ""
    if not path.startswith(("unittest.mock.patch", "mock.patch", "pytest.MonkeyPatch", "mock.mock.patch")):
        return False
    target = node.args[0] if node.args else None
    return (string_of(target) or script.path_of(target)) not in _SURROUNDINGS
